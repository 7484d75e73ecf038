"""Copies of what lies in buckets, for readers that need a file; of at most so many bytes (RUNYARD_STORAGE_CACHE_MIB).

Several processes share the folder: a copy takes its name once it is whole, and whoever wants it meanwhile waits for it.
Locations are never used again, so a copy is never out of date.
"""

import base64
import fcntl
import hashlib
import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from django.conf import settings

from common.errors import TooLarge, Unavailable
from storage.backends.base import StorageUnavailable

SMALL = 1024 * 1024
"""Bytes of what is kept here as it is uploaded: it is read again soon."""
IN_USE_S = 60.0
"""How long a copy stays after it was asked for: whoever got its path may open it until then."""


def _folder() -> Path:
    folder = Path(settings.STORAGE_CACHE_FOLDER)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _path_of(bucket_id: int, location: str) -> Path:
    return _folder() / f"{bucket_id}-{location.replace('/', '-')}"


def local_copy(
    bucket_id: int, location: str, size_bytes: int, md5: str, pieces: Callable[[], Iterator[bytes]]
) -> Path:
    """Return the copy of a content, fetching it if there is none.

    Args:
        bucket_id: Where it lies.
        location: Its key there.
        size_bytes: Of all of it.
        md5: Base64.
        pieces: Fetches it.

    Raises:
        FileNotFoundError: the bucket has no such content.
        StorageUnavailable: the bucket does not answer, or gives other bytes than were stored.
        TooLarge: it would not fit at all.
        Unavailable: what is being read just now leaves no room.
    """
    path = _path_of(bucket_id, location)
    while not _touch(path):
        if size_bytes > settings.STORAGE_CACHE_BYTES:
            raise TooLarge(
                f"Of files in a bucket, those of at most {settings.STORAGE_CACHE_BYTES} bytes are opened here"
                " (setting RUNYARD_STORAGE_CACHE_MIB)."
            )
        part = path.with_name(f"{path.name}.part")
        with part.open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if path.exists() or not _is_still(file, part):  # somebody else has fetched it, or given up
                continue
            try:
                _evict(size_bytes)
                file.truncate(0)
                _fetch(file, pieces(), size_bytes, md5)
                part.rename(path)
            finally:
                part.unlink(missing_ok=True)
    return path


def keep(bucket_id: int, location: str, content: Path, size_bytes: int, most_bytes: int = SMALL) -> None:
    """Take over a small file that was just stored; larger ones are left where they are."""
    if size_bytes <= min(most_bytes, settings.STORAGE_CACHE_BYTES):
        with suppress(OSError, Unavailable):  # it is in the bucket; the copy only saves time
            _evict(size_bytes)
            content.rename(_path_of(bucket_id, location))


def kept(bucket_id: int, location: str) -> Path | None:
    """Return the copy of a content where there is one, which then stays for a while."""
    path = _path_of(bucket_id, location)
    return path if _touch(path) else None


def drop(bucket_id: int, location: str) -> None:
    """Remove the copy of what is deleted."""
    _path_of(bucket_id, location).unlink(missing_ok=True)


def _touch(path: Path) -> bool:
    """Say whether a copy is there, and keep it for longer."""
    try:
        os.utime(path)
    except FileNotFoundError:
        return False
    return True


def _is_still(file: BinaryIO, part: Path) -> bool:
    """Say whether a file that was waited for is still the one of this name."""
    try:
        return os.fstat(file.fileno()).st_ino == part.stat().st_ino
    except FileNotFoundError:
        return False


def _fetch(file: BinaryIO, pieces: Iterator[bytes], size_bytes: int, md5: str) -> None:
    digest = hashlib.md5(usedforsecurity=False)
    for piece in pieces:
        digest.update(piece)
        file.write(piece)
    file.flush()
    if file.tell() != size_bytes or base64.b64encode(digest.digest()).decode() != md5:
        raise StorageUnavailable("The bucket gives other bytes of a file than were stored in it.")


def _evict(size_bytes: int) -> None:
    """Remove what was used longest ago until this many bytes fit.

    Raises:
        Unavailable: they do not, with all that was used just now.
    """
    copies, now = [], time.time()
    for path in _folder().iterdir():
        with suppress(FileNotFoundError):
            stat = path.stat()
            copies.append((stat.st_mtime, stat.st_size, path))
    total = sum(size for _used, size, _path in copies) + size_bytes
    for used, size, path in sorted(copies):
        if total <= settings.STORAGE_CACHE_BYTES:
            return
        if used < now - IN_USE_S:
            path.unlink(missing_ok=True)
            total -= size
    if total > settings.STORAGE_CACHE_BYTES:
        raise Unavailable("Too many large files are being opened at this moment; try again in a minute.")
