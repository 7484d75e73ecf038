"""The values of columns: what is read from the database for them, and what a cell holds."""

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db.models import QuerySet

from common.budgets.budget import current
from runs.models import Run
from runs.query.column_names import NamedColumn
from runs.query.columns import ColumnKind
from runs.query.flat import Picked, unpicked
from runs.secrets.masking import mask


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
    return repr(value) if math.isfinite(value) else json.dumps(value)


def _masked(value: Any) -> Any:
    if isinstance(value, list):
        return [mask(text) for text in value]
    return mask(value) if isinstance(value, str) else value


_UNREAD = frozenset({ColumnKind.FLAT, ColumnKind.ABSENT})


class Reader:
    """Reads some columns of many runs, each config and summary taken apart by the database and once a run."""

    def __init__(self, columns: Iterable[NamedColumn]) -> None:
        self.columns = list(dict.fromkeys(columns))
        self._keys: dict[str, dict[str, None]] = {}
        for one in self.columns:
            if one.column.kind is ColumnKind.FLAT:
                self._keys.setdefault(one.column.field, {}).update(dict.fromkeys(one.column.keys))
        kinds = {one.column: None for one in self.columns if one.column.kind not in _UNREAD}
        self._fields = list(kinds)
        where = [(column.field, "") for column in self._fields]
        where += [(field, key) for field, keys in self._keys.items() for key in keys]
        places = {found: at for at, found in enumerate(where)}
        nowhere = len(where)
        self._places = [
            [places.get((one.column.field, key), nowhere) for key in one.column.keys or ("",)]
            for one in self.columns
        ]
        self._first = [place[0] for place in self._places]
        self._several = [at for at, place in enumerate(self._places) if len(place) > 1]

    def rows(self, runs: QuerySet[Run], *, revealed: bool = False) -> Iterator[tuple[int, str, list[Any]]]:
        """Yield each run's pk, state and the columns' values, None where there is none; one query.

        Secrets are masked; ``revealed``, those in labels and notes are not, for who shows them masked and lets edit.
        """
        picks = [(Picked(field, list(keys)), list(keys)) for field, keys in self._keys.items()]
        fields = [column.exact if revealed else column.expression for column in self._fields]
        read = runs.values_list("pk", "state", *fields, *(pick for pick, _keys in picks))
        for pk, state, *found in current().through(read.iterator(chunk_size=2000)):
            values = found[: len(fields)] if revealed else [_masked(value) for value in found[: len(fields)]]
            for text, (_pick, keys) in zip(found[len(fields) :], picks, strict=True):
                values.extend(unpicked(text, keys))
            values.append(None)
            yield pk, state, self._chosen(values)

    def _chosen(self, values: list[Any]) -> list[Any]:
        found = [values[place] for place in self._first]
        for at in self._several:  # an SDK's spelling of a key, which may mean two
            present = (values[place] for place in self._places[at] if values[place] is not None)
            found[at] = next(present, None)
        return found

    def cells(self, values: list[Any]) -> dict[str, Cell]:
        """Return a run's cells by column name."""
        return {one.name: cell_of(value) for one, value in zip(self.columns, values, strict=True)}
