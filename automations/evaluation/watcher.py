"""Looking at metrics as they are committed, on a thread of its own, never in the way of a client's answer (ALR-6).

The group commit puts aside what it wrote; once a second the thread takes all of it and looks at each row once.
What it has not seen (written by another process, or by this one while it could not keep up) it notices by the numbers
of rows and reads from the store. After kill -9 the next process begins where cursors say.
"""

import logging
import threading
import time
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from django.db import Error as DatabaseError
from django.db import connection

from automations.evaluation import streams
from automations.evaluation.evaluator import StreamUpdate, find_hits
from automations.evaluation.hits import fire_hits
from automations.evaluation.rules import RELOAD_S, RuleBook
from automations.evaluation.streams import Rows, WatchedStream
from metrics.ingest.listeners import CommittedRows, attach_observer, detach_observer
from metrics.store.batches import cut

logger = logging.getLogger(__name__)

GATHER_S = 1.0
"""How long rows are gathered before they are looked at: rows of many runs cost little more than those of one."""
CURSORS_EVERY_S = 5.0
MOST_NUMBERS = 4_000_000
"""Numbers of rows that wait: 32 MB. Others are read from the store when their turn comes."""
MOST_STREAMS = 10_000
MOST_ROWS = 65_536
"""Of one stream, looked at together."""
MOST_WINDOW_BYTES = 128 * 1024 * 1024
RETRY_S = 1.0
_STOP_S = 10.0


@dataclass(slots=True)
class _Waiting:
    """Rows that were committed and not yet looked at."""

    rows: list[Rows]
    numbers: int = 0


