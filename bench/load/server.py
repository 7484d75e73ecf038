"""The installation under load: `manage.py serve` in a folder of its own, and what its processes use."""

import contextlib
import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).resolve().parent.parent.parent
"""Not that of config.env, which reads the environment for good when it is imported."""
READY_WITHIN_S = 120
STOP_WITHIN_S = 60
PROGRAMS = {"runyard-web": "web", "runyard-worker": "worker", "redis": "redis", "valkey": "redis"}
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Usage:
    """Of a process and all it has started."""

    cpu_s: float = 0.0
    rss_bytes: int = 0
    starved_s: float = 0.0
    """That its threads, together, could have run and had no processor."""


def _stat(pid: str) -> list[str]:
    """Return /proc/PID/stat from the state on; nothing when the process is over."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _starved_s(pid: str) -> float:
    waited_ns = 0
    for path in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        with contextlib.suppress(OSError):  # a thread that has just ended
            waited_ns += int(path.read_text().split()[1])
    return waited_ns / 1e9


def busy_s() -> float:
    """Return the seconds that all processors together were not idle, time taken by the host included."""
    fields = Path("/proc/stat").read_text().splitlines()[0].split()[1:9]
    user, nice, system, _idle, _waiting, irq, softirq, steal = map(int, fields)
    return (user + nice + system + irq + softirq + steal) / _TICKS


class Server:
    """Starts with the block and ends with it."""

    def __init__(self, home: Path, web_processes: int = 1) -> None:
        self.home, self.web_processes = home, web_processes
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self._log = home / "serve.log"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        env = {
            **os.environ,
            "RUNYARD_HOME": str(self.home),
            "RUNYARD_PORT": str(self.port),
            "WEB_CONCURRENCY": str(self.web_processes),
        }
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, str(ROOT / "manage.py"), "serve"], cwd=ROOT, env=env, stdout=log,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        deadline = time.monotonic() + READY_WITHIN_S
        while not self._is_ready():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.__exit__(None, None, None)
                raise RuntimeError(f"the installation does not start:\n{self.log()}")
            time.sleep(0.2)
        return self

    def _is_ready(self) -> bool:
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            link.request("GET", "/ready")
            return link.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            link.close()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(STOP_WITHIN_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def log(self) -> str:
        """Return what it printed, without the first operator's password."""
        text = self._log.read_text(errors="replace")
        return re.sub(r"(?i)(password\W+)\S+", r"\1…", text)[-20_000:]

    def usage(self) -> dict[str, Usage]:
        """Return what web, worker (with beat), Redis and a PostgreSQL of this machine have used so far."""
        assert self._process is not None
        stats = {entry.name: _stat(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()}
        found = dict.fromkeys(("web", "worker", "redis"), Usage()) | {"database": _of_postgresql(stats)}
        for pid, stat in stats.items():
            if stat and int(stat[1]) == self._process.pid:
                group = {member: other for member, other in stats.items() if other and other[2] == pid}
                cpu_s = sum(int(other[11]) + int(other[12]) for other in group.values()) / _TICKS
                rss_bytes = sum(int(other[21]) for other in group.values()) * _PAGE
                found[_program(group)] = Usage(cpu_s, rss_bytes, sum(map(_starved_s, group)))
        return found

    def disk_bytes(self) -> dict[str, int]:
        """Return the size of the SQLite database, its write-ahead log and the segments."""
        sizes = {"database": 0, "wal": 0, "segments": 0}
        for path in self.home.rglob("*"):
            kind = (
                "segments"
                if "segments" in path.parts
                else "wal"
                if path.name.endswith("-wal")
                else "database"
            )
            if kind == "segments" or path.name.startswith("runyard.sqlite3"):
                try:
                    sizes[kind] += path.stat().st_size if path.is_file() else 0
                except FileNotFoundError:
                    continue  # a temporary file, moved to its place just now
        return sizes


def _of_postgresql(stats: dict[str, list[str]]) -> Usage:
    """Return what all servers of PostgreSQL used, their ended processes included; its memory is mostly shared."""
    servers = {pid: stat for pid, stat in stats.items() if stat and _command(pid) == "postgres"}
    cpu = sum(int(stat[11]) + int(stat[12]) for stat in servers.values())
    ended = sum(int(stat[13]) + int(stat[14]) for stat in servers.values() if stat[1] not in servers)
    return Usage((cpu + ended) / _TICKS)


def _command(pid: str) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:  # it has just ended
        return ""


def _program(group: Iterable[str]) -> str:
    """Return what processes of a group are: the first of several of web has a name of its own."""
    commands = [_command(pid) for pid in group]
    return next(
        (name for word, name in PROGRAMS.items() if any(word in command for command in commands)), "other"
    )
