"""Records in a file: a marker, CRC-32, length, number, JSON. What is damaged is stepped over."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO, Callable, NamedTuple

_MARKER = b"\xff"
"""No part of UTF-8, so that it finds the next record behind a damaged one."""
_CHECKSUM = struct.Struct("<I")
_LENGTH_AND_NUMBER = struct.Struct("<IQ")
_HEAD_BYTES = len(_MARKER) + _CHECKSUM.size + _LENGTH_AND_NUMBER.size
_CHUNK_BYTES = 65536

_dump = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Record(NamedTuple):
    number: int
    """Its place in its stream, from 0."""
    payload: bytes
    end: int
    """Where it ends in its file."""


def to_json(value: Any) -> bytes:
    """Return JSON in which NaN and Infinity stand bare, and '?' for halves of surrogate pairs, which UTF-8 has not."""
    text = _dump(value)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="replace")


def encode(number: int, payload: bytes) -> bytes:
    """Return a record as it lies in a file."""
    body = _LENGTH_AND_NUMBER.pack(len(payload), number) + payload
    return _MARKER + _CHECKSUM.pack(zlib.crc32(body)) + body


def scan(file: BinaryIO, start: int, end: int, on_damage: Callable[[int], None]) -> Iterator[Record]:
    """Yield the records between two positions.

    Args:
        on_damage: called with the position of each stretch that holds no record.
    """
    position, was_damaged = start, False
    while position < end:
        record = _read(file, position, end)
        if record:
            yield record
            position, was_damaged = record.end, False
            continue
        if not was_damaged:
            on_damage(position)
        position, was_damaged = _find_marker(file, position + 1, end), True


def _read(file: BinaryIO, position: int, end: int) -> Record | None:
    file.seek(position)
    head = file.read(min(_HEAD_BYTES, end - position))
    if len(head) < _HEAD_BYTES or not head.startswith(_MARKER):
        return None
    (checksum,) = _CHECKSUM.unpack_from(head, len(_MARKER))
    length, number = _LENGTH_AND_NUMBER.unpack_from(head, len(_MARKER) + _CHECKSUM.size)
    if length > end - position - _HEAD_BYTES:
        return None
    payload = file.read(length)
    if zlib.crc32(payload, zlib.crc32(head[len(_MARKER) + _CHECKSUM.size :])) != checksum:
        return None
    return Record(number, payload, position + _HEAD_BYTES + length)


def _find_marker(file: BinaryIO, position: int, end: int) -> int:
    file.seek(position)
    while position < end:
        chunk = file.read(min(_CHUNK_BYTES, end - position))
        if not chunk:
            break
        found = chunk.find(_MARKER)
        if found >= 0:
            return position + found
        position += len(chunk)
    return end
