"""Which metric stands for a run."""

import pytest

from runs.config.metric_definitions import MAXIMIZE, MINIMIZE
from runs.highlights.main_metric import MainMetric, main_metric, main_metrics


@pytest.mark.parametrize(
    ("summary", "expected"),
    [
        ({"epoch": 9, "lr": 0.1, "train/loss": 1.0, "val/loss": 1.1, "val/accuracy": 0.9}, "val/accuracy"),
        ({"loss": 0.1, "fid": 12.0, "samples.count": 6}, "loss"),
        ({"rollout/reward": 7.0, "rollout/length": 9.0, "value/loss": 2.0}, "rollout/reward"),
        ({"train/tokens": 9.0, "perf/mfu": 0.4, "train/grad_norm": 1.0, "train/loss": 2.0}, "train/loss"),
        ({"eval_loss": 2.0, "train_loss": 1.0}, "eval_loss"),
        ({"heat": 3.0}, "heat"),
        ({"_step": 3, "epoch": 5, "note": "x", "done": True, "nan": float("nan")}, None),
    ],
)
def test_what_is_measured_on_data_kept_apart_comes_first_and_progress_never(summary, expected):
    found = main_metric([summary])
    assert (found.key if found else None) == expected


def test_the_direction_is_told_by_the_summary_else_by_the_name():
    [best] = main_metrics([{"val/loss.max": 1.0}], 1)
    assert best == MainMetric("val/loss", "val/loss.max", MAXIMIZE)
    found = main_metrics([{"accuracy": 1.0, "heat": 1.0, "loss": 1.0}], 3)
    assert [(one.key, one.goal) for one in found] == [
        ("accuracy", MAXIMIZE),
        ("loss", MINIMIZE),
        ("heat", ""),
    ]


def test_a_key_stands_once():
    assert [one.column for one in main_metrics([{"a.min": 1.0, "a.max": 2.0}, {"b": 1.0}], 3)] == [
        "a.max",
        "b",
    ]
