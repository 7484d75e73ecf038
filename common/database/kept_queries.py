"""Queries that are built once: Django takes a millisecond to build what SQLite answers in a thirtieth of one.

A `KeptQuery` is made of a function from values to a queryset. It is called once, with stand-ins; then its text, its
parameters and how rows become objects are kept, and each question puts its own values in. So the function may not
look at its values, and what changes with time is asked of the database (`Now`).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.core.exceptions import EmptyResultSet, ObjectDoesNotExist
from django.db import connections
from django.db.models import Model, QuerySet
from django.db.models.query import get_related_populators
from django.db.models.sql.compiler import SQLCompiler

from common.database.compiled_sql import Compiled
from common.database.replica.routing import reading_alias

M = TypeVar("M", bound=Model)
Value = int | str | Sequence[int]

_MOST_LISTED = 512
"""Keys in a list of one statement; each power of two up to here has a text of its own, and longer lists are cut."""
_FIRST_NUMBER = -2_147_000_000
"""Stand-ins are numbers from here on; no row has them as its key."""


def _pieces(values: Sequence[Value | None]) -> Iterator[list[Value]]:
    """Yield the values with a piece of the list, if one of them is a list; nothing for an empty one, or for null."""
    if None in values:  # which nothing is equal to
        return
    given: list[Any] = list(values)
    place = next((at for at, value in enumerate(given) if not isinstance(value, int | str)), None)
    if place is None:
        yield given
        return
    listed = given[place]
    for start in range(0, len(listed), _MOST_LISTED):
        yield [*given[:place], _padded(listed[start : start + _MOST_LISTED]), *given[place + 1 :]]


def _padded(value: Sequence[int]) -> Sequence[int]:
    """Lengthen a list to a power of two by repeating its last, so that few lengths are there."""
    return [*value, *[value[-1]] * ((1 << (len(value) - 1).bit_length()) - len(value))]


def _flat(values: Sequence[Value]) -> list[int | str]:
    return [each for value in values for each in ([value] if isinstance(value, int | str) else value)]


def _stand_ins(values: Sequence[Value]) -> list[Value]:
    """Return what stands for each value, of its type and length."""
    found: list[Value] = []
    number = _FIRST_NUMBER
    for value in values:
        if isinstance(value, str):
            found.append(f"\ue000{number}\ue000")
        elif isinstance(value, int):
            found.append(number)
        else:
            found.append(list(range(number, number + len(value))))
        number += 1 if isinstance(value, int | str) else len(value)
    return found


@dataclass(frozen=True, slots=True)
class _Plan:
    """A query as its database takes it."""

    using: str
    compiler: SQLCompiler
    compiled: Compiled
    stand_ins: list[int | str]
    columns: list[str]
    first: int
    stop: int
    related: list[Any]
    converters: dict[int, Any]

    @classmethod
    def of(cls, queryset: QuerySet[Any], stand_ins: Sequence[Value]) -> "_Plan":
        compiler = queryset.query.get_compiler(queryset.db)
        sql, params = compiler.as_sql()
        klass: dict[str, Any] = compiler.klass_info or {"select_fields": [0]}
        populators: Any = get_related_populators  # of which the stubs know a later version
        first, stop = klass["select_fields"][0], klass["select_fields"][-1] + 1
        fields = [column[0] for column in compiler.select[: compiler.col_count]]
        is_model = compiler.klass_info is not None
        return cls(
            using=queryset.db,
            compiler=compiler,
            compiled=Compiled(sql, tuple(params)),
            stand_ins=_flat(stand_ins),
            columns=[field.target.attname for field in fields[first:stop]] if is_model else [],
            first=first,
            stop=stop,
            related=populators(klass, compiler.select, queryset.db) if is_model else [],
            converters=compiler.get_converters(fields),
        )

    def rows(self, values: Sequence[Value]) -> list[Any]:
        """Ask the database."""
        given = dict(zip(self.stand_ins, _flat(values), strict=True))
        with connections[self.using].cursor() as cursor:
            cursor.execute(self.compiled.sql, self.compiled.params_for(given))
            rows = cursor.fetchall()
        return list(self.compiler.apply_converters(rows, self.converters)) if self.converters else rows

    def object_of(self, row: Any) -> Any:
        """Make an object of a row, with what was selected along."""
        model: Any = self.compiler.query.model
        made = model.from_db(self.using, self.columns, row[self.first : self.stop])
        for populator in self.related:
            populator.populate(row, made)
        for name, place in self.compiler.annotation_col_map.items():
            setattr(made, name, row[place])
        return made


class KeptQuery(Generic[M]):
    """See the module. Values are keys, texts, or one list of keys."""

    def __init__(self, build: Callable[..., QuerySet[M, Any]]) -> None:
        self._build = build
        self._plans: dict[tuple[Any, ...], _Plan | None] = {}

    def _plan(self, values: Sequence[Value], *, is_first: bool) -> _Plan | None:
        shape = tuple(
            1 if isinstance(value, int) else 0 if isinstance(value, str) else -len(value) for value in values
        )
        key = reading_alias(), shape, is_first
        if key not in self._plans:
            stand_ins = _stand_ins(values)
            queryset = self._build(*stand_ins)
            if is_first:
                queryset = (queryset if queryset.ordered else queryset.order_by("pk"))[:1]
            try:
                self._plans[key] = _Plan.of(queryset, stand_ins)
            except EmptyResultSet:
                self._plans[key] = None
        return self._plans[key]

    def _found(self, values: Sequence[Value | None]) -> Iterator[tuple[_Plan, Any]]:
        for piece in _pieces(values):
            plan = self._plan(piece, is_first=False)
            if plan is not None:
                yield from ((plan, row) for row in plan.rows(piece))

    def first(self, *values: int | str | None) -> M | None:
        """Return the first object, by its key where the queryset has no order."""
        given = [value for value in values if value is not None]
        plan = self._plan(given, is_first=True) if len(given) == len(values) else None
        if plan is None:  # nothing is equal to null
            return None
        rows = plan.rows(given)
        return plan.object_of(rows[0]) if rows else None

    def get(self, *values: int | str) -> M:
        """Return the only object.

        Raises:
            Model.DoesNotExist: there is none.
        """
        found = self.first(*values)
        if found is None:
            raise self._no_such_object(values)
        return found

    def _no_such_object(self, values: Sequence[Value]) -> ObjectDoesNotExist:
        model: Any = self._build(*_stand_ins(values)).model
        error: ObjectDoesNotExist = model.DoesNotExist()
        return error

    def all(self, *values: Value | None) -> list[M]:
        """Return all objects; one of the values may be a list, which is asked for in pieces."""
        return [plan.object_of(row) for plan, row in self._found(values)]

    def rows(self, *values: Value | None) -> list[Any]:
        """Return the columns of each row, of a queryset of ``values_list``; as `all` else."""
        return [row for _plan, row in self._found(values)]
