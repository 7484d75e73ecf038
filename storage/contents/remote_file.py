"""An object of a bucket as a file that can be read and sought in, in constant memory."""

import io
from collections.abc import Iterator
from typing import Any

from storage.backends.base import Backend, ObjectMissing

_BUFFER = 1024 * 1024


class _RemoteFile(io.RawIOBase):
    """Reads on in one answer of the bucket until somebody seeks."""

    def __init__(self, backend: Backend, key: str, size_bytes: int) -> None:
        self._backend, self._key, self._size = backend, key, size_bytes
        self._position = 0
        self._pieces: Iterator[bytes] | None = None
        self._left = b""
        self._begin()

    def _begin(self) -> Iterator[bytes]:
        """Ask for what lies from the position on.

        Raises:
            FileNotFoundError: there is no such object.
        """
        try:
            self._pieces = self._backend.read(self._key, self._position)
        except ObjectMissing:
            raise FileNotFoundError(self._key) from None
        self._left = b""
        return self._pieces

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        if start + offset < 0:
            raise ValueError("a position is never below 0")
        if start + offset != self._position:
            self._position, self._left = start + offset, b""
            self._let_go()
        return self._position

    def tell(self) -> int:
        return self._position

    def readinto(self, buffer: Any) -> int:
        if self._position >= self._size:
            return 0
        pieces = self._pieces if self._pieces is not None else self._begin()
        if not self._left:
            self._left = next(pieces, b"")
        taken = self._left[: len(buffer)]
        buffer[: len(taken)] = taken
        self._left = self._left[len(taken) :]
        self._position += len(taken)
        return len(taken)

    def _let_go(self) -> None:
        """End the bucket's answer, of which nothing more is wanted."""
        close = getattr(self._pieces, "close", None)
        self._pieces = None
        if close is not None:
            close()

    def close(self) -> None:
        if not self.closed:
            self._let_go()
        super().close()


def open_remote(backend: Backend, key: str, size_bytes: int) -> io.BufferedReader:
    """Open an object.

    Raises:
        FileNotFoundError: there is none.
        StorageUnavailable: the bucket does not answer.
    """
    return io.BufferedReader(_RemoteFile(backend, key, size_bytes), _BUFFER)
