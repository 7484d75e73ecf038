"""Answers that are made while they are sent: under ASGI a plain generator would be read whole first."""

import os
from collections.abc import AsyncIterator, Iterator
from functools import partial
from typing import BinaryIO, TypeVar

from asgiref.sync import sync_to_async
from django.http import StreamingHttpResponse

from common.web.responses import attachment

T = TypeVar("T")

PIECE_BYTES = 64 * 1024
"""Of a file; as much as the server's connections buffer."""


async def in_thread(pieces: Iterator[T]) -> AsyncIterator[T]:
    """Yield what a generator gives, each piece made in the request's own thread."""
    following = sync_to_async(lambda: next(pieces, None))
    while (piece := await following()) is not None:
        yield piece


def file_answer(file: BinaryIO, *, content_type: str, name: str) -> StreamingHttpResponse:
    """Answer with a file to save, which is closed once it is sent."""
    pieces = iter(partial(file.read, PIECE_BYTES), b"")
    answer = StreamingHttpResponse(in_thread(pieces), content_type=content_type)
    answer["Content-Length"] = str(file.seek(0, os.SEEK_END))
    answer["Content-Disposition"] = attachment(name)
    answer._resource_closers.append(file.close)  # type: ignore[attr-defined]  # as Django's own FileResponse does
    file.seek(0)
    return answer
