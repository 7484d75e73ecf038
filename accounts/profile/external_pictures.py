"""Pictures of other hosts in intros: fetched by this server, checked, remembered for an hour."""

import hashlib
import logging
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, cast

from django.core.cache import cache

from common.budgets.budget import current
from common.budgets.gate import Gate
from common.errors import NotFound
from common.safe_http.client import Fetched, OutgoingError, fetch
from common.server.lazy_import import LazyModule

if TYPE_CHECKING:
    from PIL import Image
else:
    Image = LazyModule("PIL.Image")

MAX_BYTES = 5 * 1024 * 1024
KEPT_S = 3600
_KEPT_BYTES = 256 * 1024
"""Larger ones are left to the browsers' caches: the cache is memory."""
_REFUSED_S = 60
_TYPES = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}
_ACCEPT = "image/svg+xml,image/webp,image/png,image/jpeg,image/gif"
_gate = Gate(at_once=8, each=4, waiting=4, wait_s=10)
"""Each may wait ten seconds for a host that is anyone's."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class External:
    """A picture; SVG is shown under a policy that lets nothing in it run or load."""

    content: bytes
    content_type: str


def external_picture(url: str) -> External:
    """Return the picture at an address.

    Raises:
        NotFound: there is none that may be shown.
    """
    key = "picture:" + hashlib.sha256(url.encode()).hexdigest()
    known = cast("External | str | None", cache.get(key))
    if known is None:
        known = _fetched(url)
        if isinstance(known, str):
            cache.set(key, known, _REFUSED_S)
        elif len(known.content) <= _KEPT_BYTES:
            cache.set(key, known, KEPT_S)
    if isinstance(known, str):
        raise NotFound(f"No picture found at {url}: {known}.")
    return known


def _fetched(url: str) -> External | str:
    """Return the picture, or why there is none."""
    try:
        with _gate.passing(current().caller):
            answer = fetch(url, max_bytes=MAX_BYTES, accept=_ACCEPT)
    except OutgoingError as error:
        _log.info("picture %s: %s", url, error)
        return str(error)
    return External(answer.content, kind) if (kind := _kind_of(answer)) else "it isn’t a picture"


def _kind_of(answer: Fetched) -> str:
    """Return the type that the content has, whatever its sender says; SVG only where it says so, too."""
    if answer.content_type == "image/svg+xml" and b"<svg" in answer.content[:2048]:
        return "image/svg+xml"
    try:
        with Image.open(BytesIO(answer.content), formats=tuple(_TYPES)) as image:
            return _TYPES.get(image.format or "", "image/jpeg")
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError, Image.DecompressionBombWarning):
        return ""
