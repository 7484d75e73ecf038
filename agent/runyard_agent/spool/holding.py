"""Who holds a spool: one process at a time, by a lock that ends with it."""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path

_LOCK = "lock"


class SpoolError(Exception):
    """A folder is no spool, or can't be made or read; the message is for people."""


class Busy(SpoolError):
    """Another process holds the spool."""


def take(folder: Path) -> int:
    """Hold a folder until the descriptor that is returned is closed.

    Raises:
        Busy: another process holds it.
    """
    lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise Busy(f"{folder} is in use by another process{_holder(folder)}") from None
    if os.fstat(lock).st_nlink == 0:  # its holder sent everything just now
        os.close(lock)
        raise Busy(f"{folder} was sent and removed by another process")
    with contextlib.suppress(OSError):  # a full disk is no reason not to send
        os.ftruncate(lock, 0)
        os.pwrite(lock, str(os.getpid()).encode(), 0)
    return lock


def publish(folder: Path, name: str) -> Path:
    """Give a folder that is locked and whole the name by which others find it, or the next that is free."""
    number = 1
    while True:
        target = folder.with_name(name if number == 1 else f"{name}-{number}")
        try:
            return folder.rename(target)
        except OSError:
            if not target.exists():
                raise
        number += 1


def _holder(folder: Path) -> str:
    with contextlib.suppress(OSError):
        if pid := (folder / _LOCK).read_text():
            return f" (PID {pid})"
    return ""
