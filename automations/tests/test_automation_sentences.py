"""ALR-6: what is said of a condition that was met names what was compared, and with what."""

from typing import Any

import pytest

from automations.conditions.filters import parse
from automations.conditions.sentences import event_sentence, met_sentence
from tests.automations import change, threshold, zscore

INF = float("inf")


@pytest.mark.parametrize(
    ("wanted", "measured", "says"),
    [
        (threshold(), 11.0, "loss was 11, above 10."),
        (threshold(agg="AVERAGE", window=3), 11.0, "The mean of the last 3 values of loss was 11, above 10."),
        (threshold(agg="MAX", window=1), 11.0, "loss was 11, above 10."),
        (threshold(agg="MIN", window=5, comparison="$gte"), INF,
         "The smallest of the last 5 values of loss was Infinity, at or above 10."),
        (threshold(comparison="$lt", limit=0.1), 0.05949935449, "loss was 0.0594994, below 0.1."),
        (threshold(limit=1_000_000), 12345678.0, "loss was 12345678, above 1000000."),
        (threshold(agg="MAX", window=2, comparison="$lte"), 10.0,
         "The largest of the last 2 values of loss was 10, at or below 10."),
        (threshold(comparison="$eq"), 10.0, "loss was 10, equal to the threshold."),
        (threshold(comparison="$ne"), 11.0, "loss was 11, not 10."),
        (change(), 3.0, "loss rose by 3 compared with the value before; the threshold is 1."),
        (change(amount=0.2, kind="RELATIVE", direction="DECREASE", agg="AVERAGE", window=3, prior=5), -0.25,
         ("The mean of the last 3 values of loss fell by 25% compared with the mean of the 5 values before; "
          "the threshold is 20%.")),
        (change(agg="MAX", prior=5), 3.0,
         "loss rose by 3 compared with the largest of the 5 values before; the threshold is 1."),
        (zscore(), -3.5,
         "loss was 3.5 standard deviations below the mean of the 5 values before; the threshold is 3."),
    ],
)  # fmt: skip
def test_each_kind_of_condition_has_its_sentence(wanted: dict[str, Any], measured: float, says: str):
    kind = {"threshold_filter": "", "change_filter": "_CHANGE", "zscore_filter": "_ZSCORE"}
    event = "RUN_METRIC" + kind[next(iter(wanted["run_metric_filter"]))]
    test = parse(event, wanted).test
    assert test is not None
    assert met_sentence(test, measured, None) == says
    kept = {"event": event, "condition": wanted["run_metric_filter"], "measured": measured, "step": 7}
    assert event_sentence(kept) == f"Step 7: {says}"
