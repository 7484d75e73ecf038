"""Typed access to one key of a flat projection (`runs.config.flatten`), the same on SQLite and PostgreSQL.

Django's own JSON look-ups are not used: on SQLite ``k__gt=1`` also returns strings, None and True, and orders differ
(decisions/database.md). Each expression here is NULL unless the value is of its type.
"""

import json
import math
from collections.abc import Sequence
from typing import Any

import orjson
from django.db.models import BooleanField, Expression, F, FloatField, Func, IntegerField, TextField, Value
from django.db.models.functions import Coalesce

_Sql = tuple[str, Any]

_NUMBER_SQLITE = (
    "(CASE {type} WHEN 'integer' THEN {value} WHEN 'real' THEN {value}"
    """ WHEN 'array' THEN CASE {value} WHEN '["Infinity"]' THEN 9e999 WHEN '["-Infinity"]' THEN -9e999 END END)"""
)


def _has_path(key: str) -> bool:
    """Say whether a path of SQLite's can name the key: it is compared with the stored text, escapes and all."""
    return key.isascii() and key.isprintable() and '"' not in key and "\\" not in key


class _OfColumn(Expression):
    """Something of a JSON column."""

    def __init__(self, column: str, output_field: Any) -> None:
        super().__init__(output_field=output_field)
        self.column: Any = F(column)

    def get_source_expressions(self) -> list[Any]:
        """Return the column, for Django to resolve."""
        return [self.column]

    def set_source_expressions(self, exprs: Any) -> None:
        """Take the resolved column."""
        [self.column] = exprs


class _Flat(_OfColumn):
    """One key of a JSON column; subclasses say of which type.

    On PostgreSQL the value comes by a path that tests its type, since each mention of the column unpacks all of it
    anew, which takes longer than everything else (4 us for 2 kB).
    """

    sqlite = ""
    postgresql = ""
    of_type = ""
    """The path's test."""

    def __init__(self, column: str, key: str, output_field: Any) -> None:
        super().__init__(column, output_field)
        self.key = key

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> _Sql:
        """Compile for SQLite."""
        column, params = compiler.compile(self.column)
        if not _has_path(self.key):
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
        value = f"jsonb_path_query_first({column}, %s::jsonpath, '{{}}', true)"
        return self.postgresql.replace("{value}", value), [
            *params,
            f"strict $.{json.dumps(self.key)}{self.of_type}",
        ]


class FlatNumber(_Flat):
    """The number under the key, infinities included, NaN not."""

    sqlite = _NUMBER_SQLITE
    postgresql = """btrim({value} #>> '{}', '["]')::double precision"""
    of_type = ' ? (@.type() == "number" || (@.type() == "array" && @[0] != "NaN"))'

    def __init__(self, column: str, key: str) -> None:
        super().__init__(column, key, FloatField())


class FlatText(_Flat):
    """The string under the key."""

    sqlite = "(CASE {type} WHEN 'text' THEN {value} END)"
    postgresql = "({value} #>> '{}')"
    of_type = ' ? (@.type() == "string")'

    def __init__(self, column: str, key: str) -> None:
        super().__init__(column, key, TextField())


class FlatBoolean(_Flat):
    """1 or 0 for the boolean under the key."""

    sqlite = "(CASE {type} WHEN 'true' THEN 1 WHEN 'false' THEN 0 END)"
    postgresql = "({value}::boolean::integer)"
    of_type = ' ? (@.type() == "boolean")'

    def __init__(self, column: str, key: str) -> None:
        super().__init__(column, key, IntegerField())


class FlatExists(_Flat):
    """Whether the key itself has a value that is no object."""

    sqlite = "({type} IS NOT NULL)"
    postgresql = "({value} IS NOT NULL)"

    def __init__(self, column: str, key: str) -> None:
        super().__init__(column, key, BooleanField())


class FlatNaN(_Flat):
    """Whether the value under the key is NaN."""

    sqlite = """(CASE {type} WHEN 'array' THEN {value} = '["NaN"]' ELSE 0 END)"""
    postgresql = "({value} IS NOT NULL)"
    of_type = ' ? (@.type() == "array" && @[0] == "NaN")'

    def __init__(self, column: str, key: str) -> None:
        super().__init__(column, key, BooleanField())


