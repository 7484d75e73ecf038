"""The bytes of an archive on their way into a file and out of it: compressed, and encrypted if wanted."""

import hashlib
import os
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import zstandard

from common.backups import CHUNK
from common.backups.encryption import HEADER, decrypting, encrypting
from common.errors import Invalid

UNREADABLE = (tarfile.TarError, zstandard.ZstdError, EOFError, ValueError)
"""What reading raises where an archive is not what was written."""


class DigestedFile:
    """A file that is written from its begin to its end, and its SHA-256."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._digest = hashlib.sha256()

    def write(self, content: bytes) -> int:
        """Write and hash."""
        self._digest.update(content)
        return self._file.write(content)

    def flush(self) -> None:
        """Hand it to the system."""
        self._file.flush()

    def hexdigest(self) -> str:
        """Return the digest of what was written until now."""
        return self._digest.hexdigest()


@contextmanager
def written_archive(path: Path, recipients: Sequence[Any]) -> Iterator[tuple[tarfile.TarFile, DigestedFile]]:
    """Give the tar of a new archive that only its owner may read; on the disk when the context ends.

    Args:
        path: A new file.
        recipients: Who may open it; nobody: it is not encrypted.
    """
    with path.open("xb") as file:
        path.chmod(0o600)  # the secret key is in it
        out = DigestedFile(file)
        with _encrypted(out, recipients) as plain:
            compressor = zstandard.ZstdCompressor(write_checksum=True)
            with (
                compressor.stream_writer(plain, closefd=False) as compressed,
                tarfile.open(fileobj=compressed, mode="w|", bufsize=CHUNK) as tar,
            ):
                yield tar, out
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _encrypted(out: Any, recipients: Sequence[Any]) -> Iterator[Any]:
    if not recipients:
        yield out
        return
    with encrypting(out, recipients) as plain:
        yield plain


def digest_on_disk(path: Path) -> str:
    """Return the SHA-256 of a file as the disk holds it, where the system can be told to forget its own copy."""
    with path.open("rb") as file:
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def read_archive(path: Path, identities: Sequence[Any]) -> Iterator[tarfile.TarFile]:
    """Give the tar of an archive, to be read from its begin to its end.

    Raises:
        Invalid: no backup, or cut off or damaged, or no key opens it.
    """
    try:
        with (
            path.open("rb") as file,
            _decrypted(path, file, identities) as plain,
            zstandard.ZstdDecompressor().stream_reader(plain, closefd=False) as content,
        ):
            with tarfile.open(fileobj=content, mode="r|", bufsize=CHUNK) as tar:
                yield tar
            while content.read(CHUNK):  # its checksum is at its end
                pass
    except UNREADABLE as error:
        raise Invalid(f"{path} is not a backup of Runyard, or is cut off or damaged: {error}.") from error


@contextmanager
def _decrypted(path: Path, file: IO[bytes], identities: Sequence[Any]) -> Iterator[IO[bytes]]:
    is_encrypted = file.read(len(HEADER)) == HEADER
    file.seek(0)
    if not is_encrypted:
        yield file
        return
    if not identities:
        raise Invalid(f"{path} is encrypted: name the file of a private key with --identity.")
    with decrypting(file, identities) as plain:
        yield plain
