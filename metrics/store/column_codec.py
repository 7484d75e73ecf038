"""One column's numbers to bytes and back, to the bit.

pco (https://github.com/pcodec/pcodec) packs best and reads fastest, but is a small project, so every column names its
codec and there is a second one that needs only zstd.
"""

import struct
from enum import IntEnum

import numpy as np
import zstandard
from pcodec import ChunkConfig
from pcodec import standalone as pco

from metrics.store.codec import Floats

_MIN_PCO = 16
"""Below this many values its chunk header costs more than it saves."""


class Codec(IntEnum):
    """How a column's bytes are to be read."""

    SHUFFLED = 1
    """float64, byte planes, zstd."""
    PCO_FLOAT = 2
    PCO_INT = 3
    """Whole numbers as int64."""
    SAME = 4
    """One value and how often."""


_SAME = struct.Struct("<dI")


def _shuffled(values: Floats) -> bytes:
    planes = values.view(np.uint8).reshape(-1, 8).T
    return zstandard.compress(np.ascontiguousarray(planes).tobytes(), 3)


def _unshuffled(content: bytes) -> Floats:
    planes = np.frombuffer(zstandard.decompress(content), np.uint8).reshape(8, -1)
    return np.ascontiguousarray(planes.T).view(np.float64).ravel()


def encode(values: Floats, *, whole: bool) -> tuple[Codec, bytes]:
    """Return the smallest form.

    Args:
        values: The column.
        whole: All were written as integers, within 2^53.
    """
    values = np.require(values, requirements=["C", "A"])  # a column of the tail lies anywhere in its payload
    bits = values.view(np.int64)
    if values.size and (bits == bits[0]).all():
        return Codec.SAME, _SAME.pack(values[0], values.size)
    if values.size < _MIN_PCO:
        return Codec.SHUFFLED, _shuffled(values)
    if whole:
        return Codec.PCO_INT, pco.simple_compress(values.astype(np.int64), ChunkConfig())
    return Codec.PCO_FLOAT, pco.simple_compress(values, ChunkConfig())


def decode(codec: int, content: bytes) -> Floats:
    """Return the column.

    Raises:
        ValueError: a codec of a later version.
    """
    if codec == Codec.SHUFFLED:
        return _unshuffled(content)
    if codec == Codec.SAME:
        value, count = _SAME.unpack(content)
        return np.full(count, value)
    if codec in {Codec.PCO_FLOAT, Codec.PCO_INT}:
        values = pco.simple_decompress(content)
        if values is None:
            return np.array([], np.float64)
        return np.asarray(values, np.float64)
    raise ValueError(f"Column codec {codec} is unknown to this version of Runyard.")
