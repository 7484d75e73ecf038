"""SQL that is written once: Django takes milliseconds to build what a database answers in a tenth of one.

Text is kept, never an answer. Stand-ins take the places of who asks and of the row; each question puts its own there.
All other values stay as they were the first time, so a rule that depends on the time asks the database for it (`Now`).
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BigIntegerField, Expression, Model, QuerySet
from django.db.models.sql import Query
from django.db.models.sql.compiler import SQLCompiler

USER = -2_147_483_647
ROW = USER + 1
"""Stand-ins for keys; no row has them, and no condition of ours has such a number."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """A query as its database takes it, with stand-ins among the parameters."""

    sql: str
    params: tuple[Any, ...]

    def params_for(self, values: Mapping[Any, Any]) -> tuple[Any, ...]:
        """Return the parameters with values in the places of their stand-ins, of the type the driver wants."""
        return tuple(
            type(param)(values[param]) if isinstance(param, int | str) and param in values else param
            for param in self.params
        )


_compiled: dict[Hashable, Compiled | None] = {}
"""As many as there are rules: neither keys of people nor of rows are a part of what they are kept by."""


def _compile(query: Query, using: str) -> Compiled | None:
    query.clear_ordering(force=True)
    try:
        sql, params = query.get_compiler(using).as_sql()
    except EmptyResultSet:
        return None
    return Compiled(sql, tuple(params))


def _kept(name: Hashable, build: Callable[[], Query], using: str) -> Compiled | None:
    key = (using, name)
    if key not in _compiled:
        _compiled[key] = _compile(build(), using)
    return _compiled[key]


def holds(
    name: Hashable, build: Callable[[], QuerySet[Model]], keys: Mapping[int, int], *, using: str
) -> bool:
    """Say whether a query finds a row.

    Args:
        name: What tells the query from all others; its keys apart.
        build: Makes it the first time, with stand-ins.
        keys: What takes the place of each stand-in.
        using: The database.
    """
    found = _kept(name, lambda: build().query.exists(), using)  # noqa: PLW0108 - built the first time only
    if found is None:
        return False
    with connections[using].cursor() as cursor:
        cursor.execute(found.sql, found.params_for(keys))
        return cursor.fetchone() is not None


class KeysOf(Expression):
    """The keys that a query about one user finds: ``Q(team__in=KeysOf(_teams, user_id, action))``."""

    def __init__(self, build: Callable[[int, str], QuerySet[Any, Any]], user_id: int, action: str) -> None:
        super().__init__(output_field=BigIntegerField())
        self.build, self.user_id, self.action = build, user_id, str(action)

    def as_sql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, tuple[Any, ...]]:
        """Return the subquery, in brackets."""
        name = (self.build, self.action)
        found = _kept(name, lambda: self.build(USER, self.action).query, connection.alias)
        if found is None:
            raise EmptyResultSet
        return f"({found.sql})", found.params_for({USER: self.user_id})
