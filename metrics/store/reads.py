"""Reads of the metric store: rows, columns, statistics and last values of runs."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import orjson
from django.db.models import OuterRef, Subquery

from common.database.kept_queries import KeptQuery
from common.formats.strict_json import strict
from metrics.models import Segment, Stream, StreamKind, Tail
from metrics.store.batches import cut, pick
from metrics.store.codec import Batch, Floats, Rows, unpack
from metrics.store.columns import Column, joined, shown_columns
from metrics.store.downsampling import Points
from metrics.store.fetching import Needed, ahead, fetch
from metrics.store.key_stats import KeyStats, KeyStatsBuilder
from metrics.store.pyramid import AXES, level_for
from metrics.store.row_blocks import Block, blocks, blocks_of

X_OF = {StreamKind.HISTORY: "_step", StreamKind.SYSTEM: "_timestamp"}


_cursors = {
    kind: KeptQuery(
        lambda run_ids, kind=kind: Stream.objects.filter(run_id__in=run_ids, kind=kind).values_list(
            "run_id", "next_row"
        )
    )
    for kind in StreamKind
}


def cursors(run_ids: Collection[int], kind: StreamKind) -> dict[int, int]:
    """Return, per run that has a stream, the row that its next line will be."""
    return dict(_cursors[kind].rows([*run_ids]))


def cursor(run_id: int, kind: StreamKind) -> int:
    """Return the row that the stream's next line will be."""
    return cursors([run_id], kind).get(run_id, 0)


def last_steps(run_ids: Collection[int]) -> dict[int, int]:
    """Return the largest ``_step`` of each run's history, -1 when there is none."""
    found = Stream.objects.filter(run_id__in=run_ids, kind=StreamKind.HISTORY, last_step__isnull=False)
    steps = dict.fromkeys(run_ids, -1)
    return steps | {
        run_id: int(step) for run_id, step in found.values_list("run_id", "last_step") if step is not None
    }


def _within(batch: Batch, x_key: str, x_from: float | None, x_to: float | None) -> tuple[int, int]:
    """Return from which row to before which row the batch's x are in the range, others perhaps between."""
    low = -np.inf if x_from is None else x_from
    high = np.inf if x_to is None else x_to
    found = [rows[(values >= low) & (values <= high)] for _, rows, values in batch.columns({x_key: 1})]
    rows = np.concatenate(found) if found else np.array([], np.int64)
    return (int(rows.min()), int(rows.max()) + 1) if rows.size else (0, 0)


