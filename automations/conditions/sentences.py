"""What a metric did when it met a condition, in a sentence: messages of every way and previews say it alike."""

import math
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from automations.conditions.filters import parse
from automations.conditions.metrics import Aggregate, Change, ChangeKind, MetricTest, Threshold
from common.formats.strict_json import strict

_LAST = {
    Aggregate.AVERAGE: gettext_lazy("The mean of the last %(n)d values of %(metric)s"),
    Aggregate.MIN: gettext_lazy("The smallest of the last %(n)d values of %(metric)s"),
    Aggregate.MAX: gettext_lazy("The largest of the last %(n)d values of %(metric)s"),
}
_BEFORE = {
    Aggregate.AVERAGE: gettext_lazy("the mean of the %(n)d values before"),
    Aggregate.MIN: gettext_lazy("the smallest of the %(n)d values before"),
    Aggregate.MAX: gettext_lazy("the largest of the %(n)d values before"),
}
_COMPARED = {
    "$gt": gettext_lazy("%(what)s was %(value)s, above %(limit)s."),
    "$gte": gettext_lazy("%(what)s was %(value)s, at or above %(limit)s."),
    "$lt": gettext_lazy("%(what)s was %(value)s, below %(limit)s."),
    "$lte": gettext_lazy("%(what)s was %(value)s, at or below %(limit)s."),
    "$eq": gettext_lazy("%(what)s was %(value)s, equal to the threshold."),
    "$ne": gettext_lazy("%(what)s was %(value)s, not %(limit)s."),
}


def event_sentence(data: Mapping[str, Any]) -> str:
    """Say it of an event, by the condition that was met: the automation may have another one by now."""
    test = parse(data["event"], {"run_metric_filter": data["condition"]}).test
    assert test is not None  # noqa: S101 - for the type checker
    return met_sentence(test, float(data["measured"]), data["step"])


def met_sentence(test: MetricTest, measured: float, step: int | None) -> str:
    """Say what was measured when a metric met a condition, against what, and at which step where that is known."""
    if isinstance(test, Threshold):
        sentence = _of_threshold(test, measured)
    elif isinstance(test, Change):
        sentence = _of_change(test, measured)
    else:
        sentence = _of_score(test.metric, test.window, measured, test.threshold)
    return (
        sentence if step is None else _("Step %(step)d: %(sentence)s") % {"step": step, "sentence": sentence}
    )


def number_text(value: Any) -> str:
    """Return a number with ten digits at most; what is not finite is kept by its name."""
    value = strict(value)
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def _of_threshold(test: Threshold, measured: float) -> str:
    words = {"value": number_words(measured), "limit": number_words(test.threshold)}
    return str(_COMPARED[test.comparison]) % {
        **words,
        "what": _last(test.metric, test.aggregate, test.window),
    }


def _of_change(test: Change, measured: float) -> str:
    sentence = (
        _("%(what)s rose by %(amount)s compared with %(before)s; the threshold is %(limit)s.")
        if measured > 0
        else _("%(what)s fell by %(amount)s compared with %(before)s; the threshold is %(limit)s.")
    )
    is_share = test.kind is ChangeKind.RELATIVE
    return sentence % {
        "what": _last(test.metric, test.aggregate, test.window),
        "amount": _amount(abs(measured), is_share=is_share),
        "before": _chosen(_BEFORE, test.aggregate, test.prior) % {"n": test.prior} or _("the value before"),
        "limit": _amount(test.amount, is_share=is_share),
    }


def _of_score(metric: str, window: int, measured: float, limit: float) -> str:
    sentence = (
        _("%(metric)s was %(value)s standard deviations above the mean of the %(n)d values before; "
          "the threshold is %(limit)s.")
        if measured > 0
        else _("%(metric)s was %(value)s standard deviations below the mean of the %(n)d values before; "
               "the threshold is %(limit)s.")
    )  # fmt: skip
    words = {"metric": metric, "n": window, "limit": number_words(limit)}
    return sentence % {**words, "value": number_words(abs(measured))}


def _last(metric: str, aggregate: Aggregate | None, window: int) -> str:
    """Name what was compared: of one value, the metric itself."""
    return _chosen(_LAST, aggregate, window) % {"n": window, "metric": metric} or metric


def _chosen(words: Mapping[Aggregate, Any], aggregate: Aggregate | None, window: int) -> str:
    """Return how a window is named; "" where it is one value."""
    return str(words[aggregate]) if aggregate and window > 1 else ""


def _amount(value: float, *, is_share: bool) -> str:
    return f"{number_words(value * 100)}%" if is_share else number_words(value)


def number_words(value: float) -> str:
    """Write a number as people do: six digits, whole ones in full."""
    return f"{value:.6g}" if math.isfinite(value) and value % 1 else number_text(value)
