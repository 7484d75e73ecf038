"""Management commands of an installation, without starting Django anew for each: it starts once and forks.

A person, a team, a look at what is stored: tests run some sixty commands a pass, and a start takes 2 to 5 s of CPU.
Each command still has a process of its own, in which it may change what it likes, be killed, or fail.
"""

import contextlib
import gc
import io
import itertools
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from pathlib import Path
from types import FrameType
from typing import IO, Self

from common.server.supervisor import spawn
from config.env import ROOT

LIMIT_S = 300
"""How long a command may take; it ends only what hangs."""
LINE, READY = "\n", b"ready\n"


class Command:
    """A management command that runs in a process group of its own."""

    def __init__(self, link: socket.socket) -> None:
        self._answers = link.makefile("r")
        self._link = link
        self.pid = int(self._answers.readline())

    def is_over(self) -> bool:
        """Whether it has ended, by itself or killed."""
        return bool(select.select([self._link], [], [], 0)[0])

    def wait(self) -> int:
        """Return the exit status once it has ended; that of SIGKILL when it was killed."""
        with contextlib.closing(self._link), self._answers:
            status = self._answers.readline()
        return int(status) if status else -signal.SIGKILL

    def kill(self) -> None:
        """Kill it without warning, with all that it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)


class Management:
    """The process of one installation that forks its management commands; it starts with the first one."""

    def __init__(self, env: dict[str, str]) -> None:
        self._env = env
        self._process: subprocess.Popen[bytes] | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="runyard-management-")
        self._address = str(Path(self._folder.name) / "socket")
        self._starting = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self, arguments: list[str], stdout: IO[str], stderr: IO[str]) -> Command:
        """Start a command that writes to the given files.

        Raises:
            AssertionError: Django cannot be set up with the installation's variables; the message says why.
        """
        self._start()
        link = socket.socket(socket.AF_UNIX)
        link.settimeout(LIMIT_S)
        link.connect(self._address)
        request = json.dumps(arguments) + LINE
        socket.send_fds(link, [request.encode()], [stdout.fileno(), stderr.fileno()])
        return Command(link)

    def run(self, arguments: list[str]) -> tuple[int, str, str]:
        """Run a command to its end; return its status and what it printed on stdout and stderr."""
        with tempfile.TemporaryFile("w+") as stdout, tempfile.TemporaryFile("w+") as stderr:
            status = self.start(arguments, stdout, stderr).wait()
            for file in (stdout, stderr):
                file.seek(0)
            return status, stdout.read(), stderr.read()

    def _start(self) -> None:
        with self._starting:
            if self._process is not None and self._process.poll() is None:
                return  # it also ends with the thread that started it (`common.server.supervisor.spawn`)
            Path(self._address).unlink(missing_ok=True)
            command = [sys.executable, "-m", "tests.management", self._address]
            self._process = spawn(command, env=self._env | {"PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE)
            with self._process.stdout or io.BytesIO() as printed:
                lines = list(itertools.takewhile(lambda line: line != READY, printed))
                assert self._process.poll() is None, b"".join(lines).decode()

    def stop(self) -> None:
        """End it; the commands that still run go on."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        self._folder.cleanup()


def serve(address: str) -> None:
    """Set Django up, then fork a process for each connection, which runs one command."""
    import django
    from django.core.management import BaseCommand

    django.setup()
    BaseCommand.requires_system_checks = []  # they import all views and forms, which few commands use
    assert threading.active_count() == 1, "a fork copies one thread only"
    gc.freeze()  # or the first collection of each child copies every page
    signal.signal(signal.SIGCHLD, _reap)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen()
        os.write(1, READY)
        while True:
            link, _ = listening.accept()
            if os.fork() == 0:
                listening.close()
                _execute(link)
            link.close()


def _reap(_number: int, _frame: FrameType | None) -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _execute(link: socket.socket) -> None:
    """Run the command that is asked for, and end this process."""
    from django.core.management import execute_from_command_line

    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    request, files, _, _ = socket.recv_fds(link, 1 << 20, 2)
    while not request.endswith(LINE.encode()):
        request += link.recv(1 << 20)
    link.sendall(f"{os.getpid()}{LINE}".encode())
    for number, file in enumerate(files, start=1):
        os.dup2(file, number)
        os.close(file)
    status = 0
    try:
        execute_from_command_line(["manage.py", *json.loads(request)])
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - as the interpreter does, which would also run the exits of the parent
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    with contextlib.suppress(BrokenPipeError):
        link.sendall(f"{status}{LINE}".encode())
    os._exit(status)


if __name__ == "__main__":
    serve(sys.argv[1])
