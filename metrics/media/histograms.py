"""Histograms of a key over the steps of a run, and of several runs beside each other, on common bins (RUN-26, RUN-42).

However many were logged, at most STEPS of them are read out of their JSON for each run drawn.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import orjson

from metrics.media.selectors import Entry, entries_of

STEPS = 200
"""Of one run, in a heat map; and places of the slider over several."""
ROWS = 64
"""Bins that every histogram of an answer is brought to."""
MAX_RUNS = 50
_LARGEST = 1e300
"""Of edges and counts: what is computed of them stays finite."""

T = TypeVar("T")
Floats = npt.NDArray[np.float64]
Bins = tuple[Floats, Floats]
"""Edges and counts; an edge more than counts."""


def bins_of(value: Mapping[str, Any]) -> Bins | None:
    """Return a histogram in either of the SDK's forms; None where it cannot be drawn."""
    counts = value.get("values")
    edges = value.get("bins")
    packed = value.get("packedBins")
    if not isinstance(counts, list) or not counts:
        return None
    try:
        if isinstance(packed, dict):
            edges = packed.get("min", 0) + packed.get("size", 1) * np.arange(len(counts) + 1.0)
        pair = np.array(edges, float), np.array(counts, float)
    except (TypeError, ValueError, OverflowError):
        return None
    if [part.shape for part in pair] != [(len(counts) + 1,), (len(counts),)]:
        return None
    is_drawn = all((np.abs(part) <= _LARGEST).all() for part in pair) and (np.diff(pair[0]) >= 0).all()
    return pair if is_drawn else None


def _histograms(run_id: int, key: str) -> list[Entry]:
    return [entry for entry in entries_of(run_id, key) if entry[2] == "histogram"]


def _evenly(values: Sequence[T]) -> list[T]:
    """Return at most STEPS of them, with the first and the last."""
    chosen = np.linspace(0, max(0, len(values) - 1), min(len(values), STEPS))
    return [values[place] for place in sorted({int(place) for place in chosen})]


def _on_common_bins(found: Sequence[Bins]) -> tuple[list[float], list[list[float]]]:
    """Return ROWS + 1 edges from the least to the greatest, and each histogram's counts between them.

    Where all values are the same there is no width, so the value is put in the middle of one.
    """
    low, high = min(edges[0] for edges, _ in found), max(edges[-1] for edges, _ in found)
    if high - low < ROWS * np.spacing(max(abs(low), abs(high))):
        around = abs(low) / 2 or 0.5
        low, high = low - around, high + around
    common = np.linspace(low, high, ROWS + 1)
    return common.tolist(), [_spread(edges, counts, common).tolist() for edges, counts in found]


def _spread(edges: Floats, counts: Floats, common: Floats) -> Floats:
    """Spread counts evenly over the width of their bins; the SDK sends bins without one for equal values."""
    is_wide = np.diff(edges) > 0
    sums = np.concatenate([[0.0], np.cumsum(counts[is_wide])])
    spread: Floats = np.diff(np.interp(common, edges[np.concatenate([[True], is_wide])], sums))
    places = np.searchsorted(common, edges[:-1][~is_wide], side="right") - 1
    np.add.at(spread, places.clip(0, ROWS - 1), counts[~is_wide])
    return np.round(spread, 6) if counts.sum() >= 1 else spread


def heat_of(run_id: int, key: str) -> dict[str, Any]:
    """Return a key's histograms over time on common bins.

    Returns:
        ``steps`` (n of at most STEPS), ``edges`` (ROWS + 1) and ``counts`` (n lists of ROWS).
    """
    read = [(step, bins_of(orjson.loads(text))) for _, step, _, text in _evenly(_histograms(run_id, key))]
    known = [(step, bins) for step, bins in read if bins is not None]
    if not known:
        return {"steps": [], "edges": [], "counts": []}
    edges, counts = _on_common_bins([bins for _, bins in known])
    return {"steps": [step for step, _ in known], "edges": edges, "counts": counts}


def overlay_of(uid_of: Mapping[int, str], key: str, step: int | None) -> dict[str, Any]:
    """Return the histograms of several runs on common bins: the last at or before a step, the newest without one.

    Returns:
        ``steps`` (at most STEPS) at which any of them has one, ``edges`` (ROWS + 1), and ``runs``: of each run that has
        one by then its ``step`` and ``counts`` (ROWS).
    """
    steps: set[int] = set()
    chosen: dict[str, tuple[int, Bins]] = {}
    for run_id, uid in uid_of.items():
        entries = _histograms(run_id, key)
        steps.update(entry[1] for entry in entries)
        until = [entry for entry in entries if step is None or entry[1] <= step]
        if not until:
            continue
        newest = max(until, key=lambda entry: (entry[1], entry[0]))
        bins = bins_of(orjson.loads(newest[3]))
        if bins is not None:
            chosen[uid] = newest[1], bins
    answer: dict[str, Any] = {"steps": _evenly(sorted(steps)), "edges": [], "runs": {}}
    if chosen:
        answer["edges"], counts = _on_common_bins([bins for _, bins in chosen.values()])
        answer["runs"] = {
            uid: {"step": at, "counts": own}
            for (uid, (at, _)), own in zip(chosen.items(), counts, strict=True)
        }
    return answer
