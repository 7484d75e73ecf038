"""Typed access to one key of a flat projection (`runs.projection`), the same on SQLite and PostgreSQL.

Django's own JSON look-ups are not used: on SQLite ``k__gt=1`` also returns strings, None and True, and orders differ
(decisions/database.md). Each expression here is NULL unless the value is of its type.
"""

from typing import Any

from django.db.models import BooleanField, Expression, F, FloatField, Func, IntegerField, TextField, Value
from django.db.models.functions import Coalesce

_Sql = tuple[str, Any]

_NUMBER_SQLITE = (
    "(CASE {type} WHEN 'integer' THEN {value} WHEN 'real' THEN {value}"
    """ WHEN 'array' THEN CASE {value} WHEN '["Infinity"]' THEN 9e999 WHEN '["-Infinity"]' THEN -9e999 END END)"""
)
_NUMBER_POSTGRESQL = (
    "(CASE jsonb_typeof({value}) WHEN 'number' THEN ({value} #>> '{{}}')::double precision"
    " WHEN 'array' THEN CASE {value} ->> 0 WHEN 'Infinity' THEN 'Infinity'::double precision"
    " WHEN '-Infinity' THEN '-Infinity'::double precision END END)"
)


class _Flat(Expression):
    """One key of a JSON column; subclasses say of which type."""

    sqlite = ""
    postgresql = ""

    def __init__(self, column: str, key: str, output_field: Any) -> None:
        super().__init__(output_field=output_field)
        self.column: Any = F(column)
        self.key = key

    def get_source_expressions(self) -> list[Any]:
        """Return the column, for Django to resolve."""
        return [self.column]

    def set_source_expressions(self, exprs: Any) -> None:
        """Take the resolved column."""
        [self.column] = exprs

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> _Sql:
        """Compile for SQLite."""
        column, params = compiler.compile(self.column)
        if '"' in self.key or "\\" in self.key:  # no path can name such a key
            each = f"FROM json_each({column}) WHERE json_each.key = %s"
            parts = {"type": f"(SELECT json_each.type {each})", "value": f"(SELECT json_each.value {each})"}
            one = [*params, self.key]
        else:
            parts = {"type": f"json_type({column}, %s)", "value": f"json_extract({column}, %s)"}
            one = [*params, f'$."{self.key}"']
        sql = self.sqlite.format(**parts)
        return sql, one * (self.sqlite.count("{type}") + self.sqlite.count("{value}"))

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> _Sql:
        """Compile for PostgreSQL."""
        column, params = compiler.compile(self.column)
        sql = self.postgresql.replace("{value}", f"({column} -> %s)").replace("{{}}", "{}")
        return sql, [*params, self.key] * self.postgresql.count("{value}")


class FlatNumber(_Flat):
    """The number under the key, infinities included, NaN not."""

    sqlite = _NUMBER_SQLITE
    postgresql = _NUMBER_POSTGRESQL

    def __init__(self, column: str, key: str) -> None:
        super().__init__(column, key, FloatField())


class FlatText(_Flat):
    """The string under the key."""

    sqlite = "(CASE {type} WHEN 'text' THEN {value} END)"
    postgresql = "(CASE jsonb_typeof({value}) WHEN 'string' THEN {value} #>> '{{}}' END)"

    def __init__(self, column: str, key: str) -> None:
        super().__init__(column, key, TextField())


class FlatBoolean(_Flat):
    """1 or 0 for the boolean under the key."""

    sqlite = "(CASE {type} WHEN 'true' THEN 1 WHEN 'false' THEN 0 END)"
    postgresql = "(CASE {value} WHEN 'true'::jsonb THEN 1 WHEN 'false'::jsonb THEN 0 END)"

    def __init__(self, column: str, key: str) -> None:
        super().__init__(column, key, IntegerField())


class FlatExists(_Flat):
    """Whether the key has a value."""

    sqlite = "({type} IS NOT NULL)"
    postgresql = "({value} IS NOT NULL)"

    def __init__(self, column: str, key: str) -> None:
        super().__init__(column, key, BooleanField())


class ListHas(Func):
    """Whether a JSON list of strings has an element."""

    output_field = BooleanField()

    def __init__(self, column: str, element: str) -> None:
        super().__init__(F(column), Value(element))

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> _Sql:
        """Compile for SQLite."""
        column, params = compiler.compile(self.source_expressions[0])
        element, more = compiler.compile(self.source_expressions[1])
        test = f"json_each.value = {element}"
        return f"EXISTS (SELECT 1 FROM json_each({column}) WHERE {test})", [*params, *more]  # noqa: S608 - no values

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> _Sql:
        """Compile for PostgreSQL."""
        column, params = compiler.compile(self.source_expressions[0])
        element, more = compiler.compile(self.source_expressions[1])
        return f"({column} @> to_jsonb({element}::text))", [*params, *more]


def first_of(expression: type[Any], column: str, keys: list[str]) -> Any:
    """Return the value under the first of the keys that has one of the expression's type."""
    found = [expression(column, key) for key in keys]
    return found[0] if len(found) == 1 else Coalesce(*found)


def typed(column: Any) -> list[Any]:
    """Return a flat column's value as number, as text and as boolean: at most one of them is not NULL."""
    return [
        first_of(expression, column.field, list(column.keys))
        for expression in (FlatNumber, FlatText, FlatBoolean)
    ]
