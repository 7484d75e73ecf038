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

from common.budgets.budget import current
from common.budgets.gate import Gate
from common.errors import TooLarge, TooManyRequests, Unavailable
from storage.backends.base import StorageUnavailable
from storage.buckets.services import is_of_team

SMALL = 1024 * 1024
"""Bytes of what is kept here as it is uploaded: it is read again soon."""
_fetches = Gate(at_once=16, each=6, waiting=2, wait_s=10)
"""Threads of a process that fetch copies, or wait for those that do so, for one bucket."""
_LOOK_S = 0.05
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
        pieces: Fetches it, and no more than so many bytes.

    Raises:
        FileNotFoundError: the bucket has no such content.
        StorageUnavailable: the bucket does not answer, or gives other bytes than were stored.
        TooLarge: it would not fit at all.
        Unavailable: what is being read just now leaves no room.
    """
    path = _path_of(bucket_id, location)
    if _touch(path):
        return path
    if size_bytes > (most := share_of(bucket_id)):
        raise TooLarge(
            f"Of files in this bucket, those of at most {most} bytes are opened here"
            " (setting RUNYARD_STORAGE_CACHE_MIB)."
        )
    try:
        with _fetches.passing(str(bucket_id)):
            _get(path, bucket_id, size_bytes, md5, pieces)
    except TooManyRequests as error:
        raise StorageUnavailable("Too many requests wait for this bucket; try again in a minute.") from error
    return path


def _get(
    path: Path, bucket_id: int, size_bytes: int, md5: str, pieces: Callable[[], Iterator[bytes]]
) -> None:
    """Fetch a copy, unless another process or thread does so: then wait for that."""
    while not _touch(path):
        part = path.with_name(f"{path.name}.part")
        with part.open("ab") as file:
            _lock(file)
            if path.exists() or not _is_still(file, part):  # another has fetched it, or given up
                continue
            try:
                _evict(bucket_id, size_bytes)
                with part.open("r+b") as target:
                    target.truncate(0)
                    target.truncate(size_bytes)  # counts as that large from now on, in every process
                    _fetch(target, pieces(), size_bytes, md5)
                part.rename(path)
            finally:
                part.unlink(missing_ok=True)


def _lock(file: BinaryIO) -> None:
    """Wait until no other fetches this copy, as long as anyone waits for it here."""
    budget = current()
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            budget.look_for_client()
            time.sleep(_LOOK_S)
        else:
            return


def keep(bucket_id: int, location: str, content: Path, size_bytes: int, most_bytes: int = SMALL) -> None:
    """Take over a small file that was just stored; larger ones are left where they are."""
    if size_bytes <= min(most_bytes, share_of(bucket_id)):
        with suppress(OSError, Unavailable):  # it is in the bucket; the copy only saves time
            _evict(bucket_id, size_bytes)
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


def _evict(bucket_id: int, size_bytes: int) -> None:
    """Remove what was used longest ago until this many bytes fit, of a team's bucket into its share of the cache.

    Raises:
        Unavailable: they do not, with all that was used just now.
    """
    copies, now = [], time.time()
    for path in _folder().iterdir():
        with suppress(FileNotFoundError):
            stat = path.stat()
            copies.append((stat.st_mtime, stat.st_size, path))
    own = [one for one in copies if one[2].name.startswith(f"{bucket_id}-")]
    for some, most in ((own, share_of(bucket_id)), (copies, settings.STORAGE_CACHE_BYTES)):
        _remove_until(some, size_bytes, most, now)


def share_of(bucket_id: int) -> int:
    """Return how many bytes of the cache a bucket may use: half of it for a team's, so that it locks no others out."""
    most = int(settings.STORAGE_CACHE_BYTES)
    return most // 2 if is_of_team(bucket_id) else most


def _remove_until(copies: list[tuple[float, int, Path]], size_bytes: int, most: int, now: float) -> None:
    there = [one for one in copies if one[2].exists()]
    total = sum(size for _used, size, _path in there) + size_bytes
    for used, size, path in sorted(there):
        if total <= most:
            return
        if used < now - IN_USE_S:
            path.unlink(missing_ok=True)
            total -= size
    if total > most:
        raise Unavailable("Too many large files are being opened at this moment; try again in a minute.")
