"""Starting and stopping what is measured."""

import contextlib
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from bench.peers.link import Ask, Link
from bench.peers.meter import still_there, tree
from bench.peers.system import Server, System
from config.env import ROOT
from tests import environments, sdks
from tests.ports import free_port

HERE = Path(__file__).parent
SDK = "0.31.0"
READY_WITHIN_S = 120
STOP_WITHIN_S = 10

__all__ = ["ROOT", "SDK", "Servers", "free_port", "python_of", "versions"]


def python_of(name: str) -> Path:
    """Return the Python that has a system's client.

    Raises:
        RuntimeError: it cannot be installed.
    """
    if name in {"runyard", "offline"}:
        return sdks.python_of(SDK)
    return environments.python_of("peers", name, HERE / f"requirements-{name}.txt")


def versions(system: System) -> dict[str, str]:
    """Return the releases of a system's packages, as they are installed."""
    code = "import importlib.metadata as m, json, sys; print(json.dumps({n: m.version(n) for n in sys.argv[1:]}))"
    argv = [str(system.python()), "-c", code, *system.packages]
    found: dict[str, str] = json.loads(subprocess.run(argv, capture_output=True, check=True).stdout)
    return found


class Servers:
    """The processes of one system, while it is entered."""

    def __init__(self, system: System, log: Path) -> None:
        self._system = system
        self._log = log
        self._running: list[tuple[Server, subprocess.Popen[bytes]]] = []
        self.start_s = 0.0

    @property
    def pids(self) -> list[int]:
        """The processes that were started here."""
        return [process.pid for _, process in self._running]

    def __enter__(self) -> Self:
        self._system.data.mkdir(parents=True, exist_ok=True)
        try:
            for server in self._system.servers():
                begin = time.monotonic()
                self._start(server)
                self.start_s += time.monotonic() - begin
            self._system.begin()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def _start(self, server: Server) -> None:
        with self._log.open("ab") as log:
            process = subprocess.Popen(
                server.argv,
                env=sdks.script_env(server.env, self._system.folder),
                cwd=server.cwd or self._system.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                user=server.user,
            )
        self._running.append((server, process))
        deadline = time.monotonic() + READY_WITHIN_S
        while not _up(server):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(
                    f"{server.name} did not start:\n{self._log.read_text(errors='replace')[-1500:]}"
                )
            time.sleep(0.02)

    def _stop(self) -> None:
        for server, process in reversed(self._running):
            family = tree([process.pid])
            process.send_signal(signal.SIGINT if server.user else signal.SIGTERM)  # PostgreSQL's fast way
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(STOP_WITHIN_S)
            for member in filter(still_there, family):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(member.pid, signal.SIGKILL)
            process.wait()
        self._running.clear()


def _up(server: Server) -> bool:
    try:
        if not server.path:
            socket.create_connection(("127.0.0.1", server.port), 1).close()
            return True
        return bool(Link(f"http://127.0.0.1:{server.port}").send(Ask(server.path)))
    except (OSError, http.client.HTTPException):
        return False


def postgres(folder: Path, port: int) -> Server:
    """Make a PostgreSQL of its own, with its default settings.

    Raises:
        RuntimeError: there is none on this machine.
    """
    config = shutil.which("pg_config")
    if not config:
        raise RuntimeError("PostgreSQL is not installed here (pg_config is not on PATH)")
    programs = Path(
        subprocess.run([config, "--bindir"], capture_output=True, text=True, check=True).stdout.strip()
    )
    user = "postgres" if os.geteuid() == 0 else None  # it refuses to run as root
    cluster = folder / "postgres"
    if not cluster.exists():
        cluster.mkdir()
        folder.parent.chmod(0o755)
        if user:
            shutil.chown(cluster, user)
        command = [str(programs / "initdb"), "-A", "trust", "-U", "postgres", "-D", str(cluster)]
        subprocess.run(command, user=user, check=True, capture_output=True, cwd="/")
    argv = [str(programs / "postgres"), "-D", str(cluster), "-p", str(port), "-k", "", "-h", "127.0.0.1"]
    return Server("postgres", argv, port, user=user)
