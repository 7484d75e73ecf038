"""What names of metrics tell."""

import pytest

from runs.config.metric_definitions import MAXIMIZE, MINIMIZE
from runs.config.metric_names import COUNTER_RANK, goal_by_name, rank_of


@pytest.mark.parametrize(
    ("key", "goal"),
    [
        ("loss", MINIMIZE), ("val/loss.min", MINIMIZE), ("eval_word_error", MINIMIZE), ("test/FID", MINIMIZE),
        ("val/accuracy", MAXIMIZE), ("rollout/ep_reward", MAXIMIZE), ("mAP", MAXIMIZE), ("top-1/acc_score", MAXIMIZE),
        ("loss_scale", ""), ("grad_norm", ""), ("epoch", ""), ("lossless", ""), ("loss/weights", ""),
    ],
)  # fmt: skip
def test_a_name_tells_which_direction_is_better(key, goal):
    assert goal_by_name(key) == goal


def test_held_out_results_come_first_and_counters_last():
    keys = ["epoch", "lr", "train/loss", "grad_norm", "loss", "val/samples_per_s", "val/loss", "global_step"]
    assert sorted(keys, key=rank_of) == [
        "val/loss", "loss", "val/samples_per_s", "train/loss", "grad_norm", "epoch", "lr", "global_step",
    ]  # fmt: skip
    assert rank_of("global_step") == COUNTER_RANK