class FlatInside(_OfColumn):
    """How many keys there are inside of a key: of an object, its leaves."""

    _SQLITE = "(SELECT COUNT(*) FROM json_each({column}) WHERE {key_is_inside})"
    _POSTGRESQL = "(SELECT COUNT(*) FROM jsonb_object_keys({column}) AS each(key) WHERE {key_is_inside})"

    def __init__(self, column: str, keys: Sequence[str], output_field: Any = None) -> None:
        super().__init__(column, output_field or IntegerField())
        self.keys = keys

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> _Sql:
        """Compile for SQLite."""
        return self._compiled(
            compiler, self._SQLITE, "substr(json_each.key, 1, %s) = %s", "json_each.key = %s"
        )

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> _Sql:
        """Compile for PostgreSQL."""
        return self._compiled(compiler, self._POSTGRESQL, "substr(each.key, 1, %s) = %s", "each.key = %s")

    def _compiled(self, compiler: Any, sql: str, is_inside: str, is_key: str) -> _Sql:
        column, params = compiler.compile(self.column)
        tests = " OR ".join([is_inside] * len(self.keys))
        given = [one for key in self.keys for one in (len(key) + 1, f"{key}.")]
        return sql.format(column=column, key_is_inside=tests), [*params, *given]


class FlatPresence(FlatInside):
    """Whether one of some keys has a value, be it an object."""

    _SQLITE = "EXISTS (SELECT 1 FROM json_each({column}) WHERE {key_is_inside})"
    _POSTGRESQL = "EXISTS (SELECT 1 FROM jsonb_object_keys({column}) AS each(key) WHERE {key_is_inside})"

    def __init__(self, column: str, keys: Sequence[str]) -> None:
        super().__init__(column, keys, BooleanField())

    def _compiled(self, compiler: Any, sql: str, is_inside: str, is_key: str) -> _Sql:
        column, params = compiler.compile(self.column)
        tests = " OR ".join([f"{is_key} OR {is_inside}"] * len(self.keys))
        given = [one for key in self.keys for one in (key, len(key) + 1, f"{key}.")]
        return sql.format(column=column, key_is_inside=tests), [*params, *given]


class Picked(_OfColumn):
    """Some keys' values of a JSON column as JSON text, in one go; `unpicked` reads it."""

    _MANY = 500
    _AT_ONCE = 100  # SQLite's functions take 127 arguments

    def __init__(self, column: str, keys: Sequence[str]) -> None:
        super().__init__(column, TextField())
        self.keys = keys

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> _Sql:
        """Compile for SQLite: a list of lists; the whole column for many keys, or one that no path can name."""
        column, params = compiler.compile(self.column)
        if len(self.keys) > self._MANY or not all(map(_has_path, self.keys)):
            return column, params
        paths = [f'$."{key}"' for key in self.keys]
        lists, given = [], []
        for start in range(0, len(paths), self._AT_ONCE):
            some = paths[start : start + self._AT_ONCE]
            some += [some[0]] if len(some) == 1 else []  # of one path comes its bare value
            lists.append(f"json_extract({column}, {', '.join(['%s'] * len(some))})")
            given += [*params, *some]
        joined = " || ',' || ".join(lists)
        return f"('[' || {joined} || ']')", given

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> _Sql:
        """Compile for PostgreSQL: a list of one list; the whole column for many keys."""
        column, params = compiler.compile(self.column)
        if len(self.keys) > self._MANY:
            return f"({column})::text", params
        values = ", ".join(["whole.flat -> %s"] * len(self.keys))
        unpacked = f"(SELECT {column} || '{{}}' AS flat OFFSET 0) AS whole"  # once, and not for every key
        sql = f"(SELECT jsonb_build_array(ARRAY[{values}])::text FROM {unpacked})"  # noqa: S608 - no values
        return sql, [*self.keys, *params]


def unpicked(text: str | None, keys: Sequence[str]) -> list[Any]:
    """Return the values that `Picked` gave, in the order of its keys; None where there is none.

    Integers of more than 64 bits come as doubles, as they were read (PostgreSQL writes 1e308 with all its zeros).
    """
    found = orjson.loads(text) if text else {}
    if isinstance(found, dict):
        found = [[found.get(key) for key in keys]]
    return [untagged(value) for part in found for value in part][: len(keys)]


def untagged(value: Any) -> Any:
    """Return a flat value as Python has it."""
    return _TAGGED[value[0]] if type(value) is list else value


_TAGGED = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


class InCodeOrder(Func):
    """A text that is compared character by character, on PostgreSQL too, whatever its database's collation."""

    output_field = TextField()
    arity = 1

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> _Sql:
        """Compile for SQLite, which does so by itself."""
        sql, params = compiler.compile(self.source_expressions[0])
        return sql, params

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> _Sql:
        """Compile for PostgreSQL."""
        sql, params = compiler.compile(self.source_expressions[0])
        return f'({sql} COLLATE "C")', params


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
