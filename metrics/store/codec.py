"""Rows to columns and back, exactly.

A batch's payload is::

    u16 groups, u16 rows
    per group of rows that have the same numeric keys (at most 65,535 of them; more are split into several groups):
        u32 keyset, u16 rows, u16 keys, u8 dense
        u8[keys] modes, u16[rows] row numbers unless dense, float64[keys][rows] values
    JSON: {"o": [[row, [key, ...], value], ...], "i": {group: {column: [rows whose value is an int]}}}

Numbers go to the float64 columns; strings, booleans, null and objects to "o". Integers beyond 2^53 go to both: whoever
reads numbers gets the nearest double, whoever reads rows the exact one, which replaces the other. A mode says how a
column's numbers were written, so that 1 comes back as 1 and 1.0 as 1.0. Objects without "_type" are taken apart into
columns of their own, named by their path.
"""

import json
import re
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from typing import Any

import lz4.block
import numpy as np
import numpy.typing as npt
import orjson

from common.formats.lenient_json import clean_text, read_lenient

SEPARATOR = "\x1f"
"""Joins the keys of a nested value's path in column names."""
MAX_ROWS = 4096
"""Rows a batch may have; longer posts are cut."""
MAX_KEYS = 2**16 - 1
"""Keys a group may have."""
_EXACT, _FINITE = 2**53, 2**1023
_UNNAMEABLE = re.compile(r"\\u0000|\\u[dD][89a-fA-F]|[\ud800-\udfff]")
"""May be in a key that no address or page could name: NUL, or half of a character, as JSON escapes it or decoded."""
_NUMBERS = frozenset({int, float})
_HEAD = struct.Struct("<HH")
_GROUP = struct.Struct("<IHHB")

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]
Mark = tuple[Any, Any, Any]
"""(_step, _timestamp, _runtime): what tells a replayed line from a new one."""


class Mode(IntEnum):
    """How a column's numbers were written on the wire."""

    FLOAT = 0
    INT = 1
    WHOLE_AS_INT = 2
    """Whole numbers as int, others as float: what Go's encoder writes."""
    LISTED = 3
    """The int rows are listed."""


def mark_of(row: Mapping[str, Any]) -> Mark:
    """Return the line's mark."""
    return row.get("_step"), row.get("_timestamp"), row.get("_runtime")


@dataclass(slots=True)
class Group:
    """Rows of one batch that have the same numeric keys."""

    keys: tuple[str, ...]
    rows: npt.NDArray[np.integer[Any]] | None
    """None: all rows of the batch, in order."""
    values: Floats
    """(keys, rows)"""
    modes: bytes
    int_rows: dict[int, list[int]] = field(default_factory=dict)
    """Column to positions, for Mode.LISTED."""


@dataclass(slots=True)
class Batch:
    """Some consecutive rows as columns."""

    row_count: int
    groups: list[Group]
    other: list[tuple[int, list[str], Any]]

    def bounds(self, key: str) -> tuple[float, float, int] | None:
        """Return the smallest and largest number of a column, and how many there are; None without any."""
        found = [group.values[group.keys.index(key)] for group in self.groups if key in group.keys]
        if not found:
            return None
        values = found[0] if len(found) == 1 else np.concatenate(found)
        low, high = values.min(), values.max()
        if low != low:  # noqa: PLR0124 - NaN
            values = values[~np.isnan(values)]
            if not values.size:
                return None
            low, high = values.min(), values.max()
        return float(low), float(high), values.size

    def columns(self, names: Mapping[str, Any] | frozenset[str]) -> Iterator[tuple[str, Rows, Floats]]:
        """Yield (key, row numbers within the batch, values) of the wanted numeric columns."""
        for group in self.groups:
            rows: Rows | None = None
            for position, key in enumerate(group.keys):
                if key in names:
                    if rows is None:
                        rows = row_numbers(group, self.row_count)
                    yield key, rows, group.values[position]


