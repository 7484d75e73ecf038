"""The values of one stream of a run that conditions look back at, kept between posts.

Columns come as they were committed: for each set of keys a matrix of the watched metrics' new values. What is older
lies in two generations; when the younger one is as long as the longest window, it takes the older one's place.
"""

from dataclasses import dataclass, field

import numpy as np

from automations.conditions.metrics import Values
from automations.evaluation.rules import Positions, Rules
from metrics.store.codec import Batch, Rows, row_numbers

_MOST_PIECES = 32
"""Of a generation: more are joined, since posts of one row each would make many."""
_MOST_PLANS = 64
"""Of a run. One that logs ever other keys together is kept metric by metric from then on."""


@dataclass(slots=True)
class Piece:
    """Some rows of some metrics."""

    rows: Rows
    values: Values
    """(metrics, rows)"""


@dataclass(slots=True)
class _KeptValues:
    """What is kept of the metrics that are logged together."""

    metrics: Positions
    need: int
    old: list[Piece] = field(default_factory=list)
    young: list[Piece] = field(default_factory=list)
    count: int = 0
    """Rows of the young ones."""
    whole: Piece | None = None
    """All pieces in one, once it was asked for."""

    def add(self, piece: Piece) -> None:
        self.young.append(piece)
        self.count += piece.rows.size
        self.whole = None

    def age(self) -> bool:
        """Let go of what no window reaches; says whether there was anything."""
        if len(self.young) > _MOST_PIECES:
            self.young = [_joined(self.young)]
        if self.count < self.need - 1:
            return False
        self.old = [_last(_joined(self.young), self.need - 1)] if self.need > 1 else []
        self.young, self.count, self.whole = [], 0, None
        return True

    def joined(self) -> Piece:
        """Return all that is kept."""
        if self.whole is None:
            self.whole = _joined([*self.old, *self.young])
        return self.whole


def _joined(pieces: list[Piece]) -> Piece:
    if len(pieces) == 1:
        return pieces[0]
    rows = np.concatenate([piece.rows for piece in pieces])
    values = np.concatenate([piece.values for piece in pieces], axis=1)
    if (rows[1:] < rows[:-1]).any():  # other keys, that nobody watches, took turns in a batch
        order = np.argsort(rows, kind="stable")
        rows, values = rows[order], values[:, order]
    return Piece(rows, values)


def _last(piece: Piece, count: int) -> Piece:
    """Return the last rows; copied, so that the others are freed."""
    if piece.rows.size <= count:
        return piece
    return Piece(piece.rows[-count:].copy(), piece.values[:, -count:].copy())


