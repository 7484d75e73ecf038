"""What backends have in place of URLs that they cannot sign; nobody asks, since their `can_sign_…` say so."""

from collections.abc import Sequence
from typing import NoReturn

from storage.backends.base import SignedUpload


class _Unsigned:
    def refuse(self) -> NoReturn:
        raise NotImplementedError(f"{type(self).__name__} signs no such URL")


class NoSignedParts(_Unsigned):
    """Takes files in parts from the server only, as whole objects."""

    can_sign_parts = False

    def begin_parts(self, key: str) -> str:
        self.refuse()

    def part_url(self, key: str, upload_id: str, number: int, *, md5: str, expires_s: int) -> SignedUpload:
        self.refuse()

    def complete_parts(self, key: str, upload_id: str, parts: Sequence[tuple[int, str]]) -> None:
        self.refuse()

    def give_up_parts(self, key: str, upload_id: str) -> None:
        self.refuse()


class NoSignedUploads(NoSignedParts):
    """Takes bytes from the server only."""

    can_sign_uploads = False

    def upload_url(self, key: str, *, md5: str, size_bytes: int | None, expires_s: int) -> SignedUpload:
        self.refuse()
