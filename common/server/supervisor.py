"""The processes of an installation and the supervisor that keeps them together.

`manage.py serve`, the end-to-end tests and docs/operate/run.md all use these command lines.
"""

import contextlib
import ctypes
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, TextIO

from common.server.adopted_process import AdoptedProcess, Process

GRACE_S = 15
"""How long web and worker may take to end; uvicorn itself gives open requests 10 s."""
GRACE_LAST_S = 3
POLL_S = 0.1
DEATHS_MOST = 5
DEATHS_WITHIN_S = 600
"""A process that has died so often within this time is not started again."""
CODE = Path(__file__).resolve().parents[2]
"""Where manage.py and the apps lie."""
WORKER_THREADS = 4
OPEN_FILES = 65_536
"""What the soft limit is raised to: each connection is one, and most systems begin with 1,024."""
OPEN_FILES_LEAST = 4096
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
"""From linux/prctl.h: the signal a process gets when its parent dies; whether it takes orphans in."""
WORKER_OUTPUT = "RUNYARD_WORKER_OUTPUT"
"""Where the first start finds the file descriptor for what its worker prints."""

MEMORY = {
    "MALLOC_ARENA_MAX": "2",
    "MALLOC_MMAP_THRESHOLD_": str(256 << 10),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 20),
}
"""For the C library: few threads allocate at a time, and what a large post took is given back (decisions/web.md)."""

_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


