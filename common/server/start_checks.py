"""What must be so before an installation starts: one server on a data folder, and a free port."""

import errno
import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


class StartError(Exception):
    """The installation cannot start; the message says why and what to do."""


def make_private(folder: Path) -> None:
    """Make a folder where it is missing, and close it to all other users of the machine if it is ours."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    stat = folder.stat()
    if stat.st_uid == os.getuid() and stat.st_mode & 0o077:
        with suppress(OSError):  # a file system without modes, or one that lets none be changed
            folder.chmod(0o700)


@contextmanager
def only_one(home: Path) -> Iterator[None]:
    """Hold the data folder; a second server on it would corrupt nothing but confuse everything.

    Raises:
        StartError: another one holds it.
    """
    make_private(home)
    with (home / "serve.lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise StartError(
                f"Another Runyard (process {lock.read().strip() or 'unknown'}) already serves the data folder"
                f" {home}. Stop it, or give this one its own folder by RUNYARD_HOME."
            ) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


def require_free_port(host: str, port: int) -> None:
    """Let pass when the address can be bound.

    Raises:
        StartError: it is taken, not ours to take, or no address of this machine.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise StartError(
                f"Port {port} on {host} is taken by another program. Stop it, or choose another by RUNYARD_PORT."
            ) from None
        raise StartError(f"Cannot listen on {host} port {port}: {error.strerror or error}.") from None
