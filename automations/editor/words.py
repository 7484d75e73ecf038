"""What pages and lists say of an automation: the event it waits for and the runs it is about, in words."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from automations.conditions import sweeps
from automations.conditions.events import AutomationEvent
from automations.conditions.filters import Condition, parse
from automations.conditions.metrics import SIGNS, Aggregate, Change, ChangeKind, Direction, Threshold, ZScore
from automations.conditions.sentences import number_words
from automations.editor.filters import MATCHED, initial_of
from automations.editor.run_filters import chosen_runs
from automations.models import Automation
from common.errors import Invalid

VERBS = {
    "FINISHED": gettext_lazy("finishes"),
    "FAILED": gettext_lazy("fails or crashes"),
    "CRASHED": gettext_lazy("crashes"),
    "KILLED": gettext_lazy("is killed"),
    "RUNNING": gettext_lazy("starts running"),
    "PENDING": gettext_lazy("is pending"),
    "PREEMPTING": gettext_lazy("is about to be preempted"),
    "PREEMPTED": gettext_lazy("is preempted"),
}
"""What a run does that gets into a state of a filter, in the order in which pages say it."""


def event_words(automation: Automation) -> str:
    """Say what an automation waits for: ``loss < 0.1 (mean of 5)``."""
    try:
        return condition_words(parse(automation.event, automation.filter))
    except Invalid:  # of a release that knew more
        return automation.event


def runs_words(automation: Automation) -> str:
    """Return the filter of runs as an expression; "" for all runs."""
    try:
        return chosen_runs(parse(automation.event, automation.filter).run_filter).written()
    except Invalid:
        return ""


def condition_words(condition: Condition) -> str:
    """Say what a condition is."""
    if isinstance(condition.test, Threshold):
        return _threshold(condition.test)
    if isinstance(condition.test, Change):
        return _change(condition.test)
    if isinstance(condition.test, ZScore):
        return _zscore(condition.test)
    if condition.event is AutomationEvent.RUN_STATE:
        return _("Run %(does)s") % {"does": _or([str(VERBS[state]) for state in _named_states(condition)])}
    if condition.sweep is not None:
        return sweeps.condition_words(condition.event, condition.sweep)
    pattern = initial_of(condition)["artifact_match"]
    label = str(condition.event.label)
    return f"{label}: {MATCHED[condition.event]} ~ {pattern}" if pattern else label


def _named_states(condition: Condition) -> list[str]:
    """Return the states that say all of it, in the editor's order; who failed may have crashed."""
    is_said = {"CRASHED"} if "FAILED" in condition.states else set()
    return [state for state in VERBS if state in condition.states and state not in is_said]


def _or(words: Sequence[str]) -> str:
    return _(" or ").join(words)


def _window(aggregate: Aggregate | None, window: int) -> str:
    """Return ``mean of 5``; "" where the latest value counts."""
    if aggregate is None:
        return ""
    words = {
        Aggregate.AVERAGE: pgettext("of a metric", "mean of %(n)d"),
        Aggregate.MIN: pgettext("of a metric", "smallest of %(n)d"),
        Aggregate.MAX: pgettext("of a metric", "largest of %(n)d"),
    }
    return words[aggregate] % {"n": window}


def _with(words: str, detail: str) -> str:
    return f"{words} ({detail})" if detail else words


def _threshold(test: Threshold) -> str:
    comparison = f"{test.metric} {SIGNS[test.comparison]} {number_words(test.threshold)}"
    return _with(comparison, _window(test.aggregate, test.window))


def _change(test: Change) -> str:
    says = {
        Direction.ANY: _("%(metric)s changes by %(amount)s"),
        Direction.INCREASE: _("%(metric)s rises by %(amount)s"),
        Direction.DECREASE: _("%(metric)s falls by %(amount)s"),
    }
    is_share = test.kind is ChangeKind.RELATIVE
    amount = f"{number_words(test.amount * 100)}%" if is_share else number_words(test.amount)
    detail = _window(test.aggregate, test.window)
    if detail:
        detail = _("%(window)s against the %(n)d before") % {"window": detail, "n": test.prior}
    return _with(says[test.direction] % {"metric": test.metric, "amount": amount}, detail)


def _zscore(test: ZScore) -> str:
    says = {
        Direction.ANY: _(
            "%(metric)s is %(n)s standard deviations from the mean of its last %(window)d values"
        ),
        Direction.INCREASE: _(
            "%(metric)s is %(n)s standard deviations above the mean of its last %(window)d values"
        ),
        Direction.DECREASE: _(
            "%(metric)s is %(n)s standard deviations below the mean of its last %(window)d values"
        ),
    }
    values: dict[str, Any] = {"metric": test.metric, "n": number_words(test.threshold), "window": test.window}
    return says[test.direction] % values
