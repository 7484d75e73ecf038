"""Runs with equal values."""

from collections.abc import Sequence

import numpy as np

from runs.column_index.values import NOTHING_FROM, Array, Values


def groups_in(columns: Sequence[Values]) -> list[Array]:
    """Return the runs, as places, that have the same values in all of some columns: each group's in their order.

    Numbers are equal whatever their type; so are NaN and NaN, and nothing and nothing.
    """
    keys: list[Array] = []
    for values in columns:
        places = values.places()
        keys += [np.where(places >= NOTHING_FROM, 0.0, values.ranks()), places]
    order = np.lexsort(keys)
    if not len(order):
        return []
    is_first = np.zeros(len(order), bool)
    for key in keys:
        in_order = key[order]
        is_first[1:] |= in_order[1:] != in_order[:-1]
    return np.split(order, np.flatnonzero(is_first))
