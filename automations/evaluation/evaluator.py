"""Which conditions new rows meet, of many runs at once: conditions of one shape are tried together."""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from automations.conditions.metrics import Values, ZScore, hits
from automations.evaluation.rules import Positions, Rule
from automations.evaluation.streams import WatchedStream
from metrics.store.codec import Batch, Rows

_TOGETHER = 250_000
"""Numbers that the windows of conditions tried together hold at most."""


@dataclass(slots=True)
class StreamUpdate:
    """New rows of a stream."""

    watched: WatchedStream
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
        """Mark all rows as looked at."""
        self.watched.filled.settle()
        self.first, self.batches = self.watched.row, []

    def step_of(self, row: int) -> float | None:
        """Return the step of a new row; None where it has none."""
        for row0, batch in self.batches:
            if row0 <= row < row0 + batch.row_count:
                for _, rows, values in batch.columns({"_step": 1}):
                    index = int(np.searchsorted(rows, row - row0))
                    if index < rows.size and rows[index] == row - row0:
                        return float(values[index])
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A condition that a run has met."""

    watched: WatchedStream
    rule: Rule
    row: int
    step: float | None
    value: float
    """What was logged."""
    measured: float
    """What was compared: the value, or what was made of a window."""


@dataclass(frozen=True, slots=True)
class _RuleGroup:
    """Conditions of one shape, with the values that they are tried on."""

    update: StreamUpdate
    rules: list[Rule]
    rows: Rows
    values: Values
    """(rules, rows): from as far back as the conditions look, at the first new one."""


def find_hits(updates: Iterable[StreamUpdate]) -> list[Hit]:
    """Return the conditions that new rows meet, each with the first row that does."""
    together: dict[tuple[object, ...], list[_RuleGroup]] = defaultdict(list)
    for update, numbers in _candidates(updates):
        for one in _rule_groups(update, numbers):
            together[*one.rules[0].test.shape, one.rows.size].append(one)
    return [hit for some in together.values() for hit in _evaluate(some)]


def _candidates(updates: Iterable[StreamUpdate]) -> Iterator[tuple[StreamUpdate, Positions]]:
    """Yield the rules that each may meet; those of one project are tried at once."""
    by_rules: dict[int, list[StreamUpdate]] = defaultdict(list)
    for update in updates:
        by_rules[id(update.watched.rules)].append(update)
    now = time.time()
    for some in by_rules.values():
        bounds = zip(*(update.watched.filled.bounds() for update in some), strict=True)
        low, high, low_before, high_before = map(np.array, bounds)
        met = some[0].watched.rules.may_meet(low, high, low_before, high_before)
        met &= np.array([update.watched.quiet_until for update in some]) <= now
        for index in np.flatnonzero(met.any(axis=1)):
            yield some[index], np.flatnonzero(met[index])


def _rule_groups(update: StreamUpdate, numbers: Positions) -> Iterator[_RuleGroup]:
    rules, windows = update.watched.rules, update.watched.filled
    metrics = rules.metric_of[numbers]
    is_shared = windows.is_shared[metrics]
    if is_shared.any():
        for number in numbers[is_shared]:
            rule = rules.rules[number]
            rows, values = windows.series(rule.metric)
            yield from _since(update, [rule], rows, values[np.newaxis])
        numbers, metrics = numbers[~is_shared], metrics[~is_shared]
    together: dict[tuple[int, int], tuple[list[Rule], list[int]]] = {}
    sets, positions = windows.position_of[:, metrics].tolist()
    for number, kept, index, shape in zip(
        numbers.tolist(), sets, positions, rules.shape_of[numbers].tolist(), strict=True
    ):
        some, at = together.setdefault((kept, shape), ([], []))
        some.append(rules.rules[number])
        at.append(index)
    for (kept, _), (some, at) in together.items():
        piece = windows.joined(kept)
        yield from _since(update, some, piece.rows, piece.values, at)


def _since(
    update: StreamUpdate, rules: list[Rule], rows: Rows, values: Values, positions: list[int] | None = None
) -> Iterator[_RuleGroup]:
    """Yield what there is to look at, if windows are full."""
    need, new = rules[0].test.need, int(rows.searchsorted(update.first))
    start = max(0, new - need + 1)
    if new < rows.size and rows.size - start >= need:
        groups = values[:, start:]
        yield _RuleGroup(update, rules, rows[start:], groups if positions is None else groups[positions])


def _evaluate(groups: Sequence[_RuleGroup]) -> Iterator[Hit]:
    """Try conditions of one shape on all series of one length."""
    test = groups[0].rules[0].test
    owners = [(one, rule) for one in groups for rule in one.rules]
    values = np.concatenate([one.values for one in groups])
    at_once = _TOGETHER // (values.shape[1] * test.need)
    if at_once <= 1 or len(owners) == 1:
        for (one, rule), series in zip(owners, values, strict=True):
            found = hits(rule.test, series)
            if found.positions.size:
                yield _hit(one, rule, series, int(found.positions[0]), float(found.measured[0]))
        return
    limits = np.array([rule.test.limit for _, rule in owners])[:, np.newaxis]
    if isinstance(test, ZScore):
        kept = np.flatnonzero(test.may_hold(values, limits))
        owners, values, limits = [owners[index] for index in kept], values[kept], limits[kept]
    for start in range(0, len(owners), at_once):
        stop = start + at_once
        measured = test.measured(values[start:stop])
        met = test.holds(measured, limits[start:stop])
        for number in np.flatnonzero(met.any(axis=1)).tolist():
            index = int(met[number].argmax())
            one, rule = owners[start + number]
            yield _hit(
                one, rule, values[start + number], index + test.need - 1, float(measured[number, index])
            )


def _hit(one: _RuleGroup, rule: Rule, values: Values, index: int, measured: float) -> Hit:
    row = int(one.rows[index])
    return Hit(
        watched=one.update.watched, rule=rule, row=row, step=one.update.step_of(row), value=float(values[index]),
        measured=measured,
    )  # fmt: skip
