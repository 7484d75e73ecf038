"""Blob content in the data folder."""

import base64
import contextlib
import hashlib
import os
import secrets
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Self

from django.conf import settings

from common.backups.deletion_lock import erasing

_SYNCS_AT_ONCE = 16
_WORTH_A_THREAD = 64 * 1024
"""Bytes whose MD5, the slower digest, is taken beside the rest: an upload then takes a quarter less."""
_md5_threads = ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="md5")


@dataclass(frozen=True, slots=True)
class ReceivedFile:
    """Content that arrived whole: still in its temporary file."""

    path: Path
    digest: str
    md5: str
    size_bytes: int


def _temporary_folder() -> Path:
    folder = Path(settings.BLOB_ROOT) / "incoming"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


class Incoming:
    """A temporary file that hashes what is written to it. Use as a context: what is not kept is removed."""

    def __init__(self) -> None:
        self.path = _temporary_folder() / secrets.token_hex(16)
        self._file: BinaryIO = self.path.open("xb")
        self._sha256 = hashlib.sha256()
        self._md5 = hashlib.md5(usedforsecurity=False)
        self._hashing: Future[None] | None = None
        self.size_bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self.path.unlink(missing_ok=True)

    def write(self, data: bytes | bytearray) -> None:
        """Append and hash; the bytes must not be changed afterwards."""
        self._wait_for_md5()
        if len(data) >= _WORTH_A_THREAD:
            self._hashing = _md5_threads.submit(self._md5.update, data)
        else:
            self._md5.update(data)
        self._file.write(data)
        self._sha256.update(data)
        self.size_bytes += len(data)

    def _wait_for_md5(self) -> None:
        if self._hashing is not None:
            self._hashing.result()
            self._hashing = None

    def finish(self, last: bytes | bytearray = b"") -> ReceivedFile:
        """Append the last bytes, flush to the disk and return what arrived."""
        self.write(last)
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        self._wait_for_md5()
        md5 = base64.b64encode(self._md5.digest()).decode()
        return ReceivedFile(self.path, self._sha256.hexdigest(), md5, self.size_bytes)


def store(received: ReceivedFile) -> str:
    """Move arrived content to its lasting place; durable when this returns. Returns the location."""
    target = move(received)
    sync_folder(target.parent)
    return location_of(target)


def move(received: ReceivedFile) -> Path:
    """Move arrived content to its lasting place, which is durable once the folder is synced."""
    target = path_of(new_location(received.digest))
    target.parent.mkdir(parents=True, exist_ok=True)
    received.path.rename(target)
    return target


def new_location(digest: str) -> str:
    """Return a location for content of this digest, which was never used and never will be again."""
    return f"{digest[:2]}/{digest[2:4]}/{digest}-{secrets.token_hex(4)}"


def location_of(path: Path) -> str:
    """Return the location of content that lies at a path: `path_of` the other way round."""
    return path.relative_to(settings.BLOB_ROOT).as_posix()


def sync_folder(path: Path) -> None:
    """Make what was moved into a folder durable: the file's own flush does not cover its name."""
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def sync_folders(paths: Iterable[Path]) -> None:
    """Make what was moved into many folders durable; at once, since the disk then writes its journal once for some."""
    with ThreadPoolExecutor(_SYNCS_AT_ONCE) as pool:
        list(pool.map(sync_folder, set(paths)))


def path_of(location: str) -> Path:
    """Return where a location's content lies."""
    return Path(settings.BLOB_ROOT) / location


def delete(location: str) -> None:
    """Remove content; a missing file is as good as a removed one, and during a backup one that a sweep finds."""
    with erasing() as allowed:
        if allowed:
            path_of(location).unlink(missing_ok=True)


def abandoned_uploads(older_than: float) -> list[Path]:
    """Return temporary files last written before ``older_than`` (unix seconds): their server died."""
    return [path for path in _temporary_folder().iterdir() if path.stat().st_mtime < older_than]


def locations(older_than: float) -> Iterator[str]:
    """Yield where kept content lies that was written before ``older_than`` (unix seconds)."""
    root = Path(settings.BLOB_ROOT)
    for path in root.glob("[0-9a-f][0-9a-f]/*/*"):
        with contextlib.suppress(FileNotFoundError):  # swept meanwhile
            if path.stat().st_mtime < older_than:
                yield location_of(path)
