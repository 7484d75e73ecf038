"""Moving all content of a team to another bucket, or to the data folder (TEAM-40).

New content goes to the target from the start. Each content that lies elsewhere is copied, compared with its digests,
and named there in one short transaction; what nobody names any more is left to the sweep. So a move that is cut off
goes on where it was, and nothing is ever lost by it.
"""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from threading import Event, Lock, Thread

from django.db import DatabaseError, connections, transaction
from django.db.models import F, ProtectedError, QuerySet
from django.db.models.functions import Greatest
from django.utils import timezone

from common.errors import DomainError
from storage import filesystem, owners
from storage.backends.base import StorageUnavailable
from storage.buckets.services import backend_of
from storage.contents import writing
from storage.contents.reading import content_of
from storage.models import Blob, Bucket, BucketMove
from storage.services import recording
from teams.models import Team

logger = logging.getLogger(__name__)

SETTLED_AFTER = timedelta(seconds=15)
"""How long after its start a move may end: until then, some process may still go by what it knew of the team."""
_LEASE = timedelta(minutes=5)
_RENEWED_EVERY_S = 30.0
_WAIT = timedelta(minutes=1)
"""Until a move that failed is tried again."""
_WAIT_FOR_UNREADABLE = timedelta(hours=1)
_FAILURES_IN_A_ROW = 3
"""Contents of a bucket that cannot be read, until it counts as one that does not answer."""
_MOST_LISTED = 1000
_SLICE_S = 300.0
"""For which one move goes on while others wait."""
_busy = Lock()
_AT_ONCE = 200
"""Contents that are looked up together."""


class _UnreadableError(Exception):
    """A content that cannot be read, or is another than was stored."""


class _TakenOverError(Exception):
    """Another worker goes on with the move."""


def under_way(team_id: int) -> BucketMove | None:
    """Return the move of a team that has not ended."""
    return (
        BucketMove.objects.filter(team=team_id, finished_at=None).select_related("source", "target").first()
    )


def misplaced(team_id: int, bucket_id: int | None) -> "QuerySet[Blob]":
    """Return the contents of a team that lie anywhere but in this bucket, None for the data folder."""
    elsewhere = (
        Blob.objects.filter(bucket__isnull=False)
        if bucket_id is None
        else Blob.objects.exclude(bucket=bucket_id)
    )
    found = elsewhere.none()
    for owner in owners.blob_owners():
        found |= elsewhere.filter(pk__in=owner.blobs_of_team(team_id))
    return found.order_by("pk")


def wake(move: BucketMove) -> None:
    """Let a move that has stopped go on now; one that a worker is at is left alone."""
    stopped = BucketMove.objects.filter(pk=move.pk, finished_at=None).exclude(error="")
    stopped.update(wakes_at=timezone.now(), error="")


def begin_late_moves() -> int:
    """Begin to move what has come to lie outside of the buckets of its teams since; returns of how many teams.

    So it is with runs that were moved into such a team, and with drafts that were begun before it had one.
    """
    begun = 0
    for bucket in Bucket.objects.exclude(team=None):
        with suppress(Team.DoesNotExist), transaction.atomic():  # it was disconnected meanwhile
            team = Team.objects.select_for_update(no_key=True, of=("self",)).get(bucket=bucket)
            count = misplaced(team.pk, bucket.pk).count()
            if count and under_way(team.pk) is None:
                BucketMove.objects.create(team=team, target=bucket, files_left=count)
                begun += 1
    return begun


def forget_empty_buckets() -> int:
    """Forget buckets, and their credentials, that were disconnected and hold nothing any more; returns how many."""
    idle = Bucket.objects.filter(team=None, blobs=None).exclude(sealed_credentials="")
    busy = BucketMove.objects.filter(finished_at=None).exclude(source=None).values("source")
    forgotten = 0
    for bucket in idle.exclude(pk__in=busy):
        try:
            if next(backend_of(bucket.pk).keys(timezone.now()), None) is None:
                BucketMove.objects.filter(target=bucket).exclude(finished_at=None).update(target=None)
                bucket.delete()
                forgotten += 1
        except (StorageUnavailable, ProtectedError) as error:  # a draft may still expect files there
            logger.info("the bucket %s is kept: %s", bucket, error)
    return forgotten


def go_on_with_all() -> int:
    """Go on with each move whose time has come, one after the other; returns how many contents were moved."""
    if not _busy.acquire(blocking=False):  # other tasks need the threads of this worker, too
        return 0
    try:
        due = BucketMove.objects.filter(finished_at=None, wakes_at__lte=timezone.now()).order_by("wakes_at")
        return sum(go_on(pk) for pk in list(due.values_list("pk", flat=True)))
    finally:
        _busy.release()


def go_on(move_id: int) -> int:
    """Move what is left, unless another worker is at it; returns how many contents were moved. Safe to run again.

    What goes wrong is kept with the move, which is tried again after a while.
    """
    now = timezone.now()
    claimed = BucketMove.objects.filter(pk=move_id, finished_at=None, wakes_at__lte=now)
    if not claimed.update(wakes_at=now + _LEASE):
        return 0
    worker = _Worker(BucketMove.objects.get(pk=move_id))
    try:
        worker.run()
    except _TakenOverError:
        logger.info("move %s is another worker's", move_id)
    except DomainError as error:
        worker.stop(error.message, _WAIT)
    except Exception:
        worker.stop("The server could not move a file. See its log for the reason.", _WAIT)
        raise
    return worker.moved


