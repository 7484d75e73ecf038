"""Reading the body of a post, which is bounded, as it comes and unzipped."""

import asyncio
import zlib
from collections.abc import Awaitable, Callable
from typing import Any

from django.conf import settings

from common.errors import Invalid, TooLarge
from common.telemetry.definitions import INGEST_BYTES

Receive = Callable[[], Awaitable[dict[str, Any]]]


def _too_large() -> TooLarge:
    limit = settings.FILE_STREAM_MAX_BYTES
    return TooLarge(
        f"A post may have at most {limit} bytes (setting RUNYARD_FILE_STREAM_MAX_MIB); send it in parts."
    )


async def _received(receive: Receive) -> bytes | None:
    """Return the whole body; None when the client went away in the middle.

    Raises:
        TooLarge: over settings.FILE_STREAM_MAX_BYTES.
    """
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        part = message.get("body", b"")
        size += len(part)
        if size > settings.FILE_STREAM_MAX_BYTES:
            raise _too_large()
        parts.append(part)
        if not message.get("more_body"):
            return parts[0] if len(parts) == 1 else b"".join(parts)


def _gunzip(body: bytes) -> bytes:
    """Raises Invalid for broken gzip and TooLarge for a bomb."""
    decoder = zlib.decompressobj(wbits=31)
    try:
        plain = decoder.decompress(body, settings.FILE_STREAM_MAX_BYTES + 1)
    except zlib.error as error:
        raise Invalid(f"The body is not gzip: {error}.") from None
    if len(plain) > settings.FILE_STREAM_MAX_BYTES:
        raise _too_large()
    if not decoder.eof:
        raise Invalid("The gzip body is cut off.")
    return plain


async def read_body(receive: Receive, headers: dict[bytes, bytes]) -> bytes | None:
    """Return the whole body, unzipped; None when the client went away in the middle.

    Raises:
        TooLarge: over settings.FILE_STREAM_MAX_BYTES, as it comes or unzipped.
        Invalid: said to be gzip and is not.
    """
    body = await _received(receive)
    if body is None:
        return None
    INGEST_BYTES.inc(len(body))
    if headers.get(b"content-encoding", b"").lower() == b"gzip":
        return await asyncio.to_thread(_gunzip, body)
    return body