def row_numbers(group: Group, row_count: int) -> Rows:
    """Return the numbers within its batch of the rows a group holds."""
    return np.arange(row_count) if group.rows is None else group.rows.astype(np.int64)


def _split(row: Mapping[str, Any], number: int, other: list[tuple[int, list[str], Any]]) -> dict[str, Any]:
    """Return the row's numbers by column name; put the rest into ``other``."""
    numbers: dict[str, Any] = {}

    def walk(node: Mapping[str, Any], path: list[str]) -> None:
        for key, value in node.items():
            here = [*path, key]
            kind = type(value)
            if SEPARATOR in key:
                other.append((number, here, value))
            elif kind is dict and value and "_type" not in value and len(here) < 8:
                walk(value, here)
            elif kind is float or (kind is int and -_EXACT <= value <= _EXACT):
                numbers[SEPARATOR.join(here)] = value
            else:
                if kind is int and -_FINITE < value < _FINITE:
                    numbers[SEPARATOR.join(here)] = value
                other.append((number, here, value))

    walk(row, [])
    return numbers


@lru_cache(maxsize=4096)
def _are_columns(keys: tuple[str, ...]) -> bool:
    return SEPARATOR not in "".join(keys)


class _Member:
    """Rows of a batch that have the same numeric keys, while it is packed; in any order, as Go's maps have none."""

    __slots__ = ("_pick", "keys", "kinds", "names", "values", "where")

    def __init__(self, names: frozenset[str]) -> None:
        self.names = names
        self.keys = tuple(sorted(names))
        self._pick = itemgetter(*self.keys) if len(self.keys) > 1 else None
        self.kinds: set[tuple[type, ...]] = set()
        """The types of the rows' values; rows mostly have the same ones."""
        self.where: list[int] = []
        self.values: list[tuple[Any, ...]] = []

    def pick(self, row: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the row's values in the order of the keys."""
        if self._pick is None:
            return tuple(row[key] for key in self.keys)
        values: tuple[Any, ...] = self._pick(row)
        return values

    def add(self, number: int, values: tuple[Any, ...], kinds: tuple[type, ...]) -> None:
        """Add a row's numbers."""
        self.where.append(number)
        self.values.append(values)
        self.kinds.add(kinds)

    def groups(self, row_count: int, *, by_value: bool) -> list[Group] | None:
        """Return the columns, at most MAX_KEYS to a group.

        None when an integer is beyond 2^53, unless its exact value has been noted, as ``by_value`` says.
        """
        modes = self._modes(by_value=by_value)
        if modes is None:
            return None
        shape = len(self.values), len(self.keys)
        flat = np.fromiter(chain.from_iterable(self.values), np.float64, shape[0] * shape[1])
        values = np.ascontiguousarray(flat.reshape(shape).T)
        rows = None if len(self.where) == row_count else np.array(self.where, np.uint16)
        parts = [slice(start, start + MAX_KEYS) for start in range(0, len(self.keys), MAX_KEYS)]
        return [
            Group(
                keys=self.keys[part],
                rows=rows,
                values=values[part],
                modes=bytes(mode for mode, _ in modes[part]),
                int_rows={position: listed for position, (_, listed) in enumerate(modes[part]) if listed},
            )
            for part in parts
        ]

    def _modes(self, *, by_value: bool) -> list[tuple[Mode, list[int]]] | None:
        if len(self.kinds) > 1:
            columns = list(zip(*self.values, strict=True))
            is_exact = by_value or all(map(_is_exact, columns))
            return [_mode_of(column) for column in columns] if is_exact else None
        (kinds,) = self.kinds
        ints = [position for position, kind in enumerate(kinds) if kind is int]
        if not by_value and not all(
            _is_exact([values[position] for values in self.values]) for position in ints
        ):
            return None
        return [(Mode.FLOAT if kind is float else Mode.INT, []) for kind in kinds]


def _mode_of(column: Sequence[Any]) -> tuple[Mode, list[int]]:
    kinds = set(map(type, column))
    if len(kinds) == 1:
        return (Mode.FLOAT if float in kinds else Mode.INT), []
    if any(type(value) is float and value.is_integer() for value in column):
        return Mode.LISTED, [position for position, value in enumerate(column) if type(value) is int]
    return Mode.WHOLE_AS_INT, []


def _is_exact(column: Sequence[Any]) -> bool:
    """Whether a float64 holds each of the column's integers; others go to "other"."""
    return all(-_EXACT <= value <= _EXACT for value in column if type(value) is int)


def _members(
    rows: Sequence[Mapping[str, Any]], other: list[tuple[int, list[str], Any]], *, by_value: bool
) -> Iterable[_Member]:
    members: dict[frozenset[str], _Member] = {}
    member = _Member(frozenset())
    for number, row in enumerate(rows):
        if row.keys() != member.names:
            names = frozenset(row)
            member = members.get(names) or _Member(names)
        values = member.pick(row)
        kinds = tuple(map(type, values))
        if by_value or kinds not in member.kinds:  # types seen with these keys need no second look; values do
            if by_value or not _NUMBERS.issuperset(kinds) or not _are_columns(member.keys):
                numbers = _split(row, number, other)
                names = frozenset(numbers)
                split = members.setdefault(names, _Member(names))
                split.add(number, split.pick(numbers), tuple(type(numbers[key]) for key in split.keys))
                continue
            members[member.names] = member
        member.add(number, values, kinds)
    return members.values()


def _pack(rows: Sequence[Mapping[str, Any]], *, by_value: bool) -> Batch | None:
    """Return the batch; None when whole rows were taken as numbers and one is an integer beyond 2^53."""
    other: list[tuple[int, list[str], Any]] = []
    groups: list[Group] = []
    for member in _members(rows, other, by_value=by_value):
        if member.keys:
            found = member.groups(len(rows), by_value=by_value)
            if found is None:
                return None
            groups += found
    return Batch(len(rows), groups, other)


def pack(rows: Sequence[Mapping[str, Any]]) -> Batch:
    """Turn at most MAX_ROWS decoded lines into columns."""
    batch = _pack(rows, by_value=False) or _pack(rows, by_value=True)
    if batch is None:
        raise AssertionError("by value, large integers are noted exactly")
    return batch


def _dump(value: Any) -> bytes:
    """Encode exactly: orjson would write NaN as null and refuse lone surrogates and big integers."""
    return json.dumps(value, separators=(",", ":")).encode()


def encode(batch: Batch, keyset_id: Callable[[tuple[str, ...]], int], *, compress: bool) -> tuple[int, bytes]:
    """Return (codec, payload)."""
    parts = [_HEAD.pack(len(batch.groups), batch.row_count)]
    listed: dict[str, dict[str, list[int]]] = {}
    for number, group in enumerate(batch.groups):
        keys, rows = group.values.shape
        parts.append(_GROUP.pack(keyset_id(group.keys), rows, keys, group.rows is None))
        parts.append(group.modes)
        if group.rows is not None:
            parts.append(group.rows.tobytes())
        parts.append(group.values.tobytes())
        if group.int_rows:
            listed[str(number)] = {str(column): where for column, where in group.int_rows.items()}
    if batch.other or listed:
        parts.append(_dump({"o": batch.other, "i": listed}))
    payload = b"".join(parts)
    return (1, lz4.block.compress(payload)) if compress else (0, payload)


def decode(codec: int, payload: bytes, keys_of: Callable[[int], tuple[str, ...]]) -> Batch:
    """Return the batch of a payload."""
    data = lz4.block.decompress(payload) if codec == 1 else bytes(payload)
    group_count, row_count = _HEAD.unpack_from(data)
    at = _HEAD.size
    groups: list[Group] = []
    for _ in range(group_count):
        keyset, rows, keys, dense = _GROUP.unpack_from(data, at)
        at += _GROUP.size
        modes = data[at : at + keys]
        at += keys
        where = None
        if not dense:
            where = np.frombuffer(data, np.uint16, rows, at)
            at += 2 * rows
        values = np.frombuffer(data, np.float64, rows * keys, at).reshape(keys, rows)
        at += 8 * rows * keys
        groups.append(Group(keys_of(keyset), where, values, modes))
    extra = json.loads(data[at:]) if at < len(data) else {"o": [], "i": {}}
    for number, columns in extra["i"].items():
        groups[int(number)].int_rows = {int(column): where for column, where in columns.items()}
    return Batch(row_count, groups, [(row, path, value) for row, path, value in extra["o"]])


def _values_as_written(group: Group, column: int) -> list[Any]:
    values: list[Any] = group.values[column].tolist()
    mode = group.modes[column]
    if mode == Mode.FLOAT:
        return values
    if mode == Mode.INT:
        return [int(value) for value in values]
    if mode == Mode.WHOLE_AS_INT:
        return [int(value) if value.is_integer() else value for value in values]
    ints = set(group.int_rows.get(column, ()))
    return [int(value) if position in ints else value for position, value in enumerate(values)]


def _put(row: dict[str, Any], path: Sequence[str], value: Any) -> None:
    for key in path[:-1]:
        row = row.setdefault(key, {})
    row[path[-1]] = value


def unpack(batch: Batch) -> list[dict[str, Any]]:
    """Return the rows as they arrived (keys in any order)."""
    rows: list[dict[str, Any]] = [{} for _ in range(batch.row_count)]
    for group in batch.groups:
        mine = rows if group.rows is None else [rows[number] for number in group.rows.tolist()]
        plain = [column for column, key in enumerate(group.keys) if SEPARATOR not in key]
        if plain:
            keys = [group.keys[column] for column in plain]
            columns = zip(*(_values_as_written(group, column) for column in plain), strict=True)
            for row, values in zip(mine, columns, strict=True):
                row.update(zip(keys, values, strict=True))
        for column, key in enumerate(group.keys):
            if SEPARATOR in key:
                path = key.split(SEPARATOR)
                for row, value in zip(mine, _values_as_written(group, column), strict=True):
                    _put(row, path, value)
    for number, path, value in batch.other:
        _put(rows[number], path, value)
    return rows


def _with_clean_keys(value: Any) -> Any:
    """Return a JSON value with its keys cleaned; texts in it stay as they are."""
    if isinstance(value, dict):
        return {clean_text(key): _with_clean_keys(item) for key, item in value.items()}
    return [_with_clean_keys(item) for item in value] if isinstance(value, list) else value


def read_lines(lines: Sequence[str]) -> tuple[list[dict[str, Any]], list[tuple[str, str]]]:
    """Decode JSON lines; return the good rows and (text, reason) of the bad ones.

    All lines are decoded together; only when that fails (NaN, or a bad line), or a key may have NUL, one by one.
    Integers beyond 64 bits become floats, as in the SDK's own core.
    """
    try:
        text = "[" + ",".join(lines) + "]"
        rows = orjson.loads(text)
        if len(rows) == len(lines) and all(type(row) is dict for row in rows) and "\\u0000" not in text:
            return rows, []
    except orjson.JSONDecodeError:
        pass
    good: list[dict[str, Any]] = []
    bad: list[tuple[str, str]] = []
    for line in lines:
        try:
            row = read_lenient(line)
            if _UNNAMEABLE.search(line):
                row = _with_clean_keys(row)
        except (ValueError, RecursionError) as error:
            bad.append((line, f"not JSON: {error}"))
            continue
        if isinstance(row, dict):
            good.append(row)
        else:
            bad.append((line, f"not a JSON object but {type(row).__name__}"))
    return good, bad
