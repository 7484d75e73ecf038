"""What one GraphQL request may cost: fields, bytes and processor time; and that it ends when its client is gone.

A document of 209 bytes can ask for 13 million nodes (lists of runs in projects of runs), so limits on the document
alone do not help (`wandb_api.graphql.document_limits`). What a request cost is also spent from its key's requests a
minute.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from django.conf import settings

from common.errors import Invalid

T = TypeVar("T")

_EVERY = 256
"""Fields between two looks at the clock."""
REQUESTS_A_SECOND = 500
"""So many requests a second of processor time counts for."""


class ExecutionStopped(BaseException):
    """Ends an execution; not an `Exception`, of which graphql-core makes the error of one field and goes on."""

    def __init__(self, error: Invalid | None) -> None:
        """Take the error for the client; None when it is gone."""
        super().__init__()
        self.error = error


class TooExpensive(Invalid):
    """More than one request may cost. Not a 413 or 429: the same request will not do later either."""

    code = "too_expensive"


class Budget:
    """What is left of a request."""

    def __init__(self, is_gone: Callable[[], bool] = lambda: False) -> None:
        """Begin to count; ``is_gone`` says whether the client has left."""
        self._is_gone = is_gone
        self._began = time.thread_time()
        self._fields = 0
        self._read = 0
        self._answered = 0

    @property
    def seconds(self) -> float:
        """Processor time of this thread so far."""
        return time.thread_time() - self._began

    def count_field(self) -> None:
        """Count one more resolved field."""
        self._fields += 1
        if self._fields % _EVERY == 0:
            self._look()

    def count_read(self, size: int) -> None:
        """Count bytes that are read, before they are in memory."""
        self._read = _added(self._read, size)

    def count_answered(self, size: int) -> None:
        """Count characters of the answer."""
        self._answered = _added(self._answered, size)

    def through(self, parts: Iterable[T]) -> Iterator[T]:
        """Pass blocks of rows on that a resolver reads, looking at the clock before each."""
        for part in parts:
            self._look()
            yield part

    def _look(self) -> None:
        if self._fields > settings.GRAPHQL_MAX_FIELDS:
            raise _stopped(settings.GRAPHQL_MAX_FIELDS, "fields", "RUNYARD_GRAPHQL_MAX_FIELDS")
        if self.seconds > settings.GRAPHQL_MAX_S:
            raise _stopped(settings.GRAPHQL_MAX_S, "seconds of processor time", "RUNYARD_GRAPHQL_MAX_S")
        if self._is_gone():
            raise ExecutionStopped(None)


def _added(total: int, size: int) -> int:
    if total + size > settings.GRAPHQL_MAX_ANSWER_BYTES:
        raise _stopped(settings.GRAPHQL_MAX_ANSWER_BYTES, "bytes of values", "RUNYARD_GRAPHQL_MAX_ANSWER_MIB")
    return total + size


def _stopped(limit: int, what: str, setting: str) -> ExecutionStopped:
    return ExecutionStopped(
        TooExpensive(
            f"One request may cost at most {limit} {what} (setting {setting}); ask for less at once."
        )
    )
