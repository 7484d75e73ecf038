"""How much each parameter of many runs tells of a metric.

**Importance** is the share of the variance of the metric's ranks that lies between the runs' values of one parameter,
corrected for how many values there are: the adjusted correlation ratio (epsilon squared; on ranks that of Kruskal and
Wallis). It is 0 for a parameter that tells nothing and 1 for one that tells all, needs no model, finds relations that
rise and fall, takes texts as well as numbers, and does not depend on scales: a diverged loss of 1e30 counts as the
worst run and no more. Numbers of many different values are put into bins of equally many runs.

Each parameter is looked at alone: one that matters only together with another one has little importance, and of two
that always change together both have it. The error is the jackknife's standard error over `FOLDS` parts of the runs.

**Correlations** are for numbers and booleans: Spearman's of ranks gives the sign, Pearson's is of the values.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from metrics.store.codec import Floats

MIN_RUNS = 5
"""With fewer runs nothing is said."""
MAX_BINS = 10
RUNS_A_BIN = 5
FOLDS = 20

Ints = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True, slots=True)
class KeyImportance:
    """One parameter; ``count`` runs have it and the metric, ``values`` is how many different values they have.

    ``importance`` and ``error`` are from 0 to 1, None where there are too few runs for so many values. The correlations
    are from -1 to 1, None for texts.
    """

    column: str
    count: int
    values: int
    is_number: bool
    importance: float | None
    error: float | None
    spearman: float | None
    pearson: float | None

    def wire(self) -> dict[str, Any]:
        """Return it for JSON, with four digits."""
        found = asdict(self)
        return {name: round(value, 4) if isinstance(value, float) else value for name, value in found.items()}


@dataclass(frozen=True, slots=True)
class Importance:
    """Of ``runs``, ``known`` have the metric; ``keys`` by importance, those with only one value left out."""

    runs: int
    known: int
    keys: list[KeyImportance]


def importances(metric: Sequence[Any], columns: Iterable[tuple[str, Sequence[Any]]]) -> Importance:
    """Return the importance of each column for the metric; all have a value or None for each run, in one order."""
    y = _numbers(metric)
    has_metric = ~np.isnan(y)
    known = int(has_metric.sum())
    found = []
    if known >= MIN_RUNS:
        for name, values in columns:
            if (one := _of_column(name, values, y, has_metric)) is not None:
                found.append(one)
    found.sort(key=lambda one: (one.importance is None, -(one.importance or 0.0), one.column))
    return Importance(len(metric), known, found)


def _of_column(name: str, values: Sequence[Any], y: Floats, has_metric: Any) -> KeyImportance | None:
    if values.count(values[0]) == len(values):  # most keys of long configurations; cheap to see
        return None
    is_number = all(value is None or isinstance(value, int | float) for value in values)
    codes = np.zeros(0, np.int64)
    if is_number:
        x = _numbers(values)
        kept = has_metric & ~np.isnan(x)
        x = x[kept]
        distinct = len(np.unique(x))
    else:
        x, kept = np.zeros(0), has_metric & np.array([value is not None for value in values], bool)
        codes = _codes([value for value, is_kept in zip(values, kept, strict=True) if is_kept])
        distinct = int(codes.max(initial=-1)) + 1
    count = int(kept.sum())
    if count < MIN_RUNS or distinct < 2:
        return None
    target = ranks(y[kept])
    share, error = explained(target, binned(x, distinct) if is_number else codes)
    return KeyImportance(
        column=name, count=count, values=distinct, is_number=is_number, importance=share, error=error,
        spearman=_correlation(ranks(x), target) if is_number else None,
        pearson=_pearson(x, y[kept]) if is_number else None,
    )  # fmt: skip


def _numbers(values: Sequence[Any]) -> Floats:
    """Return the numbers as doubles, NaN for anything else."""
    return np.array([_number(value) for value in values], np.float64)


def _number(value: Any) -> float:
    if not isinstance(value, int | float):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _codes(values: list[Any]) -> Ints:
    """Number the different values; 1, 1.0 and True are one value only where they are one text, too."""
    known: dict[str, int] = {}
    return np.array([known.setdefault(repr(value), len(known)) for value in values], np.int64)


def ranks(values: Floats) -> Floats:
    """Return the ranks from 1; equal values share the mean of theirs."""
    _unique, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    means: Floats = (last - (counts - 1) / 2)[inverse]
    return means


def binned(values: Floats, distinct: int) -> Ints:
    """Number each different value, or, where there are many, bins of about equally many runs."""
    bins = max(2, min(MAX_BINS, len(values) // RUNS_A_BIN))
    by = values if distinct <= bins else np.floor((ranks(values) - 1) / len(values) * bins)
    numbered: Ints = np.unique(by, return_inverse=True)[1]
    return numbered


def explained(target: Floats, groups: Ints) -> tuple[float | None, float | None]:
    """Return the adjusted share of the target's variance that lies between the groups, and its standard error."""
    whole = float(_shares(target, groups, np.zeros(len(target), np.int64), 1)[0])
    if math.isnan(whole):
        return None, None
    folds = min(FOLDS, len(target))
    fold_of = (
        np.random.default_rng(0).permutation(len(target)) % folds
    )  # an order that a sweep's grid does not have
    without = _shares(target, groups, fold_of, folds)[1:]
    without = without[~np.isnan(without)]
    if len(without) < 2:
        return max(0.0, whole), None
    spread = math.sqrt((len(without) - 1) / len(without) * float(((without - without.mean()) ** 2).sum()))
    return min(1.0, max(0.0, whole)), spread


def _shares(target: Floats, groups: Ints, fold_of: Ints, folds: int) -> Floats:
    """Return the adjusted share over all, then without each fold; NaN where groups are too many. Array (folds + 1,)."""
    size = int(groups.max()) + 1
    place = groups * folds + fold_of
    parts = np.stack([
        np.bincount(place, weights, size * folds).reshape(size, folds)
        for weights in (np.ones(len(target)), target - target.mean(), (target - target.mean()) ** 2)
    ])  # fmt: skip
    all_of = parts.sum(axis=2, keepdims=True)
    counts, sums, squares = np.concatenate([all_of, all_of - parts], axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        count, mean_square = counts.sum(axis=0), sums.sum(axis=0) ** 2 / counts.sum(axis=0)
        between = np.where(counts > 0.5, sums**2 / counts, 0.0).sum(axis=0) - mean_square
        total = squares.sum(axis=0) - mean_square
        free = count - (counts > 0.5).sum(axis=0)
        shares: Floats = 1 - (1 - between / total) * (count - 1) / free
    shares[(total <= 0) | (free < 1)] = math.nan
    return shares


def _pearson(x: Floats, y: Floats) -> float | None:
    """Correlate where both are finite."""
    kept = np.isfinite(x) & np.isfinite(y)
    return _correlation(x[kept], y[kept])


def _correlation(x: Floats, y: Floats) -> float | None:
    if len(x) < MIN_RUNS:
        return None
    a, b = _standard(x), _standard(y)
    return None if a is None or b is None else float(np.clip(a @ b, -1, 1))


def _standard(values: Floats) -> Floats | None:
    """Return the values around 0 with length 1; None where all are equal. Sizes near a double's end are no trouble."""
    largest = float(np.abs(values).max())
    centred = values / largest if largest > 0 else values
    centred = centred - centred.mean()
    length = float(np.linalg.norm(centred))
    return centred / length if length > 1e-12 else None