def scan(
    run_id: int,
    kind: StreamKind,
    *,
    row_from: int = 0,
    x_from: float | None = None,
    x_to: float | None = None,
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (row number, row as it arrived) in row order; x bounds are on the kind's x, both included.

    Empty rows, which keep the place of lines that were set aside, are left out here and wherever rows are read.
    """
    x_key = X_OF[kind]
    found = blocks(run_id, kind, row_from=row_from, x_from=x_from, x_to=x_to)
    for block in ahead(found, Block.needed):
        batch, start = block.batch(), 0
        if x_from is not None or x_to is not None:
            start, stop = _within(batch, x_key, x_from, x_to)
            batch = cut(batch, start, stop)
        for number, row in enumerate(unpack(batch), block.row0 + start):
            if not row:
                continue
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
    shown_keys = frozenset(keys)
    found: dict[str, list[tuple[Rows, Floats]]] = {key: [] for key in keys}
    for block in ahead(parts, lambda block: block.needed(shown_keys)):
        for key, rows, values in shown_columns(block.batch(shown_keys), shown_keys):
            found[key].append((rows + block.row0, values))
    return {key: joined(pieces) for key, pieces in found.items()}


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
    sizes = _levels(parts, keys, buckets)
    fetch(_needed_coarse(parts, sizes))
    found = {key: _coarse(parts, key, x, size) for key, size in sizes.items()}
    return {key: points for key, points in found.items() if points is not None}


def _levels(parts: Sequence[Block], keys: Collection[str], buckets: int) -> dict[str, int]:
    """Return the size of the blocks that draw each key well; keys that need their points themselves are left out."""
    indexes = [part.index for part in parts if part.index is not None]
    sizes = {key: level_for(sum(index.count(key) for index in indexes), buckets) for key in keys}
    return {key: size for key, size in sizes.items() if size is not None}


def _needed_coarse(parts: Sequence[Block], sizes: Mapping[str, int]) -> list[Needed]:
    remote = [part for part in parts if part.is_remote]
    return [
        found for key, size in sizes.items() for part in remote for found in part.needed_coarse(key, size)
    ]


def needed(parts: Sequence[Block], keys: Collection[str], x: str, buckets: int | None = None) -> list[Needed]:
    """Return what a chart is about to read of a bucket.

    Args:
        parts: All blocks of a run's history or system metrics.
        keys: Shown names.
        x: As for `coarse`, or any key.
        buckets: How many the chart draws by `coarse`; None: it reads `columns`.
    """
    remote = [part for part in parts if part.is_remote]
    sizes = {} if buckets is None else _levels(parts, keys, buckets)
    left = {key for key in keys if key not in sizes}
    raw = [found for part in remote for found in part.needed({*left, x})] if left else []
    return _needed_coarse(remote, sizes) + raw


def _coarse(parts: Sequence[Block], key: str, x: str, size: int) -> dict[str, Points] | None:
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


def key_stats(run_ids: Collection[int], kind: StreamKind) -> dict[int, dict[str, KeyStats]]:
    """Return, per run that has rows, what was logged under each key, by its shown name."""
    return {run_id: counted_keys(parts).stats() for run_id, parts in blocks_of(run_ids, kind)}


def counted_keys(parts: Iterable[Block]) -> KeyStatsBuilder:
    """Return what was logged under each key of some blocks."""
    builder = KeyStatsBuilder()
    for block in parts:
        builder.join(block.key_stats())
    return builder


def latest_samples(run_ids: Collection[int], x_from: float) -> dict[int, dict[str, tuple[float, float]]]:
    """Return, per run and system metric, the last number and when it was sampled (unix seconds).

    Only what holds samples since ``x_from`` is read, by three statements for any number of runs. What is packed between
    them is missed until the next call.
    """
    streams = Stream.objects.filter(run_id__in=run_ids, kind=StreamKind.SYSTEM, last_at__gte=x_from)
    run_of = dict(streams.values_list("pk", "run_id"))
    blocks_by_run: dict[int, list[Block]] = {run_id: [] for run_id in run_of.values()}
    for segment in Segment.objects.filter(stream__in=run_of, x1__gte=x_from).order_by("row0"):
        blocks_by_run[run_of[segment.stream_id]].append(Block(segment, segment.row0))
    tails = Tail.objects.filter(run_id__in=blocks_by_run, kind=StreamKind.SYSTEM, x1__gte=x_from)
    for tail in tails.order_by("row0"):
        blocks_by_run[tail.run_id].append(Block(tail, tail.row0))
    return {run_id: _latest_of(parts) for run_id, parts in blocks_by_run.items() if parts}


def _latest_of(parts: Sequence[Block]) -> dict[str, tuple[float, float]]:
    found = counted_keys(parts).last_numbers()
    moments = columns(parts, {X_OF[StreamKind.SYSTEM]})[X_OF[StreamKind.SYSTEM]]
    rows = np.unique(np.array([row for row, _ in found.values()], np.int64))
    at = dict(zip(rows.tolist(), moments.at(rows).tolist(), strict=True))
    return {key: (value, at[row]) for key, (row, value) in found.items()}


def json_line(row: Mapping[str, Any], *, is_strict: bool = False) -> str:
    """Encode a row as the SDK's own encoder writes it: NaN and infinities as bare tokens, or as texts where strict."""
    try:
        line = orjson.dumps(row)
    except orjson.JSONEncodeError:  # lone surrogates, integers beyond 64 bits
        line = b"null"
    if b"null" not in line:
        return line.decode()
    # orjson's null may have been NaN
    return json.dumps(strict(row) if is_strict else row, separators=(",", ":"))


def last_lines(run_ids: Collection[int], kind: StreamKind) -> dict[int, str]:
    """Return the last row of each stream that has one which is not empty, as a JSON line."""
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
        # packed or merged between the statements, or all of it is empty: the careful walk finds one
        row = (_last_row(Block(part, part.row0)) if part else None) or _last_of(run_id, kind)
        if row:
            lines[run_id] = json_line(row)
    return lines


def _last_of(run_id: int, kind: StreamKind) -> dict[str, Any] | None:
    return next(filter(None, map(_last_row, reversed(list(blocks(run_id, kind))))), None)


def _last_row(block: Block) -> dict[str, Any] | None:
    """Return the last row of a block that is not empty."""
    if block.index is not None and block.index.last:
        return block.index.last
    filled = block.filled()
    if not filled.size:
        return None
    return unpack(pick(block.batch(), filled[-1:]))[0]
