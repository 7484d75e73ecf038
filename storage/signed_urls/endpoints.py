"""Lean ASGI endpoints for bytes: they stream in constant memory and never pass Django's handler.

(A 400 MB FileResponse took a process from 64 to 465 MB, and Range was ignored; docs/develop/decisions/ingest.md.)
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.db import DatabaseError, close_old_connections
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation.trans_real import parse_accept_lang_header
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response, StreamingResponse

from access.routes import Open, declare
from common.errors import DomainError, Invalid, NotFound, TooLarge, Unavailable
from common.formats.numbers import parse_int
from common.web.streaming import in_thread
from storage import filesystem, owners, parts, quota
from storage.contents import writing
from storage.contents.openable import Openable
from storage.contents.reading import StoredContent
from storage.contents.threads import in_bucket_thread, sent
from storage.signed_urls import bucket_downloads, tickets, uploads

logger = logging.getLogger(__name__)

_CHUNK = 1024 * 1024
_PART_CHUNK = 128 * 1024
"""SDKs send and fetch all parts of a file at once (wandb 0.31): of the 52 parts of 5 GiB, pieces of a MiB, copied on
their way, took 160 MiB."""
_SMALL = 256 * 1024
"""Bytes of a file that is read and sent at once."""


def refusal(error: DomainError) -> Response:
    """Return the one error shape of lean endpoints."""
    body = {"error": {"code": error.code, "message": error.message, "detail": None}}
    return JSONResponse(body, status_code=error.status, headers=dict(error.headers))


def _page(request: Request, error: DomainError) -> Response:
    """Return the refusal of a download to whoever opened its link in a browser, in the language it asks for."""
    accepted = parse_accept_lang_header(request.headers.get("accept-language", ""))
    known = [code for code, _weight in accepted if code.split("-")[0] in dict(settings.LANGUAGES)]
    context = {"code": error.status, "is_expired": isinstance(error, tickets.Expired)}
    context["is_gone"] = isinstance(error, NotFound)
    with translation.override(known[0].split("-")[0] if known else settings.LANGUAGE_CODE):
        page = render_to_string("storage/refused.html", context)
    headers = {"Referrer-Policy": "no-referrer", "Cache-Control": "no-store", **error.headers}
    return HTMLResponse(page, status_code=error.status, headers=headers)


async def _receive(request: Request, incoming: filesystem.Incoming) -> filesystem.ReceivedFile:
    """Write the body to the temporary file in pieces, each in a thread while the next one comes."""
    limit = settings.UPLOAD_MAX_BYTES
    too_large = TooLarge(f"A file may have at most {limit} bytes here (setting RUNYARD_UPLOAD_MAX_GIB).")
    if (parse_int(request.headers.get("content-length", "")) or 0) > limit:
        raise too_large
    waiting, size = bytearray(), 0
    writing: asyncio.Task[None] | None = None
    try:
        async for chunk in request.stream():
            waiting += chunk
            size += len(chunk)
            if size > limit:
                raise too_large
            if len(waiting) >= _PART_CHUNK:
                if writing is not None:
                    await writing
                writing = asyncio.create_task(asyncio.to_thread(incoming.write, waiting))
                waiting = bytearray()
    finally:
        if writing is not None:
            await writing
    return await asyncio.to_thread(incoming.finish, waiting)


async def _require_quota(request: Request, ticket: dict[str, Any]) -> None:
    """Refuse an upload that exceeds the storage quota, once all of it has come.

    A client that is still sending when the connection closes sees a broken pipe, not the refusal, and SDKs then send
    the file again for minutes (wandb 0.22.3, a file of 30 MB).
    """
    if quota.is_cleared(ticket[tickets.TEAM]):
        return
    try:
        await asyncio.to_thread(_check_quota, ticket)
    except DomainError:
        async for _chunk in request.stream():
            pass
        raise


def _require_requester(ticket: dict[str, Any]) -> None:
    close_old_connections()
    try:
        tickets.require_requester(ticket)
    finally:
        close_old_connections()


def _check_quota(ticket: dict[str, Any]) -> None:
    close_old_connections()
    try:
        quota.require_quota(ticket[tickets.TEAM])
    except DomainError as error:
        owners.receiver_of(ticket["for"]).upload_refused(ticket, error.message)
        raise
    finally:
        close_old_connections()


def _is_bucket_used(team_id: int | None) -> bool:
    close_old_connections()
    try:
        return writing.is_bucket_used(team_id)
    finally:
        close_old_connections()


async def _store(ticket: dict[str, Any], received: filesystem.ReceivedFile) -> str:
    team_id = ticket.get(tickets.TEAM)
    if not await asyncio.to_thread(_is_bucket_used, team_id):
        return await uploads.group.store(uploads.Upload(ticket, received))
    # before it joins its group, so that small files never wait for a large one that is on its way to the bucket
    placed = await in_bucket_thread(writing.place, received, team_id)
    try:
        return await uploads.group.store(uploads.Upload(ticket, received, placed))
    finally:
        await in_bucket_thread(writing.drop_unless_named, (placed.bucket_id, placed.location))


async def _keep_part(ticket: dict[str, Any], received: filesystem.ReceivedFile) -> str:
    return await asyncio.to_thread(parts.keep, ticket["u"], ticket["p"], ticket["h"], received)


async def _take(
    request: Request,
    read: Callable[[str], dict[str, Any]],
    salt: str,
    keep: Callable[[dict[str, Any], filesystem.ReceivedFile], Awaitable[str]],
) -> Response:
    """Take a body and answer with its ETag once ``keep``, which returns that, has made it durable."""
    try:
        token = request.path_params["token"]
        ticket = read(token)
        if not tickets.is_new(token, salt):
            await asyncio.to_thread(_require_requester, ticket)
        if tickets.TEAM in ticket and tickets.NO_QUOTA not in ticket:
            await _require_quota(request, ticket)
        with filesystem.Incoming() as incoming:
            received = await _receive(request, incoming)
            expected = request.headers.get("content-md5")
            if expected and expected != received.md5:
                raise Invalid(f"The body's MD5 is {received.md5}, the Content-MD5 header says {expected}.")
            tag = await keep(ticket, received)
    except ClientDisconnect:
        return Response(status_code=400)
    except DomainError as error:
        return refusal(error)
    except DatabaseError as error:  # nothing was kept, and SDKs send an upload again after a 503
        logger.warning("an upload was not kept: %s", error)
        return refusal(Unavailable("The database did not answer; send the file again."))
    except OSError as error:  # the disk is full or read-only
        logger.error("an upload was not kept: %s", error)  # noqa: TRY400 - the sentence says it all
        return refusal(
            Unavailable("The server has no room or right to write files; send the file again later.")
        )
    return JSONResponse({}, headers={"ETag": f'"{tag}"'})


@declare(Open.ANYONE)
async def put(request: Request) -> Response:
    """Take one file; 200 once it and the row that names it are durable."""
    return await _take(request, tickets.read_put, tickets.PUT_SALT, _store)


@declare(Open.ANYONE)
async def put_part(request: Request) -> Response:
    """Take one part of a file; 200 once it is durable, with its MD5 in hexadecimal as the ETag."""
    return await _take(request, tickets.read_part, tickets.PART_SALT, _keep_part)


def _headers(ticket: dict[str, Any]) -> dict[str, str]:
    disposition = "inline" if ticket["s"] else "attachment"
    return {
        "ETag": f'"{ticket["d"]}"',
        "Content-Disposition": f"{disposition}; filename*=UTF-8''{quote(ticket['n'], safe='')}",
        # nothing a file contains runs in the application's origin (ART-7)
        "Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",  # the address is the credential
        "Cache-Control": "private, max-age=3600, immutable",
    }


def _masked(ticket: dict[str, Any], content: Openable) -> Iterator[bytes] | None:
    is_text = not ticket["c"].startswith(("image/", "audio/", "video/"))
    return owners.masked_pieces(content, ticket["n"]) if ticket.get("m") and is_text else None


def _look(ticket: dict[str, Any], path: Path) -> bytes | Iterator[bytes] | None:
    """Return a small content, the pieces of a text with secrets, masked, or None for a large content.

    Raises:
        FileNotFoundError: the content was deleted.
    """
    size = path.stat().st_size
    return _masked(ticket, path) or (path.read_bytes() if size <= _SMALL else None)


class _LargeFile(FileResponse):
    """Read in pieces that cost a thread's turn each."""

    chunk_size = _CHUNK


