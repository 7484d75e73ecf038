"""Reads of the metric store: packed segments first, then the tail, as one row of rows."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import orjson
from django.db.models import F, OuterRef, Q, Subquery

from common.database.commits import after_commit
from common.formats.strict_json import strict
from metrics.models import Export, Kind, Segment, Stream, Tail
from metrics.models import Sequence as SequenceRow
from metrics.store.batches import cut
from metrics.store.codec import MAX_ROWS, Batch, Floats, Rows, decode, row_numbers, unpack
from metrics.store.downsampling import Points
from metrics.store.key_stats import KeyStats, Tallies, shown_key
from metrics.store.keysets import keys_of
from metrics.store.pyramid import AXES, axes_of, level_for
from metrics.store.segment_cache import Content
from metrics.store.segment_storage import cold_store
from runs.lifecycle.purge import remove_some
from runs.models import Run

X_OF = {Kind.HISTORY: "_step", Kind.SYSTEM: "_timestamp"}
MAX_SEGMENT_ROWS = 65536
_TAILS_A_PAGE = 256
_TAIL_BYTES_AT_ONCE = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Column:
    """A key's numbers: ``rows`` and ``values`` of equal length, rows rising."""

    rows: Rows
    values: Floats

    def at(self, rows: Rows) -> Floats:
        """Return the values at rows that rise; NaN where there is none."""
        if not self.rows.size:
            return np.full(rows.size, np.nan)
        if np.array_equal(self.rows, rows):
            return self.values
        where = np.minimum(np.searchsorted(self.rows, rows), self.rows.size - 1)
        return np.where(self.rows[where] == rows, self.values[where], np.nan)


def places_on(axis: Column, rows: Rows, x: str) -> Floats:
    """Return where rows lie on an axis, NaN where a row has none of it; without a clock or steps, by their numbers."""
    return rows.astype(float) if x in AXES and not axis.rows.size else axis.at(rows)


EMPTY = Column(np.array([], np.int64), np.array([], np.float64))


def cursors(run_ids: Collection[int], kind: Kind) -> dict[int, int]:
    """Return, per run that has a stream, the row that its next line will be."""
    rows = Stream.objects.filter(run_id__in=run_ids, kind=kind)
    return dict(rows.values_list("run_id", "next_row"))


def cursor(run_id: int, kind: Kind) -> int:
    """Return the row that the stream's next line will be."""
    return cursors([run_id], kind).get(run_id, 0)


def last_steps(run_ids: Collection[int]) -> dict[int, int]:
    """Return the largest ``_step`` of each run's history, -1 when there is none."""
    found = Stream.objects.filter(run_id__in=run_ids, kind=Kind.HISTORY, last_step__isnull=False)
    steps = dict.fromkeys(run_ids, -1)
    return steps | {
        run_id: int(step) for run_id, step in found.values_list("run_id", "last_step") if step is not None
    }


def _shown_columns(batch: Batch, keys: Collection[str]) -> Iterator[tuple[str, Rows, Floats]]:
    """Yield (shown name, row numbers within the batch, values) of the columns of these shown names."""
    names = {
        column: shown
        for group in batch.groups
        for column in group.keys
        if (shown := shown_key(column)) in keys
    }
    for column, rows, values in batch.columns(names):
        yield names[column], rows, values


