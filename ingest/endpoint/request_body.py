"""Reading the body of a post, which is bounded: its bytes, as they come and unzipped, and the values they spell.

What a post costs is not its bytes: 35 KiB of gzip are 5 million empty rows, which took 0.9 GiB. So values are counted
before anything is decoded, and of large bodies one at a time is held decoded in a process.
"""

import asyncio
import re
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from weakref import WeakKeyDictionary

from django.conf import settings

from common.errors import Invalid, TooLarge
from common.telemetry.definitions import INGEST_BYTES

Receive = Callable[[], Awaitable[dict[str, Any]]]


def _too_large() -> TooLarge:
    limit = settings.FILE_STREAM_MAX_BYTES
    return TooLarge(
        f"A post may have at most {limit} bytes (setting RUNYARD_FILE_STREAM_MAX_MIB); send it in parts.",
        setting="RUNYARD_FILE_STREAM_MAX_MIB",
    )


async def _receive_all(receive: Receive) -> bytes | None:
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


def _gunzip(body: bytes, limit: int) -> bytes | None:
    """Return the plain body; None where it is longer than ``limit`` bytes.

    Raises:
        Invalid: broken gzip.
    """
    decoder = zlib.decompressobj(wbits=31)
    try:
        plain = decoder.decompress(body, limit + 1)
    except zlib.error as error:
        raise Invalid(f"The body is not gzip: {error}.") from None
    if len(plain) > limit:
        return None
    if not decoder.eof:
        raise Invalid("The gzip body is cut off.")
    return plain


def _check_values(body: bytes) -> None:
    """Count the commas outside strings, which is how many values a JSON text can at most have.

    Raises:
        TooLarge: over settings.FILE_STREAM_MAX_LINES.
    """
    limit = settings.FILE_STREAM_MAX_LINES
    commas = 0
    for found in _STRING_OR_COMMA.finditer(body):
        commas += found[0] == b","
        if commas > limit:
            raise too_many_lines()


def too_many_lines() -> TooLarge:
    """Return the error for a post with more lines, or values outside of them, than are taken."""
    limit = settings.FILE_STREAM_MAX_LINES
    return TooLarge(
        f"A post may have at most {limit} lines (setting RUNYARD_FILE_STREAM_MAX_LINES); send it in parts.",
        setting="RUNYARD_FILE_STREAM_MAX_LINES",
    )


_LIGHT_BYTES = 1024 * 1024
"""Bodies up to this size are held decoded as many as come."""
_STRING_OR_COMMA = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|,', re.DOTALL)
_gates: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


def _gate() -> asyncio.Semaphore:
    """Return what lets one large body pass at a time, of the running loop."""
    return _gates.setdefault(asyncio.get_running_loop(), asyncio.Semaphore())


async def _unzip(body: bytes) -> bytes:
    plain = await asyncio.to_thread(_gunzip, body, settings.FILE_STREAM_MAX_BYTES)
    if plain is None:
        raise _too_large()
    return plain


@asynccontextmanager
async def open_body(receive: Receive, headers: dict[bytes, bytes]) -> AsyncIterator[bytes | None]:
    """Give the whole body, unzipped; None when the client went away in the middle.

    While the block runs, other large bodies wait; decode this one in it.

    Raises:
        TooLarge: over settings.FILE_STREAM_MAX_BYTES, as it comes or unzipped, or over FILE_STREAM_MAX_LINES.
        Invalid: said to be gzip and is not.
    """
    body = await _receive_all(receive)
    if body is None:
        yield None
        return
    INGEST_BYTES.inc(len(body))
    is_zipped = headers.get(b"content-encoding", b"").lower() == b"gzip"
    light = await asyncio.to_thread(_gunzip, body, _LIGHT_BYTES) if is_zipped else body
    if light is not None and len(light) <= _LIGHT_BYTES:
        yield light
        return
    async with _gate():
        whole = await _unzip(body) if is_zipped else body
        await asyncio.to_thread(_check_values, whole)
        yield whole
