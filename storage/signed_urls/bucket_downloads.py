"""Downloads of what lies in a bucket: passed on in constant memory, or led straight to the bucket."""

import re
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from storage.buckets.services import backend_of
from storage.contents.reading import StoredContent
from storage.contents.threads import in_bucket_thread, sent

_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")
STRAIGHT_S = 300
"""How long a bucket's own address is good: clients follow at once, and come here again to resume."""


def _straight_url(ticket: dict[str, Any], content: StoredContent) -> str:
    """Return the bucket's own address of a download; "" where it cannot sign one."""
    if content.bucket_id is None:
        return ""
    backend = backend_of(content.bucket_id)
    if not backend.can_sign_downloads:
        return ""
    expires_s = min(STRAIGHT_S, settings.TICKET_DOWNLOAD_S)
    return backend.download_url(
        content.location, name=ticket["n"], content_type=ticket["c"], inline=False, expires_s=expires_s
    )


def range_of(request: Request, tag: str, size: int) -> tuple[int, int] | None:
    """Return the first byte and the length of the part that a request asks for; None for all, a length of 0 for none.

    Several parts at once are answered with all, which a server may always do.
    """
    if request.headers.get("if-range", tag) != tag:
        return None
    found = _RANGE.fullmatch(request.headers.get("range", ""))
    if found is None or found[0] == "bytes=-":
        return None
    if not found[1]:
        length = min(int(found[2]), size)
        return size - length, length
    start, stop = int(found[1]), min(int(found[2]) + 1, size) if found[2] else size
    return start, max(0, stop - start)


async def answer(
    request: Request, ticket: dict[str, Any], content: StoredContent, headers: dict[str, str]
) -> Response:
    """Send what needs no masking.

    Raises:
        FileNotFoundError: the bucket has it no more.
        StorageUnavailable: the bucket does not answer.
    """
    is_asked_only = request.method == "HEAD"
    if ticket.get("a") and not is_asked_only:
        url = await in_bucket_thread(_straight_url, ticket, content)
        if url:
            # the bucket says how long its own answer may be kept; this one leads nowhere soon
            return RedirectResponse(url, 302, {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"})
    headers = {**headers, "Accept-Ranges": "bytes"}
    if headers["ETag"] in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    part = range_of(request, headers["ETag"], content.size_bytes)
    if part is not None and not part[1]:
        return Response(status_code=416, headers={"Content-Range": f"bytes */{content.size_bytes}"})
    start, length = part or (0, content.size_bytes)
    headers["Content-Length"] = str(length)
    if part is not None:
        headers["Content-Range"] = f"bytes {start}-{start + length - 1}/{content.size_bytes}"
    status = 200 if part is None else 206
    if is_asked_only:
        return Response(status_code=status, headers=headers, media_type=ticket["c"])
    pieces: Iterator[bytes] = await in_bucket_thread(content.pieces, start, length)
    return StreamingResponse(sent(pieces), status, headers=headers, media_type=ticket["c"])
