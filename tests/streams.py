"""Reading answers that are made while they are sent."""

from typing import Any

from asgiref.sync import async_to_sync


def body_of(answer: Any) -> bytes:
    """Return a streamed answer whole; in the test's own thread, whose transaction has the rows."""

    async def gather() -> bytes:
        return b"".join([part async for part in answer.streaming_content])

    return async_to_sync(gather)()