class Block:
    """Some consecutive rows that are read when asked for; ``since`` leaves earlier ones out."""

    def __init__(self, part: Segment | Tail, since: int) -> None:
        self.part = part
        self.row0 = max(part.row0, since)
        self._skipped = self.row0 - part.row0
        self.index = Content(part.name).index(bytes(part.index)) if isinstance(part, Segment) else None

    @property
    def row_to(self) -> int:
        """The row after its last."""
        return self.part.row_to

    def numbers(self, is_wanted: Callable[[str], bool]) -> Iterator[tuple[str, Rows, Floats]]:
        """Yield (shown name, rows of the stream, values) of the keys wanted; a segment is read only if it has some."""
        keys = None if self.index is None else {key for key in self.index.columns if is_wanted(key)}
        if keys is not None and not keys:
            return
        batch = self.batch(keys)
        for group in batch.groups:
            rows = row_numbers(group, batch.row_count) + self.row0
            for position, column in enumerate(group.keys):
                if is_wanted(shown := shown_key(column)):
                    yield shown, rows, group.values[position]

    def batch(self, keys: Collection[str] | None = None) -> Batch:
        """Return the rows, renumbered from 0; with ``keys`` (shown names) perhaps only those numeric columns."""
        if isinstance(self.part, Tail):
            whole = decode(self.part.codec, bytes(self.part.payload), keys_of)
        else:
            assert self.index is not None  # noqa: S101 - for mypy: segments have one
            content = Content(self.part.name, is_remembered=keys is not None)
            names = (
                None if keys is None else {name for key in keys for name in self.index.columns.get(key, ())}
            )
            whole = self.index.read(content, names)
        return cut(whole, self._skipped, whole.row_count)

    def narrowed(self, is_wanted: Callable[[str], bool]) -> Batch:
        """Return the rows, renumbered from 0, with what is wanted by its shown name; perhaps more."""
        if self.index is None:
            return self.batch()
        batch = self.batch({key for key in self.index.columns if is_wanted(key)})
        if self.index.has_others(is_wanted):
            batch.other = [(row - self.row0, path, value) for row, path, value in self.others()]
        return batch

    def others(self) -> Iterator[tuple[int, list[str], Any]]:
        """Yield (row of the stream, path, value) of all that is no number."""
        if isinstance(self.part, Tail):
            found = decode(self.part.codec, bytes(self.part.payload), keys_of).other
        else:
            assert self.index is not None  # noqa: S101 - for mypy: segments have one
            found = self.index.others(Content(self.part.name, is_remembered=False))
        for row, path, value in found:
            if row >= self._skipped:
                yield self.part.row0 + row, path, value

    def coarse(self, key: str, size: int) -> dict[str, Points] | None:
        """Return blocks of the key's points and of the axes; {} without such points, None where there is no level."""
        if self.index is not None and isinstance(self.part, Segment) and not self._skipped:
            content = Content(self.part.name)
            return self.index.blocks(content, key, size, AXES) if self.index.count(key) else {}
        batch = self.batch({key, *AXES})
        column = _joined([(rows, values) for _, rows, values in _shown_columns(batch, {key})])
        if not column.rows.size:
            return {}
        axes = {name: values[column.rows] for name, values in axes_of(batch).items()}
        return {name: Points.of(values, values) for name, values in {key: column.values, **axes}.items()}

    def tallies(self) -> Tallies:
        """Return what was logged under each key; a whole segment answers from its index."""
        if self.index is not None and not self._skipped:
            return self.index.tallies()
        tallies = Tallies()
        tallies.add(self.row0, self.batch())
        return tallies


def _tails(stream: Stream, row_from: int) -> Iterator[Tail]:
    """Yield the tail's batches by pages, each a statement of its own."""
    rows = Tail.objects.filter(run_id=stream.run_id, kind=stream.kind).order_by("row0")
    page = list(rows.filter(row0__gt=row_from - MAX_ROWS)[:_TAILS_A_PAGE])
    while page:
        yield from page
        full = len(page) == _TAILS_A_PAGE
        page = list(rows.filter(row0__gt=page[-1].row0)[:_TAILS_A_PAGE]) if full else []


def _parts(stream: Stream, row_from: int) -> Iterator[tuple[Segment | Tail, int]]:
    """Yield (segment or batch, first row wanted of it) in row order.

    Rows have no holes. Where the next batch begins later than the last one ended, a worker has packed what lay between
    since the segments were looked up: the walk goes on there.
    """
    at = row_from
    while True:
        segments = Segment.objects.filter(stream=stream, row0__gt=at - MAX_SEGMENT_ROWS).order_by("row0")
        for segment in segments:
            if segment.row_to > at:
                yield segment, at
                at = segment.row_to
        for tail in _tails(stream, at):
            if tail.row0 > at:
                break
            if tail.row_to > at:
                yield tail, at
                at = tail.row_to
        packed_to = Stream.objects.filter(pk=stream.pk).values_list("packed_to", flat=True).first()
        if (packed_to or 0) <= at:
            return


