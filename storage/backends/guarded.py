"""Buckets that must not decide how long our threads wait: the hosts of teams' buckets are anyone's.

Each request has a deadline, each answer a minimum rate, each bucket a share of the threads. A bucket that was too slow
is not asked again for a while, so that no queue builds up behind it.
"""

import time
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar, cast

from common.budgets.budget import current
from common.budgets.gate import Gate
from common.errors import TooManyRequests, Unavailable
from common.safe_http.deadlines import Deadline
from storage.backends.base import Backend, StorageUnavailable

T = TypeVar("T")

REQUEST_S = 45
"""In which a bucket must have answered, however many tries that takes ..."""
LEAST_RATE = 64 * 1024
"""... and the bytes a second that must come or go beyond that time."""
AVOIDED_S = 30
"""For which a bucket that was too slow is not asked again."""
AT_ONCE, EACH = 20, 6
"""Threads of a process that wait for teams' buckets, and for one of them."""
REQUESTS_AT_ONCE = 32
"""Half of those that answer requests wait for the operator's bucket; other threads do so in pools of their own."""
_DELETED_AT_ONCE = 100
_shares = Gate(at_once=AT_ONCE, each=EACH, waiting=4, wait_s=10)
_requests = Gate(at_once=REQUESTS_AT_ONCE, each=REQUESTS_AT_ONCE, waiting=8, wait_s=10)
_callers = Gate(at_once=AT_ONCE, each=EACH, waiting=4, wait_s=10)
"""Of one caller, however many teams they have."""
_avoided: dict[int | None, float] = {}
_REQUESTS = frozenset({"info", "begin_parts", "complete_parts", "give_up_parts"})


class _GuardedBackend:
    def __init__(self, backend: Backend, bucket_id: int | None, *, is_operators: bool) -> None:
        self._backend, self._bucket_id, self._is_operators = backend, bucket_id, is_operators

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._backend, name)
        return self._guarded(found) if name in _REQUESTS else found

    def _guarded(self, request: Callable[..., T]) -> Callable[..., T]:
        def guarded(*args: Any, **options: Any) -> T:
            with self._asking(_deadline()):
                return request(*args, **options)

        return guarded

    def put(self, key: str, content: Path, *, md5: str) -> None:
        with self._asking(_deadline(content.stat().st_size)):
            self._backend.put(key, content, md5=md5)

    def delete(self, keys: Collection[str]) -> None:
        keys = list(keys)
        for start in range(0, len(keys), _DELETED_AT_ONCE):
            with self._asking(_deadline()):
                self._backend.delete(keys[start : start + _DELETED_AT_ONCE])

    def read(self, key: str, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        deadline = _deadline()
        with self._asking(deadline):
            pieces = self._backend.read(key, start, length)
        return self._each(deadline, pieces, len)

    def keys(self, older_than: datetime) -> Iterator[str]:
        return self._each(_deadline(), self._backend.keys(older_than), lambda _key: LEAST_RATE)

    def _each(self, deadline: Deadline, parts: Iterator[T], size_of: Callable[[T], int]) -> Iterator[T]:
        """Yield what comes; only the time counts in which we wait for the bucket, not in which our client reads."""
        left = float(REQUEST_S)
        try:
            while True:
                deadline.extend(left)
                began = time.monotonic()
                with self._asking(deadline):
                    part = next(parts, None)
                if part is None:
                    return
                left = min(REQUEST_S, left + size_of(part) / LEAST_RATE - (time.monotonic() - began))
                if left <= 0:
                    self._avoid()
                    raise _too_slow()
                yield part
        finally:
            close = getattr(parts, "close", None)
            if close is not None:
                close()

    @contextmanager
    def _asking(self, deadline: Deadline) -> Iterator[None]:
        """Take a place in the shares, and end what takes longer than the deadline.

        Raises:
            StorageUnavailable: it does, did so just now, or too much waits for this bucket already.
        """
        if _avoided.get(self._bucket_id, 0) > time.monotonic():
            raise _too_slow()
        with ExitStack() as places:
            self._take_places(places)
            places.enter_context(deadline)
            try:
                yield
            except Exception:
                if not deadline.is_over:
                    raise
        if deadline.is_over:  # an answer that was cut off in its head looks like one that has ended
            if not deadline.was_abandoned:
                self._avoid()
            raise _too_slow()

    def _take_places(self, places: ExitStack) -> None:
        caller, bucket = current().caller, str(self._bucket_id)
        try:
            if self._is_operators and caller:
                places.enter_context(_requests.passing(bucket))
            elif not self._is_operators:
                if caller:
                    places.enter_context(_callers.passing(caller))
                places.enter_context(_shares.passing(bucket))
        except (TooManyRequests, Unavailable) as error:
            text = "Too many requests wait for this bucket; try again in a minute."
            raise StorageUnavailable(text) from error

    def _avoid(self) -> None:
        if self._bucket_id is not None and not self._is_operators:
            _avoided[self._bucket_id] = time.monotonic() + AVOIDED_S


def _deadline(size_bytes: int = 0) -> Deadline:
    return Deadline(REQUEST_S + size_bytes / LEAST_RATE, current().is_abandoned)


def _too_slow() -> StorageUnavailable:
    return StorageUnavailable(
        f"The bucket did not answer within {REQUEST_S} s, or sent less than {LEAST_RATE // 1024} KiB/s;"
        f" it is asked again after {AVOIDED_S} s."
    )


def guarded(backend: Backend, bucket_id: int | None, *, is_operators: bool) -> Backend:
    """Return a backend that keeps to these limits.

    Args:
        backend: Which.
        bucket_id: Whose share of the threads it uses; None of one that is only tried.
        is_operators: Whether the operator named it: it has half of the threads, and is never avoided.
    """
    return cast("Backend", _GuardedBackend(backend, bucket_id, is_operators=is_operators))
