"""Which conditions new rows meet, of many runs at once: conditions of one shape are tried together."""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from automations.conditions.metrics import Values, ZScore, hits
from automations.evaluation.rules import Places, Rule
from automations.evaluation.streams import Watched
from metrics.store.codec import Batch, Rows

_TOGETHER = 250_000
"""Numbers that the windows of conditions tried together hold at most."""


@dataclass(slots=True)
class Look:
    """What is new of a stream."""

    watched: Watched
    first: int
    """The first row that is new."""
    batches: list[tuple[int, Batch]] = field(default_factory=list)

    @property
    def row_count(self) -> int:
        """How many rows are new."""
        return self.watched.row - self.first

    def add(self, row0: int, batch: Batch) -> None:
        """Take rows: those before the first new one are only looked back at."""
        windows = self.watched.filled
        windows.add(row0, batch)
        if row0 < self.first:
            windows.settle()
        else:
            self.batches.append((row0, batch))
            self.watched.row = row0 + batch.row_count

    def settle(self) -> None:
        """Say that all was looked at."""
        self.watched.filled.settle()
        self.first, self.batches = self.watched.row, []

    def step_of(self, row: int) -> float | None:
        """Return the step of a new row; None where it has none."""
        for row0, batch in self.batches:
            if row0 <= row < row0 + batch.row_count:
                for _, rows, values in batch.columns({"_step": 1}):
                    place = int(np.searchsorted(rows, row - row0))
                    if place < rows.size and rows[place] == row - row0:
                        return float(values[place])
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A condition that a run has met."""

    watched: Watched
    rule: Rule
    row: int
    step: float | None
    value: float
    """What was logged."""
    measured: float
    """What was compared: the value, or what was made of a window."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """Conditions of one shape whose values are to be looked at."""

    look: Look
    rules: list[Rule]
    rows: Rows
    values: Values
    """(rules, rows): from as far back as the conditions look, at the first new one."""


def hits_of(looks: Iterable[Look]) -> list[Hit]:
    """Return the conditions that new rows meet, each with the first row that does."""
    together: dict[tuple[object, ...], list[_Asked]] = defaultdict(list)
    for look, numbers in _worth_a_look(looks):
        for one in _asked(look, numbers):
            together[*one.rules[0].test.shape, one.rows.size].append(one)
    return [hit for some in together.values() for hit in _met(some)]


def _worth_a_look(looks: Iterable[Look]) -> Iterator[tuple[Look, Places]]:
    """Yield the rules that each may meet; those of one project are tried at once."""
    by_rules: dict[int, list[Look]] = defaultdict(list)
    for look in looks:
        by_rules[id(look.watched.rules)].append(look)
    now = time.time()
    for some in by_rules.values():
        bounds = zip(*(look.watched.filled.bounds() for look in some), strict=True)
        low, high, low_before, high_before = map(np.array, bounds)
        met = some[0].watched.rules.worth_a_look(low, high, low_before, high_before)
        met &= np.array([look.watched.quiet_until for look in some]) <= now
        for place in np.flatnonzero(met.any(axis=1)):
            yield some[place], np.flatnonzero(met[place])


def _asked(look: Look, numbers: Places) -> Iterator[_Asked]:
    rules, windows = look.watched.rules, look.watched.filled
    metrics = rules.metric_of[numbers]
    is_shared = windows.is_shared[metrics]
    if is_shared.any():
        for number in numbers[is_shared]:
            rule = rules.rules[number]
            rows, values = windows.series(rule.metric)
            yield from _since(look, [rule], rows, values[np.newaxis])
        numbers, metrics = numbers[~is_shared], metrics[~is_shared]
    together: dict[tuple[int, int], tuple[list[Rule], list[int]]] = {}
    where, places = windows.place_of[:, metrics].tolist()
    for number, kept, place, shape in zip(
        numbers.tolist(), where, places, rules.shape_of[numbers].tolist(), strict=True
    ):
        some, at = together.setdefault((kept, shape), ([], []))
        some.append(rules.rules[number])
        at.append(place)
    for (kept, _), (some, at) in together.items():
        piece = windows.joined(kept)
        yield from _since(look, some, piece.rows, piece.values, at)


def _since(
    look: Look, rules: list[Rule], rows: Rows, values: Values, places: list[int] | None = None
) -> Iterator[_Asked]:
    """Yield what there is to look at, if windows are full."""
    need, new = rules[0].test.need, int(rows.searchsorted(look.first))
    start = max(0, new - need + 1)
    if new < rows.size and rows.size - start >= need:
        asked = values[:, start:]
        yield _Asked(look, rules, rows[start:], asked if places is None else asked[places])


def _met(asked: Sequence[_Asked]) -> Iterator[Hit]:
    """Try conditions of one shape on all series of one length."""
    test = asked[0].rules[0].test
    owners = [(one, rule) for one in asked for rule in one.rules]
    values = np.concatenate([one.values for one in asked])
    at_once = _TOGETHER // (values.shape[1] * test.need)
    if at_once <= 1 or len(owners) == 1:
        for (one, rule), series in zip(owners, values, strict=True):
            found = hits(rule.test, series)
            if found.places.size:
                yield _hit(one, rule, series, int(found.places[0]), float(found.measured[0]))
        return
    limits = np.array([rule.test.limit for _, rule in owners])[:, np.newaxis]
    if isinstance(test, ZScore):
        kept = np.flatnonzero(test.may_hold(values, limits))
        owners, values, limits = [owners[place] for place in kept], values[kept], limits[kept]
    for start in range(0, len(owners), at_once):
        stop = start + at_once
        measured = test.measured(values[start:stop])
        met = test.holds(measured, limits[start:stop])
        for number in np.flatnonzero(met.any(axis=1)).tolist():
            place = int(met[number].argmax())
            one, rule = owners[start + number]
            yield _hit(
                one, rule, values[start + number], place + test.need - 1, float(measured[number, place])
            )


def _hit(one: _Asked, rule: Rule, values: Values, place: int, measured: float) -> Hit:
    row = int(one.rows[place])
    return Hit(
        watched=one.look.watched, rule=rule, row=row, step=one.look.step_of(row), value=float(values[place]),
        measured=measured,
    )  # fmt: skip
