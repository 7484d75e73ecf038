"""What every place of bytes can do, whoever provides it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol

from common.errors import Unavailable


class StorageUnavailable(Unavailable):
    """A bucket that does not answer, answers wrongly, or refuses: the message says which right or part is missing."""


class ObjectMissing(StorageUnavailable):
    """The bucket has no object of this key."""


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """What a bucket says of an object."""

    size_bytes: int
    md5: str
    """Base64; "" where the provider keeps none, as for objects put together of parts."""


@dataclass(frozen=True, slots=True)
class SignedUpload:
    """Where a client sends bytes without further credentials, and the headers that it must send with them."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)


class Backend(Protocol):
    """Keeps objects by key, below a prefix; keys are never used again, and objects never change.

    All methods raise `StorageUnavailable` when the bucket does not answer or refuses. What a backend cannot sign it is
    never asked to: such methods raise NotImplementedError.
    """

    can_sign_uploads: bool
    """Whether clients may send a whole file straight to it (`upload_url`); where not, the server passes it on."""
    can_sign_parts: bool
    """Whether they may send the parts of a file (`begin_parts` and the rest); where not, the server takes these."""
    can_sign_downloads: bool
    """Whether they may get bytes straight from it (`download_url`); where not, the server passes them on."""

    def put(self, key: str, content: Path, *, md5: str) -> None:
        """Store a file; durable when this returns. Bytes with another MD5 (base64) than this are refused.

        Raises:
            Invalid: the file is not what its MD5 says.
        """

    def read(self, key: str, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        """Open an object now, and yield a part of it, or all of it, in pieces; what lies behind its end is left out.

        Raises:
            ObjectMissing: there is none. Once pieces come, only StorageUnavailable is raised, if fewer come than the
                bucket has announced.
        """

    def info(self, key: str) -> ObjectInfo | None:
        """Return size and digest of an object; None if there is none."""

    def delete(self, keys: Collection[str]) -> None:
        """Remove objects; a missing one is as good as a removed one."""

    def keys(self, older_than: datetime) -> Iterator[str]:
        """Yield the keys of objects that were written before a time."""

    def download_url(self, key: str, *, name: str, content_type: str, inline: bool, expires_s: int) -> str:
        """Return an absolute URL to get an object from, with these headers of the answer signed into it."""

    def upload_url(self, key: str, *, md5: str, size_bytes: int | None, expires_s: int) -> SignedUpload:
        """Return where one file goes; MD5 (base64) and, if known, size are signed, so that no other bytes fit."""

    def begin_parts(self, key: str) -> str:
        """Begin an object that comes in parts; returns the provider's ID of the upload."""

    def part_url(self, key: str, upload_id: str, number: int, *, md5: str, expires_s: int) -> SignedUpload:
        """Return where one part goes; its MD5 (base64) is signed."""

    def complete_parts(self, key: str, upload_id: str, parts: Sequence[tuple[int, str]]) -> None:
        """Put an object together of its parts: number, and ETag as its PUT was answered, of each.

        The ETag is the MD5 in hexadecimal, unless the bucket encrypts by keys of its own. Asked again after it has
        succeeded, it succeeds again.

        Raises:
            Invalid: the bucket lacks a part or has other bytes; the message names it.
        """

    def give_up_parts(self, key: str, upload_id: str) -> None:
        """Drop the parts of an object; an upload that is unknown is as good as a dropped one."""