class Watcher:
    """Looks at what a process commits. Without `start` nothing is looked at until `look`, as tests do."""

    def __init__(self) -> None:
        self.book = RuleBook()
        self.watched: OrderedDict[int, WatchedStream] = OrderedDict()
        """By stream, the longest untouched first."""
        self._waiting = _Waiting([])
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._moved: dict[int, WatchedStream] = {}
        """Whose cursors are to be written."""
        self._kept_at = time.monotonic()
        self._window_bytes: dict[int, int] = {}
        self._project_of: dict[int, int] = {}
        """By run; forgotten every few seconds, since one may move to another project."""
        self._projects_since = float("-inf")
        self._is_over = False
        self._thread = threading.Thread(target=self._run, name="automations", daemon=True)

    # -- on the thread that commits ------------------------------------------------------------------------------

    def take(self, written: Sequence[CommittedRows]) -> None:
        """Put aside what was committed."""
        with self._lock:
            waiting = self._waiting
            for one in written:
                size = sum(group.values.size for group in one.batch.groups)
                batch = one.batch if waiting.numbers + size <= MOST_NUMBERS else None
                waiting.numbers += size if batch is not None else 0
                waiting.rows.append(Rows(one.stream, one.run_id, one.kind, one.row0, batch))
        self._wake.set()

    # -- on its own ----------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin: first with what no process has looked at, then with what is committed."""
        attach_observer(self.take)
        self._thread.start()

    def stop(self) -> None:
        """Look at what waits, and end."""
        detach_observer(self.take)
        self._is_over = True
        self._wake.set()
        self._thread.join(_STOP_S)

    def _run(self) -> None:
        self._guarded(self.catch_up)
        while not self._is_over:
            self._wake.wait()
            self._wake.clear()
            if not self._is_over:
                time.sleep(GATHER_S)
            self._guarded(self.look)
        self._guarded(self.look)
        self._guarded(self.store_cursors)
        connection.close()

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:
            logger.exception("automations could not look at metrics; they try again")
            if isinstance(error, DatabaseError):
                connection.close()
            self._wake.set()
            time.sleep(RETRY_S)

    def catch_up(self) -> None:
        """Look at what was committed by a process that ended before it had looked."""
        if self.book.any():
            for some in streams.unread_streams():
                self._look_at(some)

    def look(self) -> None:
        """Look at all that waits, and now and then write how far that is.

        Raises:
            DatabaseError: what waits is looked at the next time.
        """
        with self._lock:
            rows, self._waiting = self._waiting.rows, _Waiting([])
        try:
            if not self.book.any():
                self.watched.clear()
                self._window_bytes.clear()
                return
            self._look_at(rows)
        except DatabaseError:
            with self._lock:  # what is in the store need not be kept
                again = [Rows(one.stream, one.run_id, one.kind, one.row0, None) for one in rows]
                self._waiting.rows[:0] = again
            raise
        except Exception:  # of one run or automation: the others must not wait for it
            logger.exception("automations could not look at some runs; each is tried alone")
            self._look_at_each(rows)
        if time.monotonic() >= self._kept_at + CURSORS_EVERY_S:
            self.store_cursors()

    def store_cursors(self) -> None:
        """Write how far streams were looked at."""
        self._kept_at = time.monotonic()
        if self._moved:
            streams.store_cursors(self._moved.values())
            self._moved.clear()

    def _look_at_each(self, rows: Sequence[Rows]) -> None:
        for some in _by_stream(rows).values():
            try:
                self._look_at(some)
            except DatabaseError:
                raise
            except Exception:
                logger.exception("automations skip rows of run %s", some[0].run_id)

    def _look_at(self, rows: Sequence[Rows]) -> None:
        by_stream = _by_stream(rows)
        watched = self._follow(by_stream)
        before = {one.stream: one.row for one in watched}
        try:
            updates = self._gather(watched, by_stream)
            fire_hits(find_hits(updates))
        except Exception:
            for one in watched:  # begin anew from there, with the store's rows
                one.row, one.windows = before[one.stream], None
            raise
        for update in updates:
            update.settle()
        self._note(watched, before)

    def _follow(self, by_stream: dict[int, list[Rows]]) -> list[WatchedStream]:
        """Return what is watched of the streams, new ones among them."""
        run_of = {stream: rows[0].run_id for stream, rows in by_stream.items()}
        project_of = self._projects_of(set(run_of.values()))
        rules_of = self.book.of(set(project_of.values()))
        fresh = {}
        for stream, run_id in run_of.items():
            rules = rules_of.get(project_of.get(run_id, 0))
            if rules is None:
                self._forget(stream)
            elif stream in self.watched:
                self.watched[stream].follow(rules)
            else:
                fresh[stream] = by_stream[stream][0]
        by_run = {one.run_id: rules_of[project_of[one.run_id]] for one in fresh.values()}
        for stream, row in (streams.first_rows(fresh, by_run) if fresh else {}).items():
            one = fresh[stream]
            self.watched[stream] = WatchedStream(
                stream, one.run_id, one.kind, project_of[one.run_id], by_run[one.run_id], row
            )
        return [self.watched[stream] for stream in by_stream if stream in self.watched]

    def _projects_of(self, run_ids: set[int]) -> dict[int, int]:
        if time.monotonic() >= self._projects_since + RELOAD_S:
            self._project_of.clear()
            self._projects_since = time.monotonic()
        unknown = [run_id for run_id in run_ids if run_id not in self._project_of]
        if unknown:
            self._project_of.update(streams.projects_of(unknown))
        return {run_id: self._project_of[run_id] for run_id in run_ids if run_id in self._project_of}

    def _gather(
        self, watched: Sequence[WatchedStream], by_stream: dict[int, list[Rows]]
    ) -> list[StreamUpdate]:
        """Add the new rows to the windows; return where, per stream."""
        updates = {one.stream: StreamUpdate(one, one.row) for one in watched}
        behind = {one.stream for one in watched if _is_behind(one, by_stream[one.stream])}
        to_read = [one for one in watched if one.stream in behind or one.is_unfilled]
        for one, row0, batch in streams.read(to_read, behind) if to_read else ():
            update = updates[one.stream]
            update.add(row0, batch)
            if update.row_count >= MOST_ROWS:  # of a run that was not looked at for long
                fire_hits(find_hits([update]))
                update.settle()
        for one in watched:
            for rows in by_stream[one.stream]:
                skip = one.row - rows.row0
                if rows.batch is not None and 0 <= skip < rows.batch.row_count:
                    updates[one.stream].add(one.row, cut(rows.batch, skip, rows.batch.row_count))
        return [update for update in updates.values() if update.batches]

    def _note(self, watched: Iterable[WatchedStream], before: dict[int, int]) -> None:
        """Remember whose cursor moved; let go of what has been untouched for longest, when it is too much."""
        for one in watched:
            self.watched.move_to_end(one.stream)
            self._window_bytes[one.stream] = one.windows.size_bytes if one.windows else 0
            if one.row != before[one.stream]:
                self._moved[one.stream] = one
        total_bytes = sum(self._window_bytes.values())
        while self.watched and (len(self.watched) > MOST_STREAMS or total_bytes > MOST_WINDOW_BYTES):
            stream = next(iter(self.watched))
            total_bytes -= self._window_bytes[stream]
            self._forget(stream)

    def _forget(self, stream: int) -> None:
        self.watched.pop(stream, None)
        self._window_bytes.pop(stream, None)


def _by_stream(rows: Iterable[Rows]) -> dict[int, list[Rows]]:
    found: dict[int, list[Rows]] = defaultdict(list)
    for one in sorted(rows, key=lambda one: one.row0):
        found[one.stream].append(one)
    return found


def _is_behind(watched: WatchedStream, rows: Iterable[Rows]) -> bool:
    """Say whether rows before the last of these are to be read from the store."""
    at = watched.row
    for one in rows:
        if one.batch is None or one.row0 > at:
            return True
        at = max(at, one.row0 + one.batch.row_count)
    return False


_watcher: Watcher | None = None


def start() -> None:
    """Let this process look at what it commits."""
    global _watcher  # noqa: PLW0603 - one per process
    _watcher = Watcher()
    _watcher.start()


def stop() -> None:
    """Look at what waits, and end."""
    global _watcher  # noqa: PLW0603
    if _watcher is not None:
        _watcher.stop()
        _watcher = None
