"""Which server a statement goes to: writes to the primary, reads of requests that allow it to the replica."""

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from django.conf import settings
from django.db import DatabaseError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from common.database.connecting import CANCELED
from common.database.replica.freshness import PRIMARY, REPLICA, Freshness, look
from common.telemetry.definitions import REPEATED, REPLICA_REQUESTS, database_failed

logger = logging.getLogger(__name__)

T = TypeVar("T")


class _Reads:
    """Where one request reads: from the replica while that is as new as the request, and until it writes."""

    def __init__(self) -> None:
        self.failure: Exception | None = None
        """What the replica said of the statement that failed last."""
        self._is_on_primary = False
        self._fresh: set[Any] = set()
        """Connections to the replica that were looked at: another one may lead to another replica."""

    def use_primary(self) -> None:
        """Read from the primary from now on."""
        self._is_on_primary = True

    def alias(self) -> str:
        """Return the name of the database from which is read now."""
        if connections[PRIMARY].in_atomic_block:  # what it writes there is to be seen afterwards, too
            self.use_primary()
        if not self._is_on_primary and connections[REPLICA].connection not in self._fresh:
            self._look()
        return PRIMARY if self._is_on_primary else REPLICA

    def have_failed(self) -> bool:
        """Whether a statement failed at the replica, not for its length, and nothing was written since."""
        if self._is_on_primary or not self._fresh or not connections[REPLICA].errors_occurred:
            return False
        return self.failure is None or getattr(self.failure.__cause__, "sqlstate", None) != CANCELED

    def _look(self) -> None:
        freshness = look()
        REPLICA_REQUESTS.labels(freshness).inc()
        if freshness is Freshness.FRESH:
            if _keep_failure not in connections[REPLICA].execute_wrappers:
                connections[REPLICA].execute_wrappers.append(_keep_failure)
            self._fresh.add(connections[REPLICA].connection)
        else:
            self.use_primary()


_current: ContextVar[_Reads | None] = ContextVar("reads", default=None)


def _keep_failure(
    execute: Callable[..., Any], sql: str, params: Any, many: Any, context: dict[str, Any]
) -> Any:
    """Execute a statement at the replica; a wrapper as Django takes it."""
    try:
        return execute(sql, params, many, context)
    except DatabaseError as error:
        reads = _current.get()
        if reads is not None:
            reads.failure = error
        raise


def request_failed(**_: Any) -> None:
    """Count a view's unhandled error, if it is the database's and the primary is not asked the same afterwards.

    Django sends it a signal while it handles the error.
    """
    reads = _current.get()
    if reads is None or not reads.have_failed():
        database_failed("http", sys.exception())


def reading_alias() -> str:
    """Return the name of the database from which this request reads."""
    reads = _current.get()
    return PRIMARY if reads is None else reads.alias()


def reading_connection() -> BaseDatabaseWrapper:
    """Return the connection for a statement that reads and is written by hand."""
    return connections[reading_alias()]


@contextmanager
def from_primary() -> Iterator[None]:
    """Read from the primary: what is kept for longer than the request. Nothing is written within it."""
    token = _current.set(None)
    try:
        yield
    finally:
        _current.reset(token)


def from_replica(answer: Callable[[], T]) -> T:
    """Return an answer that may be read from the replica; where that fails on the way, one from the primary.

    Args:
        answer: May be called twice. What it leaves to be read later, as pieces of a stream, is read from the primary.
    """
    if REPLICA not in settings.DATABASES:
        return answer()
    reads = _Reads()
    token = _current.set(reads)
    try:
        answered = answer()
    finally:
        _current.reset(token)
    if not reads.have_failed():
        return answered
    connections[REPLICA].close()
    logger.warning("the replica failed (%s); the request begins again on the primary", reads.failure)
    REPLICA_REQUESTS.labels(REPEATED).inc()
    return answer()


class ReplicaMiddleware:
    """Answers what only reads from the replica: pages, and GET of the API."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer a request."""
        if request.method not in {"GET", "HEAD"}:
            return self._get_response(request)
        return from_replica(lambda: self._get_response(request))


class ReplicaRouter:
    """Django's router of the two."""

    def db_for_read(self, model: type[Model], **_: Any) -> str:
        """Return from where the request reads."""
        return reading_alias()

    def db_for_write(self, model: type[Model], **_: Any) -> str:
        """Return the primary, from which is read from now on."""
        reads = _current.get()
        if reads is not None:
            reads.use_primary()
        return PRIMARY

    def allow_relation(self, first: Model, second: Model, **_: Any) -> bool:
        """Rows of both are the same rows."""
        return True

    def allow_migrate(self, alias: str, app_label: str, **_: Any) -> bool:
        """Tables of the replica come from the primary."""
        return alias != REPLICA
