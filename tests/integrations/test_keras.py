"""Keras with the SDK's callbacks: metrics, checkpoints, and tables of predictions with pictures."""

import pytest

from tests.integrations.frameworks import INSTALLS_TENSORFLOW, Trained

pytestmark = [pytest.mark.sdk, INSTALLS_TENSORFLOW]

EPOCHS = [0, 1, 2]
TRUTH = [[number, [64 * number] * 64, number // 2] for number in range(4)]
"""The rows that were validated with: number, picture, label."""


def test_the_run_is_finished(trained: Trained) -> None:
    assert trained.found["state"] == "finished"


def test_nothing_is_refused(trained: Trained) -> None:
    assert trained.refusals == set()


def test_each_epoch_s_metrics_are_there(trained: Trained) -> None:
    assert trained.column("epoch/epoch") == EPOCHS
    for row in trained.rows:
        assert row.keys() == {
            "epoch/epoch", "epoch/accuracy", "epoch/loss", "epoch/val_accuracy", "epoch/val_loss",
            "epoch/learning_rate",
        }  # fmt: skip


def test_the_configuration_is_the_script_s(trained: Trained) -> None:
    assert trained.config == {"width": 4}


def test_the_summary_has_the_last_values(trained: Trained) -> None:
    assert trained.summary == trained.rows[-1]


def test_each_checkpoint_comes_back_equal(trained: Trained) -> None:
    names = [f"{epoch + 1}.keras" for epoch in EPOCHS]
    kept = [{name: (trained.folder / "kept" / name).read_bytes()} for name in names]
    assert trained.models == {f"v{epoch}": kept[epoch] for epoch in EPOCHS}


def test_the_table_of_truth_comes_back_with_its_pictures(trained: Trained) -> None:
    assert trained.tables["val:v0"] == {"columns": ["number", "picture", "label"], "data": TRUTH}


@pytest.mark.parametrize("epoch", EPOCHS)
def test_predictions_come_back_with_the_pictures_of_another_table(trained: Trained, epoch: int) -> None:
    table = trained.tables[f"run_{trained.where.uid}_pred:v{epoch}"]
    assert table["columns"] == ["epoch", "number", "picture", "label", "predicted"]
    assert [row[:4] for row in table["data"]] == [[epoch, *row] for row in TRUTH]
    assert {row[4] for row in table["data"]} <= {0, 1}
