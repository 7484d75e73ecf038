"""Signed, expiring permissions to put or get bytes without further credentials.

The SDK's core uploads and downloads with no Authorization header, so the URL itself must carry the right.
A ticket holds only what its purpose needs, is bound to that purpose by the signing salt, and says nothing secret.
"""

import re
from base64 import b64decode
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.core import signing

from access.actor import Actor
from access.callers.credentials import actor_again
from common.errors import Forbidden
from storage.contents.reading import StoredContent
from storage.models import Blob
from storage.owners import receiver_of

PUT_PATH = "/storage/put/"
GET_PATH = "/storage/get/"
PART_PATH = "/storage/part/"
MISSING_PATH = "/storage/missing/"
"""Routed nowhere: what is asked for below it is answered with 404."""
_MAX_NAME = 1000
"""Characters of a file's name, quoted, that a path ends with; proxies limit the length of addresses."""
PUT_SALT, PART_SALT = "storage.put", "storage.part"

TEAM = "t"
"""In a ticket: the key of the team to whose bucket the file goes, and whose storage quota counts (`storage.quota`)."""
NO_QUOTA = "q"
"""In a ticket: that the file is taken even where the quota is used up."""
REQUESTED_BY = "by"
"""In a ticket for an upload: who requested it, by user and API key, whether with operator rights."""
CHECKED_AFTER_S = 45
"""Seconds for which a ticket is good by itself; afterwards who requested it must still have the permission."""


class Expired(Forbidden):
    """A ticket that was good once."""


_SHOWN = re.compile(r"(image/(png|jpeg|gif|webp|bmp|svg\+xml)|audio/[\w.+-]+|video/[\w.+-]+|text/plain)$")


def requested_by(actor: Actor) -> dict[str, Any]:
    """Return what a ticket says of who requests it; nothing of the system's own."""
    return {} if actor.user_id is None else {REQUESTED_BY: [actor.user_id, actor.key_id, actor.elevated]}


def put_path(purpose: str, **payload: Any) -> str:
    """Return a path to PUT one file to, good for settings.TICKET_UPLOAD_S seconds; see `requested_by`."""
    receiver_of(purpose)  # fails here rather than when the file comes
    return PUT_PATH + signing.dumps({"for": purpose, **payload}, salt=PUT_SALT)


def part_path(purpose: str, upload_key: str, number: int, md5_hex: str, **payload: Any) -> str:
    """Return a path to PUT one part of a file to, good for settings.TICKET_UPLOAD_S seconds.

    Args:
        purpose: Of the whole file.
        upload_key: Names the file that the parts make up (`storage.parts`).
        number: Of the part, from 1.
        md5_hex: Of the part, as it was announced; hexadecimal.
        payload: What the ticket carries besides.
    """
    receiver_of(purpose)
    ticket = {"for": purpose, "u": upload_key, "p": number, "h": md5_hex, **payload}
    return PART_PATH + signing.dumps(ticket, salt=PART_SALT)


def get_path(
    blob: Blob, *, name: str, content_type: str, download: bool = False, is_masked: bool = False
) -> str:
    """Return a path to GET a blob from under a file name, good for settings.TICKET_DOWNLOAD_S seconds.

    It ends with the name, for `curl -O`, logs and SDKs; the ticket alone decides what is sent.
    With ``is_masked`` what looks like a secret in a text is masked. A ``download`` of what lies in a bucket may be led
    there: pages, which may load from nowhere else, ask for none.
    """
    shown = bool(_SHOWN.match(content_type)) and not download
    payload = {
        "l": blob.location,
        "d": blob.digest or b64decode(blob.md5).hex(),
        "n": name.rpartition("/")[2],
        "c": content_type,
        "s": shown,
        **({"m": True} if is_masked else {}),
        **({"b": blob.bucket_id, "z": blob.size_bytes} if blob.bucket_id is not None else {}),
        **({"a": True} if download and blob.bucket_id is not None else {}),
    }
    return GET_PATH + signing.dumps(payload, salt="storage.get") + _named(name.rpartition("/")[2])


def missing_path(name: str) -> str:
    """Return a path that is answered with 404, for a file that is not there."""
    return MISSING_PATH + quote(name, safe="")


def _named(name: str) -> str:
    """Return a name as the last part of a path; nothing of one that clients would resolve, or that is too long."""
    quoted = quote(name, safe="")
    return "" if name in {"", ".", ".."} or len(quoted) > _MAX_NAME else f"/{quoted}"


def is_new(token: str, salt: str) -> bool:
    """Whether a ticket that was read was given so recently that who requested it need not be checked again."""
    try:
        signing.loads(token, salt=salt, max_age=CHECKED_AFTER_S)
    except signing.BadSignature:
        return False
    return True


def require_requester(ticket: dict[str, Any]) -> None:
    """Let pass an upload that could still be requested by whoever did.

    Raises:
        Unauthenticated: the account or the API key is gone.
        NotFound, Forbidden: the permission is.
    """
    if REQUESTED_BY in ticket:
        user_id, key_id, elevated = ticket[REQUESTED_BY]
        actor = actor_again(user_id, key_id, elevated=elevated)
        receiver_of(ticket["for"]).require_upload(ticket, actor)


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
    return _read(token, PUT_SALT, settings.TICKET_UPLOAD_S, "upload")


def read_part(token: str) -> dict[str, Any]:
    """Return what the ticket of a part carries.

    Raises:
        Forbidden: forged or expired.
    """
    return _read(token, PART_SALT, settings.TICKET_UPLOAD_S, "upload")


def content_in(ticket: dict[str, Any]) -> StoredContent:
    """Return the content that a download ticket is for."""
    return StoredContent(ticket["l"], ticket.get("z", 0), ticket.get("b"))


def read_get(token: str) -> dict[str, Any]:
    """Return what a download ticket carries.

    Raises:
        Forbidden: forged or expired.
    """
    return _read(token, "storage.get", settings.TICKET_DOWNLOAD_S, "download")
