"""Answers that are made while they are sent: under ASGI a plain generator would be read whole first."""

from collections.abc import AsyncIterator, Iterator
from typing import TypeVar

from asgiref.sync import sync_to_async

T = TypeVar("T")


async def in_thread(pieces: Iterator[T]) -> AsyncIterator[T]:
    """Yield what a generator gives, each piece made in the request's own thread."""
    following = sync_to_async(lambda: next(pieces, None))
    while (piece := await following()) is not None:
        yield piece
