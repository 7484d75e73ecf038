"""The numbers of one key, by the rows that have them."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from metrics.store.codec import Batch, Floats, Rows
from metrics.store.key_stats import shown_key
from metrics.store.pyramid import STEP


@dataclass(frozen=True, slots=True)
class Column:
    """A key's numbers: ``rows`` and ``values`` of equal length, rows rising."""

    rows: Rows
    values: Floats

    def at(self, rows: Rows) -> Floats:
        """Return the values at rows that rise; NaN where there is none."""
        if not self.rows.size:
            return np.full(rows.size, np.nan)
        if np.array_equal(self.rows, rows):
            return self.values
        where = np.minimum(np.searchsorted(self.rows, rows), self.rows.size - 1)
        return np.where(self.rows[where] == rows, self.values[where], np.nan)


def positions_on(axis: Column, rows: Rows, x: str) -> Floats:
    """Return where rows lie on an axis, NaN where a row has none of it; without any steps, by their numbers."""
    return rows.astype(float) if x == STEP and not axis.rows.size else axis.at(rows)


EMPTY = Column(np.array([], np.int64), np.array([], np.float64))


def joined(parts: list[tuple[Rows, Floats]]) -> Column:
    if not parts:
        return EMPTY
    rows = np.concatenate([rows for rows, _ in parts])
    values = np.concatenate([values for _, values in parts])
    if any(
        later[0] < earlier[-1] for (earlier, _), (later, _) in pairwise(parts)
    ):  # groups of one batch take turns
        order = np.argsort(rows, kind="stable")
        rows, values = rows[order], values[order]
    return Column(rows, values)


def shown_columns(batch: Batch, keys: Collection[str]) -> Iterator[tuple[str, Rows, Floats]]:
    """Yield (shown name, row numbers within the batch, values) of the columns of these shown names."""
    names = {
        column: shown
        for group in batch.groups
        for column in group.keys
        if (shown := shown_key(column)) in keys
    }
    for column, rows, values in batch.columns(names):
        yield names[column], rows, values