def process_env(env: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a process of ours, which finds the apps from whatever folder it is started."""
    path = [str(CODE), *filter(None, [env.get("PYTHONPATH")])]
    # Modules of the folder that it is started in must not come first, another version's least of all (-P, 3.11).
    # Celery would have Django check the routes, which the worker does not have.
    ours = {"PYTHONUNBUFFERED": "1", "PYTHONSAFEPATH": "1", "CELERY_SKIP_CHECKS": "1"}
    return {**MEMORY, **env, **ours, "PYTHONPATH": os.pathsep.join(path)}


def web_command(host: str, port: int) -> list[str]:
    """Return the web server's command line; the number of its processes is uvicorn's own WEB_CONCURRENCY."""
    return [
        *(sys.executable, "-m", "uvicorn", "config.asgi:application", "--host", host, "--port", str(port)),
        *("--lifespan", "on", "--loop", "uvloop"),
        *("--http", "common.server.http_protocol:LimitedProtocol", "--ws", "websockets-sansio"),
        *("--no-access-log", "--no-server-header", "--log-level", "warning"),
        *("--timeout-graceful-shutdown", "10", "--timeout-keep-alive", "75", "--backlog", "2048"),
    ]


def worker_command(threads: int = WORKER_THREADS) -> list[str]:
    """Return the worker's command line; one process with threads, which also keeps the schedule if no other does."""
    return [
        *(sys.executable, "-m", "celery", "--quiet", "--app", "config.celery", "worker", "--beat"),
        *("--pool", "threads", "--concurrency", str(threads), "--loglevel", "warning"),
        *("--without-gossip", "--without-mingle"),
    ]


def raise_open_files() -> str:
    """Let this process, and those it starts, open as many files as the hard limit allows.

    Returns:
        What to tell the operator; empty where it is enough.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, OPEN_FILES)
    if soft != resource.RLIM_INFINITY and soft < limit:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
        soft = limit
    if soft == resource.RLIM_INFINITY or soft >= OPEN_FILES_LEAST:
        return ""
    return (
        f"Only {soft} files may be open at once, so about {soft} connections; raise the hard limit"
        " (ulimit -Hn, LimitNOFILE= in a systemd unit)."
    )


@dataclass(slots=True)
class Child:
    """One supervised process."""

    name: str
    argv: Sequence[str]
    is_named: bool = True
    """Whether its name stands before each line that it prints."""
    last: bool = False
    """Whether it is stopped only after all others: they need it while they drain."""
    process: Process | None = field(default=None, repr=False)
    deaths: list[float] = field(default_factory=list)
    """When it died, of the last DEATHS_WITHIN_S."""
    again_at: float | None = None
    """When it is started again."""

    def started(self) -> Process:
        """Return its process, which was started."""
        assert self.process is not None, f"{self.name} was never started"  # noqa: S101 - for mypy
        return self.process

    def ended(self) -> bool:
        """Whether it was started and is over."""
        return self.process is not None and self.process.poll() is not None


def spawn(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    stdout: int | IO[bytes],
    pass_fds: Sequence[int] = (),
) -> "subprocess.Popen[bytes]":
    """Start a process in a group of its own that gets SIGTERM when this one dies, even by SIGKILL (Linux only)."""
    parent = os.getpid()

    return subprocess.Popen(
        argv,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.STDOUT,
        pass_fds=pass_fds,
        preexec_fn=lambda: begin_group(parent),  # noqa: PLW1509 - it calls functions of libc and takes no lock
    )


def begin_group(parent: int) -> None:
    """Begin a session and group, out of reach of the terminal's Ctrl-C, and end with the parent (Linux only)."""
    os.setsid()
    if _libc is None:
        return
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        os._exit(1)


class Supervisor:
    """Starts children, prefixes what they print, starts those again that die, and ends them all when a signal comes."""

    def __init__(self, *, env: Mapping[str, str], out: TextIO) -> None:
        self._env = process_env(env)
        self._out = out
        self._print_lock = threading.Lock()
        self._children: list[Child] = []
        self._readers: list[threading.Thread] = []
        self._signals = 0

    def say(self, text: str, name: str = "serve") -> None:
        """Print one line under a process' name."""
        self.print(f"{name:<6} | {text}")

    def print(self, text: str) -> None:
        """Print lines as they are."""
        with self._print_lock:
            try:
                self._out.write(f"{text}\n")
                self._out.flush()
            except (BrokenPipeError, ValueError):
                pass  # nobody reads any more: no reason to stop the installation

    def start(self, name: str, argv: Sequence[str], *, last: bool = False) -> Child:
        """Start a child; being in another process group, it does not see the Ctrl-C of the terminal."""
        child = Child(name, argv, last=last)
        self._children.append(child)
        self._start(child)
        return child

    def run(self, argv: Sequence[str]) -> int:
        """Run a command to its end; return its status."""
        return subprocess.call(argv, env=self._env, stdin=subprocess.DEVNULL)

    def start_together(
        self, web: Sequence[str], worker: Sequence[str], *, first: Sequence[str]
    ) -> tuple[Child, Child]:
        """Start web and worker by one command line, whose process is web and leaves a worker to this one.

        Args:
            web: By which web is started again.
            worker: By which the worker is.
            first: The command line of both. Linux only: elsewhere nobody can take in a worker.
        """
        children = Child("web", web, is_named=False), Child("worker", worker)
        self._children += children
        assert _libc is not None, "Linux only"  # noqa: S101 - for mypy
        _libc.prctl(PR_SET_CHILD_SUBREAPER, 1)
        output, given = os.pipe()
        env = {**self._env, WORKER_OUTPUT: str(given)}
        children[0].process = spawn(first, env=env, stdout=subprocess.PIPE, pass_fds=(given,))
        os.close(given)
        self._read(self._relay, children[0], children[0].process)
        self._read(self._adopt, children[1], os.fdopen(output, "rb"))
        return children

    def _adopt(self, child: Child, output: IO[bytes]) -> None:
        """Take a process in that says its id first."""
        told = output.readline().strip()
        if _libc is not None:
            _libc.prctl(PR_SET_CHILD_SUBREAPER, 0)  # nobody would wait for other orphans
        if told:
            child.process = AdoptedProcess(int(told), output)
            self._relay(child, child.process)
        else:  # it was never there: `wait` starts it
            child.again_at = time.monotonic()

    def _start(self, child: Child) -> None:
        child.process = spawn(child.argv, env=self._env, stdout=subprocess.PIPE)
        self._read(self._relay, child, child.process)

    def _read(self, read: Callable[..., None], *given: Any) -> None:
        reader = threading.Thread(target=read, args=given, daemon=True)
        reader.start()
        self._readers = [*(other for other in self._readers if other.is_alive()), reader]

    def _relay(self, child: Child, process: Process) -> None:
        if process.stdout is None:
            return
        with process.stdout as lines:
            for line in lines:
                text = line.decode(errors="replace").rstrip()
                self.say(text, child.name) if child.is_named else self.print(text)

    def listen(self) -> None:
        """Take SIGINT and SIGTERM as the wish to stop; the second one kills."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, frame: object) -> None:
        self._signals += 1

    @property
    def stopping(self) -> bool:
        """Whether a signal asked to stop."""
        return self._signals > 0

    def wait(self) -> int:
        """Wait for a signal (returns 0); start again what dies, and return 1 if that is no use."""
        while not self.stopping:
            if not all(self._revive(child) for child in self._children if child.ended() or child.again_at):
                return 1
            time.sleep(POLL_S)
        self.say("Stopping: open requests get 10 s to finish. Press Ctrl-C again to stop immediately.")
        return 0

    def _revive(self, child: Child) -> bool:
        """Start a child that ended again, each time after a longer pause; False once it has died too often."""
        now = time.monotonic()
        if child.again_at is not None:
            if now >= child.again_at:
                child.again_at = None
                self._start(child)
            return True
        if child.process is not None:
            kill_group(child.process)  # what it started itself must not serve beside the next one
        child.deaths = [at for at in child.deaths if now - at < DEATHS_WITHIN_S] + [now]
        ended = f"{child.name} {how_it_ended(child.process)}"
        if len(child.deaths) >= DEATHS_MOST:
            self.say(
                f"{ended}, {DEATHS_MOST} times within {DEATHS_WITHIN_S // 60} minutes; stopping everything."
            )
            return False
        pause_s = 2 ** (len(child.deaths) - 1)
        child.again_at = now + pause_s
        self.say(f"{ended}; starting it again in {pause_s} s.")
        return True

    def stop(self) -> None:
        """End all children: those that are needed by others after the others."""
        self._end([child for child in self._children if not child.last], GRACE_S)
        self._end([child for child in self._children if child.last], GRACE_LAST_S)
        for reader in self._readers:
            reader.join(timeout=1)

    def _end(self, children: Sequence[Child], grace_s: float) -> None:
        for child in children:
            if child.process is not None and not child.ended():
                child.process.terminate()
        deadline = time.monotonic() + grace_s
        while not all(child.ended() for child in children):
            if time.monotonic() > deadline or self._signals > 1:
                self.say(f"killing {', '.join(child.name for child in children if not child.ended())}")
                break
            time.sleep(POLL_S / 2)
        for child in children:
            if child.process is not None:
                kill_group(child.process)
                child.process.wait()


def kill_group(process: Process) -> None:
    """Kill a child and whatever it started itself (beat, further web processes); none may be left."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def how_it_ended(process: Process | None) -> str:
    """Say in words how a process ended."""
    if process is None or process.returncode is None:
        return "was never started"
    if process.returncode < 0:
        return f"was killed by {signal.Signals(-process.returncode).name}"
    return f"ended with status {process.returncode}"
