"""Blocks of neighbouring points, reduced once when they are packed, so that a long chart reads no raw column.

Per group of keys that the same rows have, and per level, a segment keeps for each key and each of the three axes what
`sampling.Points` has. Blocks are cut by a group's own rows, so a key's blocks and its axes' blocks are of the same
points. A bucket's edge may then lie within a block: charts take a level only where a bucket is several blocks wide.
"""

import struct
from collections.abc import Mapping

import numpy as np

from metrics.store.codec import Batch, Floats, Group, row_numbers
from metrics.store.column_codec import decode, encode
from metrics.store.downsampling import Points

STEP = "_step"
AXES = (STEP, "_runtime", "_timestamp")
LEVELS = (64, 512, 4096)
"""Points a block has. Short segments lack the coarse ones, older ones that of 512; the next finer then serves."""
BLOCKS_A_BUCKET = 4
"""So many blocks, at least, are in a bucket of a chart that takes a level."""
_PART = struct.Struct("<BI")


def level_for(count: int, buckets: int) -> int | None:
    """Return the coarsest level that draws ``count`` points well; None is the points themselves."""
    fine = [size for size in LEVELS if count >= BLOCKS_A_BUCKET * buckets * size]
    return max(fine, default=None)


def _blocks(values: Floats, size: int) -> Points:
    return Points.of(values, values).reduced(np.arange(0, values.size, size))


def _packed(blocks: Points) -> bytes:
    parts = []
    for values in (blocks.low, blocks.high, blocks.total, blocks.last, blocks.finite, blocks.count):
        is_whole = values.dtype == np.int64
        codec, content = encode(values.astype(np.float64), whole=is_whole)
        parts.append(_PART.pack(codec, len(content)) + content)
    return b"".join(parts)


def unpacked(content: bytes) -> Points:
    """Return the blocks of one key; their x is their last value, to be replaced by an axis."""
    found: list[Floats] = []
    at = 0
    while at < len(content):
        codec, length = _PART.unpack_from(content, at)
        at += _PART.size
        found.append(decode(codec, content[at : at + length]))
        at += length
    low, high, total, last, finite, count = found
    return Points(last, low, high, total, finite.astype(np.int64), last, count.astype(np.int64))


def levels_of(group: Group, batch: Batch, axes: Mapping[str, Floats]) -> dict[int, dict[str, bytes]]:
    """Return, per level that has at least BLOCKS_A_BUCKET blocks, the packed blocks of keys and axes by name.

    Args:
        group: Whose points.
        batch: Where it belongs.
        axes: By row of the batch; NaN where a row has none.
    """
    rows = row_numbers(group, batch.row_count)
    columns = {name: values[rows] for name, values in axes.items()}
    columns |= {key: group.values[position] for position, key in enumerate(group.keys) if key not in axes}
    return {
        size: {name: _packed(_blocks(values, size)) for name, values in columns.items()}
        for size in LEVELS
        if rows.size >= BLOCKS_A_BUCKET * size
    }


def axes_of(batch: Batch) -> dict[str, Floats]:
    """Return the three axes by row; NaN where a row has none."""
    axes = {name: np.full(batch.row_count, np.nan) for name in AXES}
    for name, rows, values in batch.columns(axes):
        axes[name][rows] = values
    return axes