class _PartOfFile(FileResponse):
    """Read in pieces of which many fit in the memory."""

    chunk_size = _PART_CHUNK


@declare(Open.ANYONE)
async def get(request: Request) -> Response:
    """Send one blob, whole or by Range; 304 when the client has it."""
    try:
        ticket = tickets.read_get(request.path_params["token"])
        content = tickets.content_in(ticket)
        send = _send_file if content.bucket_id is None else _send_object
        return await send(request, ticket, content)
    except DomainError as error:
        return await _refused(request, error)
    except FileNotFoundError:
        return await _refused(request, NotFound("The content of this file was deleted."))
    except DatabaseError as error:
        logger.warning("a download was not begun: %s", error)
        return await _refused(request, Unavailable("The database did not answer; try again."))


async def _refused(request: Request, error: DomainError) -> Response:
    if "text/html" in request.headers.get("accept", ""):
        return await asyncio.to_thread(_page, request, error)
    return refusal(error)


async def _send_object(request: Request, ticket: dict[str, Any], content: StoredContent) -> Response:
    """Send what lies in a bucket."""
    headers = _headers(ticket)
    masked = await in_bucket_thread(_masked, ticket, content) if ticket.get("m") else None
    if masked is None:
        return await bucket_downloads.answer(request, ticket, content, headers)
    del headers["ETag"]  # which is that of the whole content
    return StreamingResponse(sent(masked), headers=headers, media_type=ticket["c"])


async def _send_file(request: Request, ticket: dict[str, Any], content: StoredContent) -> Response:
    """Send what lies in the data folder."""
    path = filesystem.path_of(content.location)
    found = await asyncio.to_thread(_look, ticket, path)
    headers = _headers(ticket)
    if isinstance(found, Iterator):
        del headers["ETag"]  # which is that of the whole content
        return StreamingResponse(in_thread(found), headers=headers, media_type=ticket["c"])
    if headers["ETag"] in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if found is None or "range" in request.headers:
        sender = _PartOfFile if "range" in request.headers else _LargeFile
        return sender(path, headers=headers, media_type=ticket["c"])
    return Response(found, headers={**headers, "Accept-Ranges": "bytes"}, media_type=ticket["c"])
