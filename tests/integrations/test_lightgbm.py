"""LightGBM: the SDK's callback, which logs each round, and its summary: the features' weights, the best model."""

import pytest

from tests.integrations.frameworks import Trained

pytestmark = [pytest.mark.sdk, pytest.mark.exhaustive("trains with one more framework")]

FEATURES = [f"Column_{number}" for number in range(5)]


def test_the_run_is_finished(trained: Trained) -> None:
    assert trained.found["state"] == "finished"


def test_nothing_is_refused(trained: Trained) -> None:
    assert trained.refusals == set()


def test_each_round_s_metrics_are_there(trained: Trained) -> None:
    rounds = len(trained.column("iteration"))
    assert trained.column("iteration") == list(range(rounds))
    for key in ("test_auc", "test_binary_logloss"):
        assert len(trained.column(key)) == rounds, key


def test_the_summary_has_the_best_round(trained: Trained) -> None:
    losses = trained.column("test_binary_logloss")
    assert trained.summary["test_binary_logloss"] == {"min": min(losses)}
    assert trained.summary["test_auc"] == {"max": max(trained.column("test_auc"))}
    best = trained.summary["best_iteration"]
    assert trained.summary["best_score"]["test"]["binary_logloss"] == losses[best - 1]


def test_the_configuration_is_the_script_s_and_the_booster_s(trained: Trained) -> None:
    assert trained.config.items() >= {"folds": 1, "objective": "binary", "num_leaves": 7}.items()


def test_the_features_weights_come_back_equal(trained: Trained) -> None:
    """The table is in a file of the run and in an artifact."""
    table = trained.table("Feature Importance_table")
    assert [name for name, _ in table["data"]] == FEATURES
    [got] = trained.tables.values()
    assert got == {"columns": ["Feature", "Importance"], "data": table["data"]}
    assert trained.charts == {"Feature Importance"}


def test_the_best_model_comes_back_equal(trained: Trained) -> None:
    [model] = trained.models.values()
    [kept] = trained.folder.glob("wandb/run-*/files/model_ckpt_*.txt")
    assert kept.stem == f"model_ckpt_{trained.summary['best_iteration']}"
    assert model == {kept.name: kept.read_bytes()}