def blocks(
    run_id: int, kind: Kind, *, row_from: int = 0, x_from: float | None = None, x_to: float | None = None
) -> Iterator[Block]:
    """Yield what may hold rows from ``row_from`` on within the x range (bounds included), in row order."""
    stream = Stream.objects.filter(run_id=run_id, kind=kind).first()
    for part, since in _parts(stream, row_from) if stream else ():
        if (x_from is None or part.x1 >= x_from) and (x_to is None or part.x0 <= x_to):
            yield Block(part, since)


def blocks_of(
    run_ids: Collection[int], kind: Kind, *, since: Mapping[int, int] | None = None
) -> Iterator[tuple[int, list[Block]]]:
    """Yield (run id, its blocks) of the runs that have rows; a few statements for as many runs as fit in memory.

    ``since`` (run to row) leaves out earlier rows of those runs.
    """
    streams = Stream.objects.filter(run_id__in=run_ids, kind=kind, next_row__gt=0).order_by("run_id")
    some: list[Stream] = []
    tail_bytes = 0
    for stream in streams:
        if some and tail_bytes + stream.tail_bytes > _TAIL_BYTES_AT_ONCE:
            yield from _blocks_of(some, kind, since or {})
            some, tail_bytes = [], 0
        some.append(stream)
        tail_bytes += stream.tail_bytes
    yield from _blocks_of(some, kind, since or {})


def _later(name: str, firsts: Mapping[int, int]) -> Q:
    """Return which parts hold rows from the first wanted on; ``name`` refers to the keys of ``firsts``."""
    parts = Q(**{f"{name}__in": [key for key, first in firsts.items() if first <= 0]})
    for key, first in firsts.items():
        if first > 0:
            parts |= Q(**{name: key}, row0__gt=first - F("row_count"))
    return parts


def _blocks_of(
    streams: Sequence[Stream], kind: Kind, since: Mapping[int, int]
) -> Iterator[tuple[int, list[Block]]]:
    parts: dict[int, list[Segment | Tail]] = {stream.run_id: [] for stream in streams}
    run_of = {stream.pk: stream.run_id for stream in streams}
    of_streams = _later("stream", {pk: since.get(run_id, 0) for pk, run_id in run_of.items()})
    for segment in Segment.objects.filter(of_streams).order_by("row0"):
        parts[run_of[segment.stream_id]].append(segment)
    of_runs = _later("run", {run_id: since.get(run_id, 0) for run_id in parts})
    for tail in Tail.objects.filter(of_runs, kind=kind).order_by("row0"):
        parts[tail.run_id].append(tail)
    packed_to = dict(Stream.objects.filter(pk__in=run_of).values_list("pk", "packed_to"))
    for stream in streams:
        first = since.get(stream.run_id, 0)
        found, at = [], first
        for part in parts[stream.run_id]:
            if part.row0 <= at < part.row_to:
                found.append(Block(part, at))
                at = part.row_to
        # packed, merged or rewound between the statements: the careful walk finds all of it
        is_whole = len(found) == len(parts[stream.run_id]) and at >= packed_to.get(stream.pk, 0)
        yield stream.run_id, found if is_whole else list(blocks(stream.run_id, kind, row_from=first))


def batches(run_id: int, kind: Kind, *, row_from: int = 0) -> Iterator[tuple[int, Batch]]:
    """Yield (first row, batch) from a row on, in row order."""
    for block in blocks(run_id, kind, row_from=row_from):
        yield block.row0, block.batch()


def _within(batch: Batch, x_key: str, x_from: float | None, x_to: float | None) -> tuple[int, int]:
    """Return from which row to before which row the batch's x are in the range, others perhaps between."""
    low = -np.inf if x_from is None else x_from
    high = np.inf if x_to is None else x_to
    found = [rows[(values >= low) & (values <= high)] for _, rows, values in batch.columns({x_key: 1})]
    rows = np.concatenate(found) if found else np.array([], np.int64)
    return (int(rows.min()), int(rows.max()) + 1) if rows.size else (0, 0)


