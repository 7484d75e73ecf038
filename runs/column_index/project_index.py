"""The columns of one project in memory, read when they are first needed and brought up to date each time."""

import threading
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from django.db.models import QuerySet

from runs.column_index.changes import changes_since, mark_of
from runs.column_index.reading import read_columns
from runs.column_index.spans import parts_of, span
from runs.column_index.values import Array, Values
from runs.models import Run
from runs.query.columns import Column, ColumnKind, column_named

STATE = column_named("state")
_MOST_CHANGED = 20_000
"""After more changes all columns are read anew."""
_NAMED_AT_ONCE = 1000
_OF_JSON = frozenset({ColumnKind.FLAT, ColumnKind.PRESENCE})
_INDEXED = _OF_JSON | {ColumnKind.TEXT, ColumnKind.TIME, ColumnKind.NUMBER, ColumnKind.TAGS}


class NotIndexed(Exception):
    """A column that is not kept: of other rows than the run and its pulse, or with masked texts."""


def check_indexed(column: Column) -> None:
    """Let a column pass that can be kept.

    Raises:
        NotIndexed: it cannot.
    """
    is_foreign = "__" in column.field and column.kind not in _OF_JSON
    if column.kind not in _INDEXED or is_foreign or column.masked:
        raise NotIndexed(column.field)


def _single(column: Column) -> list[Column]:
    """Return what is kept of a column: one of each key that it may mean, and of a length of time its begin and end."""
    if column.kind is ColumnKind.SPAN:
        return parts_of(column)
    is_several = len(column.keys) > 1 and column.kind is ColumnKind.FLAT
    return [replace(column, keys=(key,)) for key in column.keys] if is_several else [column]


class ProjectIndex:
    """The listed runs of a project, in the order of their keys, and some of their columns; hold ``lock`` to read."""

    def __init__(self, project_id: int) -> None:
        self.lock = threading.Lock()
        self.pks = np.zeros(0, np.int64)
        self._project_id = project_id
        self._columns: dict[Column, Values] = {}
        self._mark: int | None = None

    @property
    def nbytes(self) -> int:
        """About how much memory this takes."""
        return int(self.pks.nbytes) + sum(values.nbytes for values in self._columns.values())

    def prepare(self, columns: Iterable[Column]) -> None:
        """Bring what is kept up to date and read the columns that are not kept yet.

        Raises:
            NotIndexed: one cannot be kept.
        """
        wanted = list(dict.fromkeys(one for column in columns for one in _single(column)))
        for column in wanted:
            check_indexed(column)
        try:
            self._read(wanted)
        except Exception:
            self._mark = None  # half of it may have been read: begin anew
            raise
        self._columns = {  # the last used last
            **{one: values for one, values in self._columns.items() if one not in wanted},
            **{one: self._columns[one] for one in wanted},
        }

    def _read(self, wanted: list[Column]) -> None:
        if not self._catch_up():
            self._mark = mark_of(self._project_id)
            self.pks, self._columns = self._loaded(wanted)
        elif missing := [column for column in wanted if column not in self._columns]:
            self._add(missing)

    def values(self, column: Column) -> Values:
        """Return a column that was prepared; of several keys the value of the first that a run has.

        Raises:
            NotIndexed: a run has two of them, whose types the database tells apart, or an integer too large for a
                double, which SQLite compares exactly.
        """
        if column.kind is ColumnKind.SPAN:
            return span(column, self._columns.__getitem__)
        first, *others = (self._columns[one] for one in _single(column))
        for other in others:
            if first.overlaps(other):
                raise NotIndexed(column.field)
            first = first.filled(other)
        if not first.is_exact:
            raise NotIndexed(column.field)
        return first

    def forget(self, most_bytes: int) -> None:
        """Let columns go, those first that were not used for longest, until the rest takes no more than so much.

        Whoever reads them just now does so afterwards.
        """
        if not self.lock.acquire(blocking=False):
            return
        try:
            left, excess = dict(self._columns), self.nbytes - most_bytes
            for column, values in self._columns.items():
                if excess > 0:
                    del left[column]
                    excess -= values.nbytes
            self._columns = left
        finally:
            self.lock.release()

    def _add(self, columns: Sequence[Column]) -> None:
        """Read more columns; runs that came meanwhile wait until the next time, as those that left do."""
        pks, added = self._loaded(columns)
        if not np.array_equal(pks, self.pks):
            places = np.searchsorted(pks, self.pks)
            is_there = np.isin(self.pks, pks)
            for values in added.values():
                values.extend([None])
                values.choose(np.where(is_there, places, len(pks)))
        self._columns = self._columns | added

    def _catch_up(self) -> bool:
        """Read the runs that changed since the last time; False when there was none, or too many did."""
        changes = None if self._mark is None else changes_since(self._project_id, self._mark, _MOST_CHANGED)
        if changes is None:
            return False
        for start in range(0, len(changes.run_ids), _NAMED_AT_ONCE):
            self._replace(np.array(changes.run_ids[start : start + _NAMED_AT_ONCE], np.int64))
        self._mark = changes.mark
        return True

    def _replace(self, changed: Array) -> None:
        pks, lists = self._rows_of(changed)
        is_gone = np.isin(self.pks, np.setdiff1d(changed, pks))
        if is_gone.any():
            self._choose(np.flatnonzero(~is_gone))
        is_kept = np.isin(pks, self.pks)
        places = np.searchsorted(self.pks, pks[is_kept])
        kept, new = np.flatnonzero(is_kept).tolist(), np.flatnonzero(~is_kept).tolist()
        for values, given in zip(self._columns.values(), lists, strict=True):
            values.put(places, [given[at] for at in kept])
            values.extend([given[at] for at in new])
        if new:
            self.pks = np.concatenate([self.pks, pks[new]])
            self._choose(np.argsort(self.pks))

    def _choose(self, places: Array) -> None:
        self.pks = self.pks[places]
        for values in self._columns.values():
            values.choose(places)

    def _rows_of(self, pks: Array) -> tuple[Array, list[Sequence[Any]]]:
        """Return which of some runs are listed, and their values of each column that is kept."""
        columns = list(self._columns)
        some = self._listed().filter(pk__in=pks.tolist())
        nothing: list[Sequence[Any]] = [()] * len(columns)
        return next(read_columns(some, columns), (np.zeros(0, np.int64), nothing))

    def _loaded(self, columns: Sequence[Column]) -> tuple[Array, dict[Column, Values]]:
        """Read columns of all listed runs."""
        pks, found = [np.zeros(0, np.int64)], {column: Values() for column in columns}
        for some, lists in read_columns(self._listed(), columns):
            pks.append(some)
            for values, given in zip(found.values(), lists, strict=True):
                values.extend(given)
        return np.concatenate(pks), found

    def _listed(self) -> QuerySet[Run]:
        return Run.objects.listed().filter(project_id=self._project_id).order_by("pk")
