"""Signed, expiring permissions to put or get bytes without further credentials.

The SDK's core uploads and downloads with no Authorization header, so the URL itself must carry the right.
A ticket holds only what its purpose needs, is bound to that purpose by the signing salt, and says nothing secret.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core import signing

from common.errors import Forbidden
from storage.models import Blob

PUT_PATH = "/storage/put/"
GET_PATH = "/storage/get/"

TEAM = "t"
"""In a ticket: the key of the team that needs room for the upload (`storage.quota`); without it nobody is asked."""


class Expired(Forbidden):
    """A ticket that was good once."""


Receiver = Callable[[dict[str, Any], Blob], None]
"""Takes what the ticket carries and the blob that arrived; runs in the transaction that keeps the blob."""

Refusal = Callable[[dict[str, Any], str], None]
"""Takes what the ticket of an upload for which there is no room carries, and why."""

Masker = Callable[[Path, str], Iterator[bytes] | None]

_receivers: dict[str, Receiver] = {}
_refusals: dict[str, Refusal] = {}
_masker: Masker = lambda _path, _name: None  # noqa: E731 - replaced by `register_masker`

_SHOWN = re.compile(r"(image/(png|jpeg|gif|webp|bmp|svg\+xml)|audio/[\w.+-]+|video/[\w.+-]+|text/plain)$")


def register_receiver(purpose: str, receiver: Receiver) -> None:
    """Say who gets uploads of a purpose; called in ``AppConfig.ready``."""
    _receivers[purpose] = receiver


def receiver_of(purpose: str) -> Receiver:
    """Return who gets uploads of the purpose."""
    return _receivers[purpose]


def register_refusal(purpose: str, note: Refusal) -> None:
    """Say who is told of uploads of a purpose that were refused; called in ``AppConfig.ready``."""
    _refusals[purpose] = note


def note_refusal(ticket: dict[str, Any], reason: str) -> None:
    """Tell who registered for it that an upload was refused."""
    note = _refusals.get(ticket["for"])
    if note is not None:
        note(ticket, reason)


def put_path(purpose: str, **payload: Any) -> str:
    """Return a path to PUT one file to, good for settings.TICKET_UPLOAD_S seconds."""
    receiver_of(purpose)
    return PUT_PATH + signing.dumps({"for": purpose, **payload}, salt="storage.put")


def register_masker(masker: Masker) -> None:
    """Say who takes secrets out of texts; called in ``AppConfig.ready``."""
    global _masker  # noqa: PLW0603 - one per process
    _masker = masker


def masked_pieces(path: Path, name: str) -> Iterator[bytes] | None:
    """Return the content with secrets masked; None for one that has none to mask, which is sent as it is."""
    return _masker(path, name)


def get_path(
    blob: Blob, *, name: str, content_type: str, download: bool = False, is_masked: bool = False
) -> str:
    """Return a path to GET a blob from under a file name, good for settings.TICKET_DOWNLOAD_S seconds.

    With ``is_masked`` what looks like a secret in a text is masked.
    """
    shown = bool(_SHOWN.match(content_type)) and not download
    payload = {
        "l": blob.location,
        "d": blob.digest,
        "n": name.rpartition("/")[2],
        "c": content_type,
        "s": shown,
        **({"m": True} if is_masked else {}),
    }
    return GET_PATH + signing.dumps(payload, salt="storage.get")


def _read(token: str, salt: str, max_age: int, what: str) -> dict[str, Any]:
    try:
        payload = signing.loads(token, salt=salt, max_age=max_age)
    except signing.SignatureExpired:
        raise Expired(f"This {what} link has expired (after {max_age} s); ask for a new one.") from None
    except signing.BadSignature:
        raise Forbidden(f"This {what} link is not valid.") from None
    return dict(payload)


def read_put(token: str) -> dict[str, Any]:
    """Return what an upload ticket carries.

    Raises:
        Forbidden: forged or expired.
    """
    return _read(token, "storage.put", settings.TICKET_UPLOAD_S, "upload")


def read_get(token: str) -> dict[str, Any]:
    """Return what a download ticket carries.

    Raises:
        Forbidden: forged or expired.
    """
    return _read(token, "storage.get", settings.TICKET_DOWNLOAD_S, "download")
