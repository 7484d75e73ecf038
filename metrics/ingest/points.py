"""Writing the points of a group of posts, inside the group's one transaction."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from common.database.sql import execute_in, execute_many
from metrics.ingest.key_limit import KeyCounter, excess_reason
from metrics.ingest.listeners import CommittedRows
from metrics.ingest.placement import Placer, SequenceRange, StoredRows, end_of, place_numbered
from metrics.ingest.post import PostedRows, pack_batches
from metrics.models import Sequence as SequenceRow
from metrics.models import Stream, StreamKind
from metrics.store import keysets, reads, row_blocks
from metrics.store.batches import cut
from metrics.store.codec import MAX_ROWS, Batch, encode, mark_of, unpack
from metrics.store.reads import X_OF
from runs.ingest.bad_lines import MAX_TEXT

StreamKey = tuple[int, int]
"""(run id, kind)"""
_TailRow = tuple[int, int, int, int, float, float, int, bytes]
"""The columns of a Tail, in the order of its INSERT."""


@dataclass(slots=True)
class _PendingBatch:
    run_id: int
    kind: int
    row0: int
    rows: Sequence[dict[str, Any]]
    batch: Batch
    x0: float
    x1: float


@dataclass(slots=True)
class _StreamState:
    """What a group needs of a stream, and changes."""

    pk: int
    next_row: int
    last_step: float | None
    last_at: float | None


class PointWriter:
    """Places and writes the lines of one group; the caller has locked its runs."""

    def __init__(self, run_ids: Iterable[int], at: datetime) -> None:
        self.at = at
        self.run_ids = sorted(set(run_ids))
        self.streams = self._load_streams()
        self.ranges = self._load_ranges()
        self.pending: dict[StreamKey, list[_PendingBatch]] = defaultdict(list)
        self.changed: set[StreamKey] = set()
        self.keys = KeyCounter()
        self.set_aside: list[tuple[int, str, str, str]] = []
        """(run id, kind, text, reason) of rows that would have brought too many keys."""
        self._read: dict[StreamKey, tuple[int, list[dict[str, Any]]]] = {}

    def _load_streams(self) -> dict[StreamKey, _StreamState]:
        found = self._stored_streams()
        if len(found) < len(self.run_ids) * len(X_OF):
            needed = {(run_id, kind) for run_id in self.run_ids for kind in X_OF}
            missing = [Stream(run_id=run_id, kind=kind) for run_id, kind in sorted(needed - found.keys())]
            Stream.objects.bulk_create(missing, ignore_conflicts=True)
            found = self._stored_streams()
        return found

    def _stored_streams(self) -> dict[StreamKey, _StreamState]:
        rows = execute_in(
            "SELECT run_id, kind, id, next_row, last_step, last_at FROM metrics_stream WHERE run_id IN",
            self.run_ids,
        )
        return {(run_id, kind): _StreamState(*values) for run_id, kind, *values in rows}

    def _load_ranges(self) -> dict[tuple[int, int, str], list[SequenceRange]]:
        ranges: dict[tuple[int, int, str], list[SequenceRange]] = defaultdict(list)
        rows = execute_in(
            "SELECT run_id, kind, writer, lifetime, first_offset, base_row, row_count, gap_before, replaced,"
            " written_at, id"
            " FROM metrics_sequence WHERE run_id IN",
            self.run_ids,
            "ORDER BY id",
        )
        for run_id, kind, writer, *values in rows:
            ranges[run_id, kind, writer].append(SequenceRange(*values))
        return ranges

    # -- looking at what is stored -------------------------------------------------------------------------------

    def _stored_row(self, key: StreamKey, row: int) -> dict[str, Any] | None:
        for pending in self.pending[key]:
            if pending.row0 <= row < pending.row0 + len(pending.rows):
                return pending.rows[row - pending.row0]
        start, rows = self._read.get(key, (0, []))
        if not start <= row < start + len(rows):
            start, rows = self._read[key] = row, self._rows_from(key, row)
        return rows[row - start] if rows else None

    @staticmethod
    def _rows_from(key: StreamKey, row: int) -> list[dict[str, Any]]:
        """Return some stored rows from one on: lines of a replay are looked up in order."""
        for block in row_blocks.blocks(key[0], StreamKind(key[1]), row_from=row):
            return unpack(cut(block.batch(), 0, MAX_ROWS))
        return []

    def _find(self, key: StreamKey, line: dict[str, Any]) -> int | None:
        for pending in self.pending[key]:
            for number, row in enumerate(pending.rows, pending.row0):
                if same_line(row, line):
                    return number
        x = _x_of(line, key[1], None)
        bounds = {} if x is None else {"x_from": x, "x_to": x}
        for number, row in reads.scan(key[0], StreamKind(key[1]), **bounds):
            if same_line(row, line):
                return number
        return None

    def _stored(self, key: StreamKey, rows: Sequence[dict[str, Any]]) -> StoredRows:
        stream = self.streams[key]

        def telling(line: int) -> int | None:
            """Return the first line from one on that is not empty: what stands for a bad line tells nothing."""
            return next((number for number in range(line, len(rows)) if rows[number]), None)

        def steps_back(line: int) -> bool:
            found = telling(line)
            at: Any = None if found is None else rows[found].get("_timestamp")
            if found is None:
                return False
            return stream.last_at is None or not _is_number(at) or bool(at <= stream.last_at)

        def is_same(row: int, line: int) -> bool:
            for number in range(line, min(len(rows), line + stream.next_row - row)):
                stored = self._stored_row(key, row + number - line)
                if stored and rows[number]:
                    return same_line(stored, rows[number])
            return not rows[line]

        def find(line: int) -> int | None:
            found = telling(line)
            row = None if found is None else self._find(key, rows[found])
            if found is None or row is None or row < found - line:
                return None
            row -= found - line
            return row if is_same(row, line) else None

        return StoredRows(next_row=stream.next_row, is_same=is_same, find=find, steps_back=steps_back)

    # -- writing -------------------------------------------------------------------------------------------------

    def write(self, run_id: int, kind: StreamKind, writer: str, lines: PostedRows) -> Placer:
        """Place a post's lines and add the new ones; the placer says whether they were new."""
        key = (run_id, int(kind))
        ranges = self.ranges[run_id, int(kind), writer]
        stored = self._stored(key, lines.rows)
        if writer and ranges:  # its id is its process's own, and the others' lines say nothing of its time
            stored.steps_back = lambda _: False
        placer = Placer(ranges, stored)
        for span in placer.place(lines.offset, len(lines.rows)):
            self._add(key, span.row, lines, span.start, span.stop)
        return placer

    def write_numbered(self, run_id: int, kind: StreamKind, writer: str, lines: PostedRows) -> int:
        """Write the new lines of a numbered post; return how many, from the first on, were stored already."""
        key, count = (run_id, int(kind)), len(lines.rows)
        next_row = self.streams[key].next_row
        ranges = self.ranges[run_id, int(kind), writer]
        known = place_numbered(ranges, next_row=next_row, offset=lines.offset, count=count)
        if known < count:
            self._add(key, next_row, lines, known, count)
        return known

    def ends(self, run_id: int, writer: str) -> dict[StreamKind, int]:
        """Return the offset after the writer's last line of each kind, as it will be after the commit."""
        return {kind: end_of(self.ranges[run_id, int(kind), writer]) for kind in StreamKind}

    def _add(self, key: StreamKey, row: int, lines: PostedRows, start: int, stop: int) -> None:
        """Hold some of a post's lines until `flush`, and move the stream's ends."""
        stream, rows = self.streams[key], lines.rows[start:stop]
        batches = lines.batches if len(rows) == len(lines.rows) else list(pack_batches(rows))
        if key[1] == StreamKind.HISTORY and any(map(_lacks_step, rows)):
            rows = self._with_steps(key, rows)
            batches = list(pack_batches(rows))
        refused = self._refused(key, batches)
        if refused:
            rows = self._without(key, rows, refused)
            batches = list(pack_batches(rows))
        done = 0
        for batch in batches:
            part, row0 = rows[done : done + batch.row_count], row + done
            steps, times = batch.bounds("_step"), batch.bounds("_timestamp")
            x0, x1 = _x_range(row0, batch.row_count, steps if key[1] == StreamKind.HISTORY else times)
            self.pending[key].append(_PendingBatch(key[0], key[1], row0, part, batch, x0, x1))
            done += batch.row_count
            stream.last_step = _later(stream.last_step, steps)
            stream.last_at = _later(stream.last_at, times)
        stream.next_row = row + len(rows)
        self.changed.add(key)

    def prepare_keys(self, posted: Iterable[tuple[int, StreamKind, PostedRows | None]]) -> None:
        """Read what is needed to count the keys of some posts, by one query."""
        self.keys.load(
            [
                (self.streams[run_id, int(kind)].pk, batch)
                for run_id, kind, lines in posted
                if lines is not None
                for batch in lines.batches
            ]
        )

    def _refused(self, key: StreamKey, batches: Iterable[Batch]) -> set[int]:
        """Return the rows that would bring the stream more keys than it may have."""
        refused: set[int] = set()
        done = 0
        for batch in batches:
            refused.update(done + row for row in self.keys.excess(self.streams[key].pk, batch))
            done += batch.row_count
        return refused

    def _without(
        self, key: StreamKey, rows: Sequence[dict[str, Any]], refused: Collection[int]
    ) -> list[dict[str, Any]]:
        """Empty some rows, so that numbers hold, and set them aside."""
        kind, reason = str(StreamKind(key[1]).label), excess_reason()
        self.set_aside += [
            (key[0], kind, reads.json_line(rows[row])[:MAX_TEXT], reason) for row in sorted(refused)
        ]
        return [{} if number in refused else row for number, row in enumerate(rows)]

    def _with_steps(self, key: StreamKey, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Give rows without a step the next one: before SDK 0.31 writers in shared mode leave it to the server."""
        last = self.streams[key].last_step
        step = -1 if last is None else int(last)
        numbered = []
        for row in rows:
            own: Any = step + 1 if _lacks_step(row) else row.get("_step")
            step = max(step, int(own)) if _is_number(own) else step
            numbered.append({**row, "_step": step} if _lacks_step(row) else row)
        return numbered

    def next_row(self, run_id: int, kind: StreamKind) -> int:
        """Return the stream's cursor as it will be after the commit."""
        return self.streams[run_id, int(kind)].next_row

    def written(self) -> list[CommittedRows]:
        """Return the rows that were added, by stream and in order."""
        return [
            CommittedRows(self.streams[key].pk, item.run_id, item.kind, item.row0, item.batch)
            for key, some in self.pending.items()
            for item in some
        ]

    def flush(self) -> Callable[[], None]:
        """Write everything; return what to call after the commit."""
        pending = [item for key in sorted(self.pending) for item in self.pending[key]]
        ids = keysets.ids_of({group.keys for item in pending for group in item.batch.groups})
        compress = connection.vendor == "sqlite"  # PostgreSQL compresses large values itself
        tails = [_tail_row(item, ids, compress=compress) for item in pending]
        execute_many(
            "INSERT INTO metrics_tail (run_id, kind, row0, row_count, x0, x1, codec, payload)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s, %s)",
            tails,
        )
        self._write_streams(tails)
        self._write_ranges()
        remember_keys = self.keys.flush()

        def after_commit() -> None:
            keysets.remember(ids)
            remember_keys()

        return after_commit

    # The hot statements are written by hand: through the ORM they were two thirds of a post's CPU.

    def _write_streams(self, tails: Iterable[_TailRow]) -> None:
        added: dict[StreamKey, int] = defaultdict(int)
        for run_id, kind, *_, payload in tails:
            added[run_id, kind] += len(payload)
        changed = [(key, self.streams[key]) for key in sorted(self.changed)]
        rows = [(row.next_row, row.last_step, row.last_at, added[key], row.pk) for key, row in changed]
        execute_many(
            "UPDATE metrics_stream SET next_row = %s, last_step = %s, last_at = %s, tail_bytes = tail_bytes + %s"
            " WHERE id = %s",
            rows,
        )

    def _write_ranges(self) -> None:
        fresh: list[SequenceRow] = []
        grown: list[tuple[Any, ...]] = []
        at = self.at.timestamp()
        for (run_id, kind, writer), ranges in sorted(self.ranges.items()):
            for sequence in ranges:
                if not sequence.is_changed:
                    continue
                if sequence.pk is not None:
                    grown.append((sequence.row_count, sequence.replaced, at, sequence.pk))
                    continue
                row = SequenceRow(
                    run_id=run_id, kind=kind, writer=writer, lifetime=sequence.lifetime,
                    first_offset=sequence.first_offset, base_row=sequence.base_row, row_count=sequence.row_count,
                    gap_before=sequence.gap_before, replaced=sequence.replaced, written_at=at,
                )  # fmt: skip
                fresh.append(row)
        execute_many(
            "UPDATE metrics_sequence SET row_count = %s, replaced = %s, written_at = %s WHERE id = %s", grown
        )
        SequenceRow.objects.bulk_create(fresh)


def _later(known: float | None, bounds: tuple[float, float, int] | None) -> float | None:
    if bounds is None:
        return known
    return bounds[1] if known is None else max(known, bounds[1])


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value  # noqa: PLR0124 - NaN


def _lacks_step(row: dict[str, Any]) -> bool:
    """Say whether a row of history came without a step; what stands for a line that cannot be read has nothing."""
    return bool(row) and "_step" not in row


def _x_of(row: dict[str, Any], kind: int, default: Any) -> Any:
    x = row.get(X_OF[StreamKind(kind)])
    return x if _is_number(x) else default


def _tail_row(item: _PendingBatch, ids: dict[tuple[str, ...], int], *, compress: bool) -> _TailRow:
    codec, payload = encode(item.batch, ids.__getitem__, compress=compress)
    return item.run_id, item.kind, item.row0, item.batch.row_count, item.x0, item.x1, codec, payload


def _x_range(row0: int, row_count: int, bounds: tuple[float, float, int] | None) -> tuple[float, float]:
    """Return a batch's range of x; a row without one counts as at its number."""
    last = row0 + row_count - 1
    if bounds is None:
        return float(row0), float(last)
    x0, x1, count = bounds
    return (x0, x1) if count == row_count else (min(x0, row0), max(x1, last))


def same_line(stored: dict[str, Any] | None, line: dict[str, Any]) -> bool:
    """Say whether two lines are the same one sent twice: by mark, or whole where they carry none."""
    if stored is None:
        return False
    if "_step" not in line and "_step" in stored:  # the server has given it
        stored = {key: value for key, value in stored.items() if key != "_step"}
    mark = mark_of(line)
    if mark != mark_of(stored):
        return False
    return mark[1] is not None or stored == line
