"""XGBoost: the SDK's `WandbCallback`, which logs each round, the features' weights and the model."""

import pytest

from tests.integrations.frameworks import Trained

pytestmark = [pytest.mark.sdk, pytest.mark.exhaustive("trains with one more framework")]


def test_the_run_is_finished(trained: Trained) -> None:
    assert trained.found["state"] == "finished"


def test_nothing_is_refused(trained: Trained) -> None:
    assert trained.refusals == set()


def test_each_round_s_metrics_are_there(trained: Trained) -> None:
    rounds = len(trained.column("epoch"))
    assert trained.column("epoch") == list(range(rounds))
    for key in ("train-auc", "train-logloss", "test-auc", "test-logloss"):
        assert len(trained.column(key)) == rounds, key


def test_the_best_round_is_there(trained: Trained) -> None:
    """Training stops after five rounds that were no better."""
    losses = trained.column("test-logloss")
    assert trained.column("best_score") == [min(losses)]
    assert trained.column("best_iteration") == [losses.index(min(losses))] == [len(losses) - 6]


def test_the_summary_has_the_best_values(trained: Trained) -> None:
    """The callback defines each metric with the direction that is better."""
    assert trained.summary["test-logloss"] == {"min": min(trained.column("test-logloss"))}
    assert trained.summary["test-auc"] == {"max": max(trained.column("test-auc"))}


def test_the_configuration_is_the_script_s_and_the_booster_s(trained: Trained) -> None:
    assert trained.config["folds"] == 1
    assert trained.config["learner"]["objective"]["name"] == "binary:logistic"
    assert trained.config["learner"]["gradient_booster"]["tree_train_param"]["max_depth"] == "3"


def test_the_features_weights_can_be_read(trained: Trained) -> None:
    table = trained.table("Feature Importance_table")
    assert table["columns"] == ["Feature", "Importance"]
    assert [name for name, _ in table["data"]] == ["f0", "f1", "f2", "f3", "f4"]
    assert trained.charts == {"Feature Importance"}


def test_the_model_comes_back_equal(trained: Trained) -> None:
    [model] = trained.models.values()
    [kept] = trained.folder.glob("wandb/run-*/files/*_model.json")
    assert model == {kept.name: kept.read_bytes()}
