"""What an archive holds: counted while it is written, and again while it is read."""

import hashlib
import tarfile
from collections.abc import Iterator
from typing import IO, Any

from common.backups import CHUNK


class Counts:
    """The number of files, their bytes and one SHA-256 over their names, sizes and contents, of each part.

    One digest for a part, not one for each file: millions of files need no memory.
    """

    def __init__(self) -> None:
        self._parts: dict[str, list[int]] = {}
        self._digests: dict[str, Any] = {}

    def begin(self, name: str, size: int) -> "hashlib._Hash":
        """Count a file; what is returned takes its content."""
        part = name.partition("/")[0]
        counts = self._parts.setdefault(part, [0, 0])
        counts[0] += 1
        counts[1] += size
        digest: hashlib._Hash = self._digests.setdefault(part, hashlib.sha256())
        digest.update(f"{name} {size}\n".encode())
        return digest

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return ``{part: {"files", "bytes", "sha256"}}``."""
        return {
            part: {"files": files, "bytes": size, "sha256": self._digests[part].hexdigest()}
            for part, (files, size) in self._parts.items()
        }


class Hashed:
    """A file whose digest takes what is read from it."""

    def __init__(self, file: IO[bytes], digest: "hashlib._Hash") -> None:
        self._file, self._digest = file, digest

    def read(self, size: int = CHUNK) -> bytes:
        """Read and hash."""
        content = self._file.read(size)
        self._digest.update(content)
        return content

    def chunks(self) -> Iterator[bytes]:
        """Yield all of it."""
        while content := self.read(CHUNK):
            yield content


def release_members(tar: tarfile.TarFile) -> None:
    """Let an archive forget the files that have passed: it remembers each, and there may be millions."""
    tar.members = []  # type: ignore[attr-defined]  # the stubs lack it