class _Worker:
    """Does a move, as long as it holds its lease."""

    def __init__(self, move: BucketMove) -> None:
        self._move, self._lease = move, move.wakes_at
        self._lock, self._is_lost = Lock(), False
        self._unreadable: dict[str, str] = {}
        self.moved = 0

    def run(self) -> None:
        """Move everything, then end the move or say what cannot be read.

        Raises:
            DomainError: a bucket does not take or give anything.
            _TakenOverError: another worker goes on.
        """
        with self._renewing():
            is_through = self._move_all()
        if is_through:
            self._end()
        else:
            self._update(timezone.now(), files_left=self._left().count())

    @contextmanager
    def _renewing(self) -> Iterator[None]:
        """Keep the lease, and how much is left, up to date meanwhile: one file may take hours."""
        is_over = Event()
        thread = Thread(target=self._renew_until, args=[is_over], name="renews-move", daemon=True)
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()

    def _renew_until(self, is_over: Event) -> None:
        while not is_over.wait(_RENEWED_EVERY_S):
            try:
                self._is_lost = not self._update(timezone.now() + _LEASE, files_left=self._left().count())
            except DatabaseError as error:
                logger.warning("the lease of move %s was not renewed: %s", self._move.pk, error)
            finally:
                connections.close_all()

    def _move_all(self) -> bool:
        """Return whether all were tried, and the time was enough."""
        failures, ends_at = 0, time.monotonic() + _SLICE_S
        for blob in self._each():
            if self._is_lost:
                raise _TakenOverError
            if time.monotonic() > ends_at:
                return False
            try:
                self._move_one(blob)
                failures = 0
            except _UnreadableError as error:
                if not self._left().filter(pk=blob.pk).exists():
                    continue  # it was deleted meanwhile
                self._unreadable[str(blob.pk)] = str(error)
                cause = error.__cause__
                failures = failures + 1 if isinstance(cause, StorageUnavailable) else 0
                if isinstance(cause, StorageUnavailable) and failures >= _FAILURES_IN_A_ROW:
                    raise cause from None
        return True

    def _each(self) -> Iterator[Blob]:
        last = 0
        while some := list(self._left().filter(pk__gt=last)[:_AT_ONCE]):
            yield from some
            last = some[-1].pk

    def stop(self, error: str, wait: timedelta) -> None:
        """Leave the move for a while, and say why."""
        self._update(
            timezone.now() + wait, error=error, unreadable=self._listed(), files_left=self._left().count()
        )

    def _left(self) -> "QuerySet[Blob]":
        return misplaced(self._move.team_id, self._move.target_id)

    def _update(self, wakes_at: datetime, **values: object) -> bool:
        """Change the move and its lease, unless another worker has it by now; returns whether none has."""
        with self._lock:
            mine = BucketMove.objects.filter(pk=self._move.pk, finished_at=None, wakes_at=self._lease)
            if not mine.update(wakes_at=wakes_at, **values):
                return False
            self._lease = wakes_at
            return True

    def _listed(self) -> dict[str, str]:
        return dict(list(self._unreadable.items())[:_MOST_LISTED])

    def _move_one(self, blob: Blob) -> None:
        with filesystem.Incoming() as incoming:
            for piece in self._pieces(blob):
                incoming.write(piece)
            received = incoming.finish()
            if (received.size_bytes, received.md5) != (blob.size_bytes, blob.md5) or (
                blob.digest not in {"", received.digest}
            ):
                raise _UnreadableError("It has other bytes than were stored.")
            placed = writing.place_in(received, self._move.target_id)
        self._check_arrived(placed, blob.size_bytes)
        with recording(placed) as new:
            for owner in owners.blob_owners():
                owner.repoint(self._move.team_id, blob, new)
            # links to it that were given out work until they expire: what is unused is kept for a day
            Blob.objects.filter(pk=blob.pk).update(seen_at=timezone.now())
            BucketMove.objects.filter(pk=self._move.pk).update(
                files_done=F("files_done") + 1, files_left=Greatest(F("files_left") - 1, 0),
                bytes_done=F("bytes_done") + blob.size_bytes, error="",
            )  # fmt: skip
        self.moved += 1

    def _pieces(self, blob: Blob) -> Iterator[bytes]:
        try:
            yield from content_of(blob).pieces()
        except FileNotFoundError as error:
            raise _UnreadableError("It is not there.") from error
        except StorageUnavailable as error:
            raise _UnreadableError(error.message) from error

    def _check_arrived(self, placed: writing.PlacedContent, size_bytes: int) -> None:
        if placed.bucket_id is not None and placed.location:
            info = backend_of(placed.bucket_id).info(placed.location)
            if info is None or info.size_bytes != size_bytes:
                raise StorageUnavailable("The bucket does not have what was written.")

    def _end(self) -> None:
        left, now = self._left().count(), timezone.now()
        if self._unreadable:
            message = f"{len(self._unreadable)} files cannot be read; they stay where they are, and are tried again."
            self.stop(message, _WAIT_FOR_UNREADABLE)
        elif left or now < self._move.started_at + SETTLED_AFTER:
            wakes_at = (now if left else self._move.started_at) + SETTLED_AFTER
            self._update(wakes_at, files_left=left, unreadable={})
        else:
            self._update(now, files_left=0, unreadable={}, error="", finished_at=now)
