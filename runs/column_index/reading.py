"""Columns of many runs from the database, as `Values` takes them: times as seconds since 1970, tags as JSON."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
from django.db.models import F, Func, QuerySet, TextField
from django.db.models.functions import Cast

from runs.column_index.values import Array
from runs.models import Run
from runs.query.columns import Column, ColumnKind
from runs.query.flat import Picked, unpicked

AT_ONCE = 20_000
"""Runs of which Python has the values at a time."""


class _Moment(Func):
    """A time as SQLite has it, a text, since Django takes 5 µs to read one; as PostgreSQL counts it, in seconds."""

    output_field = TextField()

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, Any]:
        """Compile for SQLite."""
        sql, params = compiler.compile(self.source_expressions[0])
        return f"CAST({sql} AS TEXT)", params

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, Any]:
        """Compile for PostgreSQL."""
        sql, params = compiler.compile(self.source_expressions[0])
        return f"EXTRACT(EPOCH FROM {sql})::double precision", params


def read_columns(
    runs: QuerySet[Run], columns: Sequence[Column]
) -> Iterator[tuple[Array, list[Sequence[Any]]]]:
    """Yield keys, and the values of each column, of some runs at a time; one query."""
    plain = [column for column in columns if column.kind is not ColumnKind.FLAT]
    keys: dict[str, list[str]] = {}
    for column in columns:
        if column.kind is ColumnKind.FLAT:
            keys.setdefault(column.field, []).extend(column.keys)
    picks = [Picked(field, of_field) for field, of_field in keys.items()]
    rows = runs.values_list("pk", *map(_expression, plain), *picks).iterator(chunk_size=2000)
    while part := list(islice(rows, AT_ONCE)):
        pks, *found = zip(*part, strict=True)
        read = {column: _plain(column, values) for column, values in zip(plain, found, strict=False)}
        for (field, of_field), texts in zip(keys.items(), found[len(plain) :], strict=True):
            lists = zip(*(unpicked(text, of_field) for text in texts), strict=True)
            read |= {
                Column(ColumnKind.FLAT, field, (key,)): values
                for key, values in zip(of_field, lists, strict=True)
            }
        yield np.array(pks, np.int64), [read[column] for column in columns]


def _expression(column: Column) -> Any:
    if column.kind is ColumnKind.TIME:
        return _Moment(F(column.field))
    if column.kind is ColumnKind.PRESENCE:
        return column.exact
    return Cast(column.field, TextField()) if column.kind is ColumnKind.TAGS else F(column.field)


def _plain(column: Column, values: Sequence[Any]) -> Sequence[Any]:
    if column.kind is not ColumnKind.TIME or not isinstance(next(filter(None, values), None), str):
        return values
    times = np.array([value or "NaT" for value in values], "datetime64[us]")
    seconds: list[float | None] = (times.astype(np.int64) / 1e6).tolist()
    return [second if value else None for second, value in zip(seconds, values, strict=True)]
