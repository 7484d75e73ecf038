"""A process that another one has forked and left to this one: what `subprocess.Popen` is to those that it starts."""

import os
import signal
import subprocess
import time
from typing import IO, TypeAlias

_LOOK_EVERY_S = 0.02


class AdoptedProcess:
    """A child by adoption; Linux gives orphans to the nearest ancestor that takes them in (prctl(2))."""

    def __init__(self, pid: int, stdout: IO[bytes]) -> None:
        self.pid = pid
        self.stdout: IO[bytes] | None = stdout
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit status once it has ended."""
        if self.returncode is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:
                self.returncode = 1
            else:
                self.returncode = os.waitstatus_to_exitcode(status) if pid else None
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end.

        Raises:
            subprocess.TimeoutExpired: it goes on.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while self.poll() is None:
            if deadline is not None and time.monotonic() > deadline:
                raise subprocess.TimeoutExpired([str(self.pid)], timeout or 0)
            time.sleep(_LOOK_EVERY_S)
        return self.poll() or 0

    def terminate(self) -> None:
        """Ask it to end."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGTERM)


Process: TypeAlias = subprocess.Popen[bytes] | AdoptedProcess
