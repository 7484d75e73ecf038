"""Walking the rows of a stream: packed segments first, then the tail, as one row of rows."""

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from django.db.models import F, Q

from common.budgets.budget import current
from common.database.kept_queries import KeptQuery
from metrics.models import Segment, Stream, StreamKind, Tail
from metrics.store.batches import cut, filled_rows
from metrics.store.codec import MAX_ROWS, Batch, Floats, Rows, decode, row_numbers
from metrics.store.columns import joined, shown_columns
from metrics.store.downsampling import Points
from metrics.store.fetching import Needed, ahead, fetch
from metrics.store.key_stats import KeyStatsBuilder, shown_key
from metrics.store.keysets import keys_of
from metrics.store.pyramid import AXES, axes_of
from metrics.store.segment_cache import SegmentReader

MAX_SEGMENT_ROWS = 65536
_TAILS_A_PAGE = 256
_TAIL_BYTES_AT_ONCE = 64 * 1024 * 1024


logger = logging.getLogger(__name__)


class Block:
    """Some consecutive rows, read lazily; ``since`` leaves earlier ones out."""

    def __init__(self, part: Segment | Tail, since: int) -> None:
        self.part = part
        self.row0 = max(part.row0, since)
        self._skipped = self.row0 - part.row0
        self._columns = self._whole = self.index = None
        if isinstance(part, Segment):
            self._columns, self._whole = SegmentReader(part), SegmentReader(part, is_cached=False)
            self.index = self._columns.index(bytes(part.index))

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
            fetch(self.needed(keys))
            whole = self.index.read(self._reader(keys), self._names(keys))
        return cut(whole, self._skipped, whole.row_count)

    def _names(self, keys: Collection[str] | None) -> set[str] | None:
        assert self.index is not None  # noqa: S101 - for mypy: only segments are asked
        return None if keys is None else {name for key in keys for name in self.index.columns.get(key, ())}

    def _reader(self, keys: Collection[str] | None) -> SegmentReader:
        """Return who reads some columns of the segment, or all of it once."""
        found = self._whole if keys is None else self._columns
        assert found is not None  # noqa: S101 - for mypy: only segments are asked
        return found

    @property
    def is_remote(self) -> bool:
        """Whether reading it waits for a bucket."""
        return self._columns is not None and self._columns.is_remote

    def filled(self) -> Rows:
        """Return the numbers, counted from the block's first, of the rows that are not empty."""
        if self.index is None:
            return filled_rows(self.batch())
        rows = self.index.filled_rows(self._reader(None)) - self._skipped
        return rows[rows >= 0]

    def needed(self, keys: Collection[str] | None = None) -> list[Needed]:
        """Return what `batch` reads of a bucket, for `metrics.store.fetching`."""
        if self.index is None or not self.is_remote:
            return []
        return [(self._reader(keys), self.index.ranges(self._names(keys)))]

    def needed_others(self) -> list[Needed]:
        """Return what `others` reads of a bucket."""
        if self.index is None or not self.is_remote:
            return []
        return [(self._reader(None), self.index.ranges_of_others())]

    def needed_coarse(self, key: str, size: int) -> list[Needed]:
        """Return what `coarse` reads of a bucket."""
        if self.index is None or not self.is_remote or self._skipped:
            return []
        return [(self._reader({key}), list((self.index.block_ranges(key, size, AXES) or {}).values()))]

    def needed_narrowed(self, is_wanted: Callable[[str], bool]) -> list[Needed]:
        """Return what `narrowed` reads of a bucket."""
        if self.index is None or not self.is_remote:
            return []
        others = self.needed_others() if self.index.has_others(is_wanted) else []
        return self.needed({key for key in self.index.columns if is_wanted(key)}) + others

    def narrowed(self, is_wanted: Callable[[str], bool]) -> Batch:
        """Return the rows, renumbered from 0, with what is wanted by its shown name; perhaps more."""
        if self.index is None:
            return self.batch()
        fetch(self.needed_narrowed(is_wanted))
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
            found = self.index.others(self._reader(None))
        for row, path, value in found:
            if row >= self._skipped:
                yield self.part.row0 + row, path, value

    def coarse(self, key: str, size: int) -> dict[str, Points] | None:
        """Return blocks of the key's points and of the axes, of this size or finer.

        {} without such points; None where there are no blocks.
        """
        if self.index is not None and not self._skipped:
            fetch(self.needed_coarse(key, size))
            content = self._reader({key})
            return self.index.blocks(content, key, size, AXES) if self.index.count(key) else {}
        batch = self.batch({key, *AXES})
        column = joined([(rows, values) for _, rows, values in shown_columns(batch, {key})])
        if not column.rows.size:
            return {}
        axes = {name: values[column.rows] for name, values in axes_of(batch).items()}
        return {name: Points.of(values, values) for name, values in {key: column.values, **axes}.items()}

    def key_stats(self) -> KeyStatsBuilder:
        """Return what was logged under each key; a whole segment answers from its index."""
        if self.index is not None and not self._skipped:
            return self.index.key_stats()
        builder = KeyStatsBuilder()
        builder.add(self.row0, self.batch())
        return builder


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
    since the segments were looked up: the walk goes on there. What is missing even then is lost, and passed over.
    """
    at, known_to = row_from, 0
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
        if at < known_to:  # rows that were packed before this round looked for them
            logger.error("rows %d to %d of %s are lost: run recover-segments", at, known_to - 1, stream)
            at = known_to
            continue
        known_to = Stream.objects.filter(pk=stream.pk).values_list("packed_to", flat=True).first() or 0
        if known_to <= at:
            return


def blocks(
    run_id: int,
    kind: StreamKind,
    *,
    row_from: int = 0,
    x_from: float | None = None,
    x_to: float | None = None,
) -> Iterator[Block]:
    """Yield what may hold rows from ``row_from`` on within the x range (bounds included), in row order."""
    stream = Stream.objects.filter(run_id=run_id, kind=kind).first()
    for part, since in current().through(_parts(stream, row_from)) if stream else ():
        if (x_from is None or part.x1 >= x_from) and (x_to is None or part.x0 <= x_to):
            yield Block(part, since)


def _kept_by_kind(build: Callable[..., Any]) -> dict[StreamKind, KeptQuery[Any]]:
    return {kind: KeptQuery(partial(build, kind)) for kind in StreamKind}


_streams = _kept_by_kind(
    lambda kind, run_ids: Stream.objects.filter(run_id__in=run_ids, kind=kind, next_row__gt=0)
)
_segments = KeptQuery(lambda streams: Segment.objects.filter(stream__in=streams).order_by("row0"))
_tails_of = _kept_by_kind(lambda kind, runs: Tail.objects.filter(run__in=runs, kind=kind).order_by("row0"))
_later_segments = KeptQuery(
    lambda stream, first: Segment.objects.filter(stream=stream, row0__gt=first - F("row_count")).order_by(
        "row0"
    )
)
_later_tails = _kept_by_kind(
    lambda kind, run, first: Tail.objects.filter(
        run=run, kind=kind, row0__gt=first - F("row_count")
    ).order_by("row0")
)
_ends_of_packed = KeptQuery(
    lambda streams: Stream.objects.filter(pk__in=streams).values_list("pk", "packed_to")
)


def blocks_of(
    run_ids: Collection[int], kind: StreamKind, *, since: Mapping[int, int] | None = None
) -> Iterator[tuple[int, list[Block]]]:
    """Yield (run id, its blocks) of the runs that have rows; a few statements for as many runs as fit in memory.

    ``since`` (run to row) leaves out earlier rows of those runs.
    """
    streams = sorted(_streams[kind].all([*run_ids]), key=lambda stream: stream.run_id)
    some: list[Stream] = []
    tail_bytes = 0
    for stream in streams:
        if some and tail_bytes + stream.tail_bytes > _TAIL_BYTES_AT_ONCE:
            yield from _blocks_of(some, kind, since or {})
            some, tail_bytes = [], 0
        some.append(stream)
        tail_bytes += stream.tail_bytes
    yield from _blocks_of(some, kind, since or {})


def _segments_from(firsts: Mapping[int, int]) -> Iterable[Segment]:
    """Return the segments of streams that hold rows from the first wanted on, in order."""
    if not any(firsts.values()):
        return _segments.all([*firsts])
    if len(firsts) == 1:
        return _later_segments.all(*next(iter(firsts.items())))
    return Segment.objects.filter(_later("stream", firsts)).order_by("row0")


def _tails_from(firsts: Mapping[int, int], kind: StreamKind) -> Iterable[Tail]:
    """Return the same of the tails of runs."""
    if not any(firsts.values()):
        return _tails_of[kind].all([*firsts])
    if len(firsts) == 1:
        return _later_tails[kind].all(*next(iter(firsts.items())))
    return Tail.objects.filter(_later("run", firsts), kind=kind).order_by("row0")


def _later(name: str, firsts: Mapping[int, int]) -> Q:
    """Return which parts hold rows from the first wanted on; ``name`` refers to the keys of ``firsts``."""
    parts = Q(**{f"{name}__in": [key for key, first in firsts.items() if first <= 0]})
    for key, first in firsts.items():
        if first > 0:
            parts |= Q(**{name: key}, row0__gt=first - F("row_count"))
    return parts


def _blocks_of(
    streams: Sequence[Stream], kind: StreamKind, since: Mapping[int, int]
) -> Iterator[tuple[int, list[Block]]]:
    parts: dict[int, list[Segment | Tail]] = {stream.run_id: [] for stream in streams}
    run_of = {stream.pk: stream.run_id for stream in streams}
    firsts = {pk: max(0, since.get(run_id, 0)) for pk, run_id in run_of.items()}
    for segment in _segments_from(firsts):
        parts[run_of[segment.stream_id]].append(segment)
    for tail in _tails_from({run_of[pk]: first for pk, first in firsts.items()}, kind):
        parts[tail.run_id].append(tail)
    packed_to = dict(_ends_of_packed.rows([*run_of]))
    for stream in current().through(streams):
        first = since.get(stream.run_id, 0)
        found, at = [], first
        for part in parts[stream.run_id]:
            if part.row0 <= at < part.row_to:
                found.append(Block(part, at))
                at = part.row_to
        # packed, merged or rewound between the statements: the careful walk finds all of it
        is_whole = len(found) == len(parts[stream.run_id]) and at >= packed_to.get(stream.pk, 0)
        yield stream.run_id, found if is_whole else list(blocks(stream.run_id, kind, row_from=first))


def batches(run_id: int, kind: StreamKind, *, row_from: int = 0) -> Iterator[tuple[int, Batch]]:
    """Yield (first row, batch) from a row on, in row order."""
    for block in ahead(blocks(run_id, kind, row_from=row_from), Block.needed):
        yield block.row0, block.batch()
