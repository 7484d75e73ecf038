"""Threads that wait for buckets: apart from the event loop's own, which a bucket that is slow would use up."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import close_old_connections

T = TypeVar("T")

_AT_ONCE = 32
_pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="bucket")


def _apart(function: Callable[..., T], *arguments: object) -> T:
    close_old_connections()
    try:
        return function(*arguments)
    finally:
        close_old_connections()


async def in_bucket_thread(function: Callable[..., T], *arguments: object) -> T:
    """Call a function that may wait for a bucket, and may use the database."""
    return await asyncio.get_running_loop().run_in_executor(_pool, _apart, function, *arguments)


async def sent(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Yield what a bucket gives, and end its answer when nobody wants more."""
    loop = asyncio.get_running_loop()
    try:
        while (piece := await loop.run_in_executor(_pool, next, pieces, None)) is not None:
            yield piece
    finally:
        close = getattr(pieces, "close", None)
        if close is not None:
            _pool.submit(close)  # which may read to the end of an answer
