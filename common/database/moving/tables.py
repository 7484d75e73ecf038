"""What is moved: every table that a model of today has, and how much of each fits into memory."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.apps import apps
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import (
    BinaryField,
    CharField,
    Field,
    IntegerField,
    JSONField,
    Model,
    QuerySet,
    TextField,
)

from common.formats.lenient_json import clean_text, clean_tree

BATCH_BYTES = 8 * 1024 * 1024
"""Of the largest rows of a table; smaller ones take less."""
_MOST_ROWS = 5_000
Row = tuple[Any, ...]
Check = tuple["Field[Any, Any]", str, str]


@dataclass(frozen=True)
class Table:
    """A model's table in both databases."""

    model: type[Model]

    @property
    def name(self) -> str:
        """Its name in the database."""
        return self.model._meta.db_table

    @cached_property
    def fields(self) -> "list[Field[Any, Any]]":
        """The stored columns, in one order."""
        return list(self.model._meta.local_concrete_fields)

    @cached_property
    def key_at(self) -> int:
        """The place of the primary key among the columns."""
        return self.fields.index(self.model._meta.pk)

    def rows(self, using: str) -> "QuerySet[Any, Row]":
        """Return all rows, as values of Python, by their key."""
        names = [field.attname for field in self.fields]
        found = self.model._base_manager.using(using)
        return found.order_by("pk").values_list(*names)

    @cached_property
    def _texts(self) -> list[tuple[int, Callable[[Any], Any]]]:
        """The places of texts and of what holds some, with what makes them storable."""
        found = ((at, _cleaner(field)) for at, field in enumerate(self.fields))
        return [(at, clean) for at, clean in found if clean]

    def storable(self, row: Row) -> Row:
        """Return a row as PostgreSQL can store it: without NUL in its texts."""
        values = list(row)
        for at, clean in self._texts:
            if values[at] is not None:
                values[at] = clean(values[at])
        return tuple(values)

    def batch_size(self, using: str) -> int:
        """Return how many rows may be in memory at once."""
        long = [field for field in self.fields if isinstance(field, BinaryField | TextField | JSONField)]
        if not long:
            return _MOST_ROWS
        sizes = _only_row(using, self.name, [f"MAX(LENGTH({_quoted(using, field)}))" for field in long])
        return max(1, min(_MOST_ROWS, BATCH_BYTES // max(1, sum(size or 0 for size in sizes))))

    def misfits(self, using: str) -> Iterator[str]:
        """Say which columns hold what PostgreSQL would refuse: a text too long, a number too large."""
        checks = [check for field in self.fields for check in _checks(using, field)]
        if not checks:
            return
        counts = _only_row(using, self.name, [f"SUM({condition})" for _field, condition, _what in checks])
        for (field, _condition, what), count in zip(checks, counts, strict=True):
            if count:
                yield f"{self.name}.{field.column}: {count} {what}"


def tables() -> list[Table]:
    """Return all tables; that of the migrations last, since it tells what is there."""
    models: list[type[Model]] = [*apps.get_models(include_auto_created=True), MigrationRecorder.Migration]
    return [Table(model) for model in models if model._meta.managed and not model._meta.proxy]


def unknown_tables(using: str) -> list[str]:
    """Name tables of the source that no model has: left-overs, which stay where they are."""
    known = {table.name for table in tables()}
    return sorted(set(connections[using].introspection.table_names()) - known)


def _cleaner(field: "Field[Any, Any]") -> Callable[[Any], Any] | None:
    if isinstance(field, JSONField):
        return clean_tree
    return clean_text if isinstance(field, CharField | TextField) else None


def _checks(using: str, field: "Field[Any, Any]") -> Iterator[Check]:
    """Yield a field with a condition of SQL on what does not fit, and what to say of it."""
    column = _quoted(using, field)
    if isinstance(field, CharField) and field.max_length:
        yield (
            field,
            f"LENGTH({column}) > {field.max_length}",
            f"are longer than {field.max_length} characters",
        )
    if isinstance(field, IntegerField):
        low, high = connections[using].ops.integer_field_ranges[field.get_internal_type()]
        yield field, f"{column} NOT BETWEEN {low} AND {high}", f"are not in {low} to {high}"


def _quoted(using: str, field: "Field[Any, Any]") -> str:
    return connections[using].ops.quote_name(str(field.column))


def _only_row(using: str, table: str, expressions: Sequence[str]) -> Row:
    connection: BaseDatabaseWrapper = connections[using]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(expressions)} FROM {connection.ops.quote_name(table)}")  # noqa: S608
        row: Row = cursor.fetchone()
        return row
