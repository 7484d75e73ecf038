"""Which conditions new rows meet, of many runs at once: conditions of one shape are tried together."""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from alerts.automation.conditions import Values, hits
from alerts.automation.rules import Rule
from alerts.automation.streams import Watched
from metrics.codec import Batch, Rows

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
    """A condition whose values are to be looked at."""

    look: Look
    rule: Rule
    rows: Rows
    values: Values
    """From as far back as the condition looks, at the first new one."""


def hits_of(looks: Iterable[Look]) -> list[Hit]:
    """Return the conditions that new rows meet, each with the first row that does."""
    asked = [one for look in looks for one in _asked(look)]
    together: dict[tuple[object, ...], list[_Asked]] = defaultdict(list)
    for one in asked:
        together[*one.rule.test.shape, one.values.size].append(one)
    return [hit for some in together.values() for hit in _met(some)]


def _asked(look: Look) -> Iterator[_Asked]:
    watched, now = look.watched, time.time()
    windows = watched.filled
    for number in windows.worth_a_look():
        rule = watched.rules.rules[number]
        if watched.quiet_until.get(rule.automation.pk, 0.0) > now:
            continue
        rows, values = windows.series(rule.metric)
        new = int(np.searchsorted(rows, look.first))
        start = max(0, new - rule.test.need + 1)
        if new < rows.size and rows.size - start >= rule.test.need:
            yield _Asked(look, rule, rows[start:], values[start:])


def _met(asked: Sequence[_Asked]) -> Iterator[Hit]:
    """Try conditions of one shape on as many series of one length."""
    test, size = asked[0].rule.test, asked[0].values.size
    at_once = _TOGETHER // (size * test.need)
    if at_once <= 1 or len(asked) == 1:
        for one in asked:
            found = hits(one.rule.test, one.values)
            if found.places.size:
                yield _hit(one, int(found.places[0]), float(found.measured[0]))
        return
    for start in range(0, len(asked), at_once):
        some = asked[start : start + at_once]
        measured = test.measured(np.stack([one.values for one in some]))
        limits = np.array([one.rule.test.limit for one in some])[:, np.newaxis]
        met = test.holds(measured, limits)
        for number in np.flatnonzero(met.any(axis=1)):
            place = int(met[number].argmax())
            yield _hit(some[int(number)], place + test.need - 1, float(measured[number, place]))


def _hit(one: _Asked, place: int, measured: float) -> Hit:
    row = int(one.rows[place])
    return Hit(
        watched=one.look.watched, rule=one.rule, row=row, step=one.look.step_of(row),
        value=float(one.values[place]), measured=measured,
    )  # fmt: skip
