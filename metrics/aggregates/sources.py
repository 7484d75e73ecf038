"""Where the rows of many runs lie: in segments that ClickHouse is asked about, and in blocks that are read here."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter

from common.errors import Invalid
from metrics.models import Segment, SegmentStore, Stream, StreamKind, Tail
from metrics.store.row_blocks import Block, blocks

MAX_BLOCKS = 20_000
"""Of all runs of a question that are read here; each takes some tenths of a millisecond."""
_RUNS_AT_ONCE = 1_000
_TAIL_BYTES_AT_ONCE = 64 * 1024 * 1024
_Part = tuple[int, int, "str | Block"]
"""First row, the row after its last, and the name of a segment in ClickHouse, or what is read here."""


@dataclass(frozen=True, slots=True)
class Source:
    """Some runs' rows: together the names and the blocks hold each of them once."""

    names: list[str]
    """Of segments in ClickHouse."""
    blocks: list[tuple[int, int, Block]]
    """With run and stream of each."""


def sources(run_ids: Iterable[int], kind: StreamKind) -> Iterator[Source]:
    """Yield the rows of runs, some runs at a time, with few statements for each.

    Raises:
        Invalid: they have more blocks outside ClickHouse than MAX_BLOCKS.
    """
    count = 0
    for run_of in _streams(run_ids, kind):
        source = _source(run_of, kind)
        count += len(source.blocks)
        if count > MAX_BLOCKS:
            raise Invalid(
                f"These runs have more than {MAX_BLOCKS} blocks of metrics outside ClickHouse, and no more are read for"
                " one question; narrow the runs by a filter."
            )
        yield source


def _streams(run_ids: Iterable[int], kind: StreamKind) -> Iterator[dict[int, int]]:
    """Yield streams with their runs, as many together as fit in memory."""
    left = iter(run_ids)
    while some := list(islice(left, _RUNS_AT_ONCE)):
        rows = Stream.objects.filter(run_id__in=some, kind=kind, next_row__gt=0)
        run_of: dict[int, int] = {}
        tail_bytes = 0
        for stream_id, run_id, size in rows.values_list("pk", "run_id", "tail_bytes"):
            if run_of and tail_bytes + size > _TAIL_BYTES_AT_ONCE:
                yield run_of
                run_of, tail_bytes = {}, 0
            run_of[stream_id] = run_id
            tail_bytes += size
        yield run_of


def _source(run_of: Mapping[int, int], kind: StreamKind) -> Source:
    parts: dict[int, list[_Part]] = defaultdict(list)
    segments = Segment.objects.filter(stream_id__in=[*run_of])
    there = segments.filter(store=SegmentStore.CLICKHOUSE)
    for stream_id, row0, count, name in there.values_list("stream_id", "row0", "row_count", "name"):
        parts[stream_id].append((row0, row0 + count, name))
    for segment in segments.exclude(store=SegmentStore.CLICKHOUSE):
        parts[segment.stream_id].append((segment.row0, segment.row_to, Block(segment, segment.row0)))
    stream_of = {run_id: stream_id for stream_id, run_id in run_of.items()}
    for tail in Tail.objects.filter(run_id__in=[*stream_of], kind=kind):
        parts[stream_of[tail.run_id]].append((tail.row0, tail.row_to, Block(tail, tail.row0)))
    packed_to = dict(Stream.objects.filter(pk__in=[*run_of]).values_list("pk", "packed_to"))
    found = Source([], [])
    for stream_id, run_id in run_of.items():
        whole = sorted(parts[stream_id], key=itemgetter(0))
        if not _is_whole(whole, packed_to.get(stream_id, 0)):
            whole = _walked(run_id, kind)
        for *_, part in whole:
            if isinstance(part, str):
                found.names.append(part)
            else:
                found.blocks.append((run_id, stream_id, part))
    return found


def _is_whole(rows: list[_Part], packed_to: int) -> bool:
    """Whether parts follow each other; not so where rows were packed or merged between the statements."""
    at = 0
    for row0, row_to, _ in rows:
        if row0 != at:
            return False
        at = row_to
    return at >= packed_to


def _walked(run_id: int, kind: StreamKind) -> list[_Part]:
    """Return a run's parts, by the walk that finds all of them whatever is packed meanwhile."""
    found: list[_Part] = []
    for block in blocks(run_id, kind):
        part = block.part
        is_all_of_it = (
            block.row0 == part.row0
        )  # not where others were merged that the walk has passed already
        if isinstance(part, Segment) and part.store == SegmentStore.CLICKHOUSE and is_all_of_it:
            found.append((block.row0, block.row_to, part.name))
        else:
            found.append((block.row0, block.row_to, block))
    return found
