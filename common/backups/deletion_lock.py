"""Who removes kept files asks here first: while a backup is read, none may go that the copied database still names.

The lock is a file's, so it ends with whoever holds it, however that ends. What is not removed now is found by the next
sweep: files that no row names are its business anyway.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings


def _lock() -> Path:
    return Path(settings.DATA_FOLDER) / "backup.lock"


@contextmanager
def block_deletion() -> Iterator[None]:
    """Keep every file of the data folder for the length of the context, once nobody is removing one."""
    _lock().parent.mkdir(parents=True, exist_ok=True)
    with _lock().open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def erasing() -> Iterator[bool]:
    """Tell whether files may be removed now; their rows are gone already.

    Without a lock file no backup was ever written: one that begins now copies a database without these rows.
    """
    try:
        file = _lock().open("rb")
    except FileNotFoundError:
        yield True
        return
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