def scan(
    run_id: int, kind: Kind, *, row_from: int = 0, x_from: float | None = None, x_to: float | None = None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (row number, row as it arrived) in row order; x bounds are on the kind's x, both included."""
    x_key = X_OF[kind]
    for block in blocks(run_id, kind, row_from=row_from, x_from=x_from, x_to=x_to):
        batch, start = block.batch(), 0
        if x_from is not None or x_to is not None:
            start, stop = _within(batch, x_key, x_from, x_to)
            batch = cut(batch, start, stop)
        for number, row in enumerate(unpack(batch), block.row0 + start):
            x = row.get(x_key)
            if x_from is not None and not (isinstance(x, int | float) and x >= x_from):
                continue
            if x_to is not None and not (isinstance(x, int | float) and x <= x_to):
                continue
            yield number, row


def columns(parts: Iterable[Block], keys: Collection[str]) -> dict[str, Column]:
    """Return the numbers logged under each key (by its shown name), by row.

    A nested key and a literal key with dots of the same shown name are one column.
    """
    wanted = frozenset(keys)
    found: dict[str, list[tuple[Rows, Floats]]] = {key: [] for key in keys}
    for block in parts:
        for key, rows, values in _shown_columns(block.batch(wanted), wanted):
            found[key].append((rows + block.row0, values))
    return {key: _joined(pieces) for key, pieces in found.items()}


def coarse(
    parts: Sequence[Block], keys: Collection[str], x: str, buckets: int
) -> dict[str, dict[str, Points]]:
    """Return the points of keys, in blocks, and the times at them, for charts that are much coarser than they are.

    Args:
        parts: All blocks of a run's history or system metrics.
        keys: Shown names.
        x: One of `pyramid.AXES`.
        buckets: How many a chart draws.

    Returns:
        Per key, by name, the key and the axes; the key's x is the axis. Keys are left out whose points themselves are
        to be read: too few of them, or their x does not rise.
    """
    found = {key: _coarse(parts, key, x, buckets) for key in keys}
    return {key: points for key, points in found.items() if points is not None}


def _coarse(parts: Sequence[Block], key: str, x: str, buckets: int) -> dict[str, Points] | None:
    size = level_for(sum(part.index.count(key) for part in parts if part.index is not None), buckets)
    if size is None:
        return None
    pieces = []
    for part in parts:
        piece = part.coarse(key, size)
        if piece is None:
            return None
        if piece:
            pieces.append(piece)
    joined = {name: Points.joined([piece[name] for piece in pieces]) for name in (key, *AXES)}
    axis = joined[x]
    if (axis.finite < axis.count).any() or (axis.low[1:] < axis.high[:-1]).any():
        return None
    joined[key].x = axis.last
    return joined


def _joined(parts: list[tuple[Rows, Floats]]) -> Column:
    if not parts:
        return EMPTY
    rows = np.concatenate([rows for rows, _ in parts])
    values = np.concatenate([values for _, values in parts])
    if any(
        later[0] < earlier[-1] for (earlier, _), (later, _) in pairwise(parts)
    ):  # groups of one batch take turns
        order = np.argsort(rows, kind="stable")
        rows, values = rows[order], values[order]
    return Column(rows, values)


def describe(run_ids: Collection[int], kind: Kind) -> dict[int, dict[str, KeyStats]]:
    """Return, per run that has rows, what was logged under each key, by its shown name."""
    return {run_id: _described(parts) for run_id, parts in blocks_of(run_ids, kind)}


def _described(parts: Iterable[Block]) -> dict[str, KeyStats]:
    tallies = Tallies()
    for block in parts:
        tallies.join(block.tallies())
    return tallies.stats()


def latest(run_ids: Collection[int], x_from: float) -> dict[int, dict[str, tuple[float, float]]]:
    """Return, per run and system metric, the last number and when it was sampled (unix seconds).

    Only what holds samples since ``x_from`` is read, by three statements for any number of runs. What is packed between
    them is missed until the next call.
    """
    streams = Stream.objects.filter(run_id__in=run_ids, kind=Kind.SYSTEM, last_at__gte=x_from)
    run_of = dict(streams.values_list("pk", "run_id"))
    blocks_by_run: dict[int, list[Block]] = {run_id: [] for run_id in run_of.values()}
    for segment in Segment.objects.filter(stream__in=run_of, x1__gte=x_from).order_by("row0"):
        blocks_by_run[run_of[segment.stream_id]].append(Block(segment, segment.row0))
    tails = Tail.objects.filter(run_id__in=blocks_by_run, kind=Kind.SYSTEM, x1__gte=x_from)
    for tail in tails.order_by("row0"):
        blocks_by_run[tail.run_id].append(Block(tail, tail.row0))
    return {run_id: _latest(parts) for run_id, parts in blocks_by_run.items() if parts}


def _latest(parts: Sequence[Block]) -> dict[str, tuple[float, float]]:
    tallies = Tallies()
    for block in parts:
        tallies.join(block.tallies())
    found = tallies.last_numbers()
    moments = columns(parts, {X_OF[Kind.SYSTEM]})[X_OF[Kind.SYSTEM]]
    rows = np.unique(np.array([row for row, _ in found.values()], np.int64))
    at = dict(zip(rows.tolist(), moments.at(rows).tolist(), strict=True))
    return {key: (value, at[row]) for key, (row, value) in found.items()}


def line_of(row: Mapping[str, Any], *, is_strict: bool = False) -> str:
    """Encode a row as the SDK's own encoder writes it: NaN and infinities as bare tokens, or as texts where strict."""
    try:
        line = orjson.dumps(row)
    except orjson.JSONEncodeError:  # lone surrogates, integers beyond 64 bits
        line = b"null"
    if b"null" not in line:
        return line.decode()
    # orjson's null may have been NaN
    return json.dumps(strict(row) if is_strict else row, separators=(",", ":"))


def last_lines(run_ids: Collection[int], kind: Kind) -> dict[int, str]:
    """Return the last row of each stream that has one, as a JSON line."""
    streams = Stream.objects.filter(run_id__in=run_ids, kind=kind, next_row__gt=0)
    tails = Tail.objects.filter(run_id=OuterRef("run_id"), kind=OuterRef("kind")).order_by("-row0")
    segments = Segment.objects.filter(stream_id=OuterRef("pk")).order_by("-row0")
    ends = streams.annotate(
        tail=Subquery(tails.values("pk")[:1]), segment=Subquery(segments.values("pk")[:1])
    )
    found = list(ends.values_list("run_id", "tail", "segment"))
    last_tails = Tail.objects.in_bulk([tail for _, tail, _ in found if tail])
    last_segments = Segment.objects.in_bulk([segment for _, tail, segment in found if segment and not tail])
    lines = {}
    for run_id, tail, segment in found:
        part = last_tails.get(tail) or last_segments.get(segment)
        # packed or merged between the statements: the careful walk finds it
        lines[run_id] = _last_line(Block(part, part.row0)) if part else _last_of(run_id, kind)
    return lines


def _last_of(run_id: int, kind: Kind) -> str:
    *_, last = blocks(run_id, kind)
    return _last_line(last)


def _last_line(block: Block) -> str:
    if block.index is not None:
        return line_of(block.index.last)
    batch = block.batch()
    return line_of(unpack(cut(batch, batch.row_count - 1, batch.row_count))[0])


def delete(run: Run, limit: int) -> int:
    """Remove at most ``limit`` rows of a run in the caller's transaction, which has locked it; returns how many went.

    The contents of segments go after the commit; what a crash leaves of them, the sweep finds. A worker that packs a
    stream of the run waits for the lock and then finds that it was overtaken.
    """
    segments = Segment.objects.filter(stream__run=run).order_by("pk")
    names = list(segments.values_list("name", flat=True)[:limit])
    if names:
        after_commit(_free, names)
    gone = 0
    exports = Export.objects.filter(stream__run=run)
    parts = (
        segments,
        exports,
        *(model._default_manager.filter(run=run) for model in (Tail, SequenceRow, Stream)),
    )
    for rows in parts:  # streams last: segments and exports refer to them
        if gone < limit:
            gone += remove_some(rows, limit - gone)
    return gone


def _free(names: Collection[str]) -> None:
    cold_store().delete(names)