class Windows:
    """The kept values of one stream."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        count = len(rules.metrics)
        self._fresh: dict[tuple[str, ...], list[Piece]] = {}
        """What was added by its keys, with all its columns."""
        self._kept: dict[bytes, _KeptValues] = {}
        self._of_metric: list[list[tuple[_KeptValues, int]]] = [[] for _ in range(count)]
        self._low_before, self._high_before = np.full(count, np.nan), np.full(count, np.nan)
        self._low, self._high = np.full(count, np.nan), np.full(count, np.nan)
        self._new_low, self._new_high = np.full(count, np.nan), np.full(count, np.nan)
        self._is_split = False
        self.is_shared = np.zeros(count, bool)
        """Of each metric, whether it is logged with several sets of keys."""
        self.position_of = np.zeros((2, count), np.intp)
        """Of each other metric, the number of its set of keys, and its place there."""

    def add(self, row0: int, batch: Batch) -> None:
        """Add rows that follow those before; posts that gathered are taken in together."""
        for group in batch.groups:
            if self.rules.plan(group.keys) is not None:
                rows = row_numbers(group, batch.row_count) + row0
                self._fresh.setdefault(group.keys, []).append(Piece(rows, group.values))

    def _take_in(self) -> None:
        """Take in the watched metrics of what was added."""
        fresh, self._fresh = self._fresh, {}
        for keys, pieces in fresh.items():
            plan = self.rules.plan(keys)
            assert plan is not None  # noqa: S101 - `add` asked
            piece = _joined(pieces)
            values = piece.values[plan.columns]
            low, high = values.min(axis=1), values.max(axis=1)
            has_gaps = bool(np.isnan(low).any())
            if has_gaps:
                low, high = np.fmin.reduce(values, axis=1), np.fmax.reduce(values, axis=1)
            where = plan.metrics
            self._new_low[where] = np.fmin(self._new_low[where], low)
            self._new_high[where] = np.fmax(self._new_high[where], high)
            self._add(where, piece.rows, values, has_gaps=has_gaps)

    def _add(self, metrics: Positions, rows: Rows, values: Values, *, has_gaps: bool) -> None:
        """Keep values; metrics with NaN by themselves, so that each is kept as long as its windows want."""
        if not self._is_split and len(self._kept) >= _MOST_PLANS and metrics.tobytes() not in self._kept:
            self._split()
        if not self._is_split and not has_gaps:
            self._of(metrics).add(Piece(rows, values))
            return
        gaps = np.isnan(values)
        alone = np.full(metrics.size, self._is_split) | gaps.any(axis=1)
        if not alone.all():
            self._of(metrics[~alone]).add(Piece(rows, values[~alone]))
        for index in np.flatnonzero(alone):
            known = ~gaps[index]
            if known.any():
                own = Piece(rows[known], values[index : index + 1, known])
                self._of(metrics[index : index + 1]).add(own)

    def _of(self, metrics: Positions) -> _KeptValues:
        key = metrics.tobytes()
        kept = self._kept.get(key)
        if kept is None:
            kept = self._kept[key] = _KeptValues(metrics, max(self.rules.needs[number] for number in metrics))
            for index, number in enumerate(metrics):
                self._of_metric[number].append((kept, index))
                self.is_shared[number] = len(self._of_metric[number]) > 1
                self.position_of[:, number] = len(self._kept) - 1, index
        return kept

    def _split(self) -> None:
        """Keep every metric by itself."""
        every = [self.series(number) for number in range(len(self.rules.metrics))]
        self._kept, self._of_metric, self._is_split = {}, [[] for _ in every], True
        self.is_shared[:] = False
        for number, (rows, values) in enumerate(every):
            if rows.size:
                self._of(np.array([number], np.intp)).add(Piece(rows, values[np.newaxis]))

    def series(self, metric: int) -> tuple[Rows, Values]:
        """Return what is kept of a metric, in the order of rows."""
        sets = [(kept, index) for kept, index in self._of_metric[metric] if kept.old or kept.young]
        found = [(kept.joined(), index) for kept, index in sets]
        if not found:
            return np.array([], np.int64), np.array([], np.float64)
        rows = np.concatenate([piece.rows for piece, _ in found])
        values = np.concatenate([piece.values[index] for piece, index in found])
        if len(found) > 1:
            order = np.argsort(rows, kind="stable")
            rows, values = rows[order], values[order]
        return rows, values

    def joined(self, number: int) -> Piece:
        """Return what is kept of a set of keys."""
        return list(self._kept.values())[number].joined()

    def bounds(self) -> tuple[Values, Values, Values, Values]:
        """Return the least and greatest of the values added since `settle`, and of those that windows may hold."""
        self._take_in()
        low_before = np.fmin(self._low_before, self._low)
        high_before = np.fmax(self._high_before, self._high)
        if self.is_shared.any():  # windows take turns among sets of keys: look at the values
            low_before[self.is_shared], high_before[self.is_shared] = -np.inf, np.inf
        return self._new_low, self._new_high, low_before, high_before

    def settle(self) -> None:
        """Say that the values added were looked at; forget what no window reaches any more."""
        self._take_in()
        self._low, self._high = np.fmin(self._low, self._new_low), np.fmax(self._high, self._new_high)
        self._new_low, self._new_high = np.full_like(self._low, np.nan), np.full_like(self._low, np.nan)
        for kept in self._kept.values():
            if kept.age():
                where = kept.metrics
                self._low_before[where], self._high_before[where] = self._low[where], self._high[where]
                self._low[where] = self._high[where] = np.nan

    @property
    def size_bytes(self) -> int:
        """How much memory the kept values take, about."""
        return sum(
            piece.rows.nbytes + piece.values.nbytes
            for kept in self._kept.values()
            for piece in (*kept.old, *kept.young)
        )
