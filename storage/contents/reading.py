"""Reading stored content, wherever it lies."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from storage import filesystem
from storage.backends.base import ObjectMissing
from storage.buckets.services import backend_of
from storage.contents import cache
from storage.contents.remote_file import open_remote
from storage.models import Blob

_PIECE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class StoredContent:
    """The content of a blob. Methods raise FileNotFoundError if it is gone, StorageUnavailable if its bucket fails."""

    location: str
    size_bytes: int
    bucket_id: int | None = None
    digest: str = ""
    md5: str = ""

    def open(self, _mode: Literal["rb"] = "rb", /) -> BinaryIO:
        """Open it; what is read comes as it is read, whatever its size."""
        if self.bucket_id is None:
            return filesystem.path_of(self.location).open("rb")
        return open_remote(backend_of(self.bucket_id), self.location, self.size_bytes)

    def pieces(self, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        """Open it now, and yield a part of it, or all of it, in pieces."""
        if self.bucket_id is None:
            return _pieces_of(filesystem.path_of(self.location).open("rb"), start, length)
        try:
            pieces = backend_of(self.bucket_id).read(self.location, start, length)
        except ObjectMissing:
            raise FileNotFoundError(self.location) from None
        return _cut(pieces, self.size_bytes - start if length is None else length)

    def local_copy(self) -> Path:
        """Return a file with this content: the data folder's own, or a copy that stays for a minute at least.

        Raises:
            TooLarge: for the cache.
        """
        if self.bucket_id is None:
            return filesystem.path_of(self.location)
        return cache.local_copy(self.bucket_id, self.location, self.size_bytes, self.md5, self.pieces)

    def read_bytes(self) -> bytes:
        """Return all of it; the caller knows that it is small."""
        if self.bucket_id is None or self.size_bytes <= cache.SMALL:
            return self.local_copy().read_bytes()
        return b"".join(self.pieces())


def content_of(blob: Blob) -> StoredContent:
    """Return the content of a blob."""
    return StoredContent(blob.location, blob.size_bytes, blob.bucket_id, blob.digest, blob.md5)


def _cut(pieces: Iterator[bytes], length: int) -> Iterator[bytes]:
    """Yield no more than was stored: a team's bucket may send without end."""
    for piece in pieces:
        yield piece[:length]
        length -= len(piece)
        if length <= 0:
            break


def _pieces_of(file: BinaryIO, start: int, length: int | None) -> Iterator[bytes]:
    with file:
        file.seek(start)
        left = length
        while left != 0 and (piece := file.read(_PIECE if left is None else min(_PIECE, left))):
            yield piece
            left = None if left is None else left - len(piece)
