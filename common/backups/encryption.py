"""Encryption of archives by age (https://age-encryption.org/v1): whoever backs up needs only a public key."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from common.backups import CHUNK
from common.errors import Conflict, Invalid

HEADER = b"age-encryption.org/v1"
"""How an encrypted archive begins."""


def create_identity(path: Path) -> str:
    """Write a new private key to a new file that only its owner may read; returns its public key.

    Raises:
        Conflict: the file is there.
        OSError: it cannot be written.
    """
    import pyrage

    identity = pyrage.x25519.Identity.generate()
    public = str(identity.to_public())
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise Conflict(f"{path} exists; a new key never replaces a file.") from None
    with os.fdopen(handle, "w") as file:
        file.write(f"# public key: {public}\n{identity}\n")
    return public


def read_recipients(given: Sequence[str]) -> list[Any]:
    """Return the public keys that may open an archive.

    Args:
        given: Each a public key of age (`age1…`) or of SSH (`ssh-ed25519 …`, `ssh-rsa …`), or a file with one a line.

    Raises:
        Invalid: one is neither.
    """
    import pyrage

    keys = []
    for line in [line for word in given for line in _public_keys_of(word)]:
        kind = pyrage.ssh.Recipient if line.startswith("ssh-") else pyrage.x25519.Recipient
        try:
            keys.append(kind.from_str(line))
        except pyrage.RecipientError as error:
            raise Invalid(
                f"{line!r} is neither a public key of age or SSH nor a file of them: {error}."
            ) from None
    return keys


def _public_keys_of(word: str) -> list[str]:
    path = Path(word).expanduser()
    return _lines_of(path, path.read_bytes()) if path.is_file() else [word]


def _lines_of(path: Path, content: bytes) -> list[str]:
    """Return the lines of a file of keys that are no comments."""
    lines = [line.strip() for line in content.decode(errors="replace").splitlines()]
    keys = [line for line in lines if line and not line.startswith("#")]
    if not keys:
        raise Invalid(f"{path} holds no key.")
    return keys


def read_identities(paths: Sequence[Path]) -> list[Any]:
    """Return the private keys of files: of age, one a line, or of SSH without a passphrase.

    Raises:
        Invalid: a file holds none.
        OSError: it cannot be read.
    """
    import pyrage

    keys: list[Any] = []
    for path in paths:
        content = path.expanduser().read_bytes()
        try:
            if content.startswith(b"-----BEGIN"):
                keys.append(pyrage.ssh.Identity.from_buffer(content))
            else:
                keys += [pyrage.x25519.Identity.from_str(line) for line in _lines_of(path, content)]
        except pyrage.IdentityError as error:
            raise Invalid(f"{path} is not a private key of age or SSH: {error}.") from None
    return keys


@contextmanager
def encrypting(out: IO[bytes], recipients: Sequence[Any]) -> Iterator[IO[bytes]]:
    """Give a file whose content arrives in another one encrypted.

    Raises:
        OSError: the other one cannot be written.
    """
    read_end, write_end = os.pipe()
    with ThreadPoolExecutor(1, thread_name_prefix="age") as thread:
        done = thread.submit(_encrypt, read_end, out, recipients)
        try:
            with os.fdopen(write_end, "wb") as file:
                yield file
        except BrokenPipeError:
            done.result()  # says why
            raise
        done.result()


def _encrypt(source: int, out: IO[bytes], recipients: Sequence[Any]) -> None:
    import pyrage

    with os.fdopen(source, "rb") as file:
        try:
            pyrage.encrypt_io(file, out, recipients)
        except pyrage.EncryptError as error:
            raise OSError(str(error)) from error


@contextmanager
def decrypting(file: IO[bytes], identities: Sequence[Any]) -> Iterator[IO[bytes]]:
    """Give the content of an encrypted file; when the context ends without an error, all of it was authentic.

    Raises:
        Invalid: no key fits, or it is damaged or cut off.
    """
    read_end, write_end = os.pipe()
    with ThreadPoolExecutor(1, thread_name_prefix="age") as thread:
        done = thread.submit(_decrypt, file, write_end, identities)
        with os.fdopen(read_end, "rb") as content:
            try:
                yield content
            except Exception:
                if not content.read(1):  # it ended by itself, perhaps too early: then that is the reason
                    _raise_reason(done)
                raise
            while content.read(CHUNK):  # the end is what proves that nothing is missing
                pass
        _raise_reason(done)


def _decrypt(file: IO[bytes], target: int, identities: Sequence[Any]) -> None:
    import pyrage

    with os.fdopen(target, "wb") as out:
        pyrage.decrypt_io(file, out, identities)


def _raise_reason(done: "Future[None]") -> None:
    import pyrage

    error = done.exception()
    if isinstance(error, pyrage.DecryptError):
        raise Invalid(f"The key does not open the backup: {error}.") from error
    if error is not None:
        raise Invalid(f"The backup is damaged or cut off: {error}.") from error
