"""In which order runs are listed: what `runs.query.ordering` tells the database, on columns in memory."""

from collections.abc import Sequence

import numpy as np

from runs.column_index.values import NOTHING_FROM, Array, Values
from runs.states import RunState


def order_of(parts: Sequence[tuple[Values, bool]], chosen: Array, *, states: Values | None) -> Array:
    """Return chosen runs in order, as places.

    Args:
        parts: The columns to sort by, each with whether it falls; a run's age decides between equals, and falls as the
            first of them does.
        chosen: The places of the runs, rising.
        states: Given, running runs come first.
    """
    falls = bool(parts) and parts[0][1]
    keys: list[Array] = [-chosen if falls else chosen]
    for values, falling in reversed(parts):
        ranks = values.ranks()[chosen]
        keys.append(-ranks if falling else ranks)
        places = values.places()[chosen]
        if places.any():
            keys[-1][places >= NOTHING_FROM] = 0.0
            keys.append(np.minimum(places, NOTHING_FROM))
    if states is not None:
        keys.append(~states.where_text(text == RunState.RUNNING for text in states.texts)[chosen])
    return chosen[np.lexsort(keys)]
