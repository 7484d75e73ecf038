"""Whether two databases hold the same: the count of each table's rows, and one digest over all their values.

The digests of the rows are added up, so neither database has to put them into an order.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import BinaryField, DateTimeField, DecimalField, JSONField

from common.database.moving.tables import Row, Table

_BITS = 128
_TOLD_EVERY = 1_000
_EXACT = 2**53
"""Whole numbers up to here are floats, too; beyond, PostgreSQL's JSON gives back 1e300 as all its digits."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What a table holds."""

    rows: int
    digest: str
    """Hexadecimal."""


def contents_of(table: Table, using: str, batch_size: int, tell: Callable[[str], None]) -> Contents:
    """Read all rows of a table, as PostgreSQL stores them."""
    with transaction.atomic(using=using):  # a cursor of PostgreSQL reads in pieces within a transaction
        rows = table.rows(using).order_by().iterator(chunk_size=batch_size)
        total = count = 0
        canonical_of = _canonical_of(table)
        for count, row in enumerate(rows, start=1):
            total += int.from_bytes(_digest(repr(canonical_of(table.storable(row))).encode()))
            if count % _TOLD_EVERY == 0:
                tell(f"{table.name}: {count} rows compared")
    return Contents(count, f"{total % 2**_BITS:0{_BITS // 4}x}")


def _canonical_of(table: Table) -> Callable[[Row], Row]:
    """Return what makes equal rows equal tuples, however a database writes their values."""
    special = [
        (at, canonical)
        for at, field in enumerate(table.fields)
        for kind, canonical in _CANONICAL.items()
        if isinstance(field, kind)
    ]

    def canonical_of(row: Row) -> Row:
        values = list(row)
        for at, canonical in special:
            values[at] = None if values[at] is None else canonical(values[at])
        return tuple(values)

    return canonical_of


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_BITS // 8).digest()


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return _number(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _number(value: float) -> float | str:
    try:
        number = float(value) + 0.0  # there is no -0 either
    except OverflowError:
        return str(value)
    return number if abs(number) <= _EXACT else repr(number)


_CANONICAL: dict[type, Callable[[Any], Any]] = {
    BinaryField: _digest,
    DateTimeField: datetime.timestamp,
    DecimalField: lambda number: str(number.normalize()),
    JSONField: lambda value: json.dumps(_plain(value), sort_keys=True),
}
"""By the kind of a field; values of all others are the same from both databases."""
