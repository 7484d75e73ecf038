"""The values of columns: what is read from the database for them, and what a cell holds."""

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db.models import QuerySet

from runs.models import Run
from runs.query.columns import Kind
from runs.query.flat import Picked, unpicked
from runs.query.names import Named
from runs.secrets import mask_value


@dataclass(frozen=True, slots=True)
class Cell:
    """One value: ``type`` is number, text, boolean, time, tags, or "" where there is none."""

    value: Any = None
    text: str = ""
    type: str = ""


EMPTY = Cell()


def cell_of(value: Any) -> Cell:
    """Return the cell of a plain value; text is exact, for CSV and titles."""
    if value is None or value in ("", []):
        return EMPTY
    if isinstance(value, bool):
        return Cell(value, "true" if value else "false", "boolean")
    if isinstance(value, int | float):
        return Cell(value, number_text(value), "number")
    if isinstance(value, datetime):
        return Cell(value, value.astimezone(UTC).isoformat().replace("+00:00", "Z"), "time")
    if isinstance(value, list):
        return Cell(value, ", ".join(value), "tags")
    return Cell(value, value, "text")


def number_text(value: float) -> str:
    """Return the shortest text that reads as the same number; NaN, Infinity and -Infinity as JSON's readers know."""
    return json.dumps(value)


class Reader:
    """Reads some columns of many runs, each config and summary taken apart by the database and once a run."""

    def __init__(self, columns: Iterable[Named]) -> None:
        self.columns = list(dict.fromkeys(columns))
        self._fields = [one.column for one in self.columns if one.column.kind not in _UNREAD]
        self._keys: dict[str, list[str]] = {}
        for one in self.columns:
            if one.column.kind is Kind.FLAT:
                keys = self._keys.setdefault(one.column.field, [])
                keys += [key for key in one.column.keys if key not in keys]

    def rows(self, runs: QuerySet[Run]) -> Iterator[tuple[int, str, list[Any]]]:
        """Yield each run's pk, state and the columns' values, None where there is none; one query."""
        picks = [Picked(field, keys) for field, keys in self._keys.items()]
        read = runs.values_list("pk", "state", *(column.expression for column in self._fields), *picks)
        for pk, state, *found in read.iterator(chunk_size=2000):
            yield pk, state, self._values(found)

    def _values(self, found: list[Any]) -> list[Any]:
        fields = iter(found)
        plain = {column: next(fields) for column in self._fields}
        flat: dict[str, dict[str, Any]] = {
            field: dict(zip(keys, unpicked(next(fields), keys), strict=True))
            for field, keys in self._keys.items()
        }
        return [
            _first(flat[one.column.field], one.column.keys)
            if one.column.kind is Kind.FLAT
            else plain.get(one.column)
            for one in self.columns
        ]

    def cells(self, values: list[Any]) -> dict[str, Cell]:
        """Return a run's cells by column name, as pages show them: secrets masked."""
        return {
            one.name: cell_of(mask_value(one.name, value) if one.column.kind is Kind.FLAT else value)
            for one, value in zip(self.columns, values, strict=True)
        }


_UNREAD = frozenset({Kind.FLAT, Kind.ABSENT})


def _first(flat: dict[str, Any], keys: tuple[str, ...]) -> Any:
    return next((flat[key] for key in keys if flat[key] is not None), None)


def jsonable(value: Any) -> Any:
    """Return a value for strict JSON: NaN and infinities become text."""
    if isinstance(value, float) and not math.isfinite(value):
        return number_text(value)
    return value
