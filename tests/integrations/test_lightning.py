"""Lightning's `WandbLogger`, with models, gradients and a table."""

import pytest

from tests.integrations.frameworks import INSTALLS_PYTORCH, Trained

pytestmark = [pytest.mark.sdk, INSTALLS_PYTORCH]


def test_the_run_is_finished(trained: Trained) -> None:
    assert trained.found["state"] == "finished"


def test_nothing_is_refused(trained: Trained) -> None:
    assert trained.refusals == set()


def test_the_run_is_named_by_the_logger(trained: Trained) -> None:
    assert (trained.where.project, trained.about["displayName"]) == ("lines", "a line")


@pytest.mark.parametrize(
    ("key", "steps"),
    [
        ("train/loss", list(range(1, 32, 2))),
        ("lr-SGD", list(range(1, 32, 2))),
        ("val/loss", [7, 15, 23, 31]),
        ("gradients/layer.weight", list(range(3, 32, 4))),
        ("notes", [31]),
    ],
)
def test_each_metric_is_logged_at_the_trainer_s_steps(trained: Trained, key: str, steps: list[int]) -> None:
    assert [row["trainer/global_step"] for row in trained.rows if key in row] == steps


def test_no_other_row_is_there(trained: Trained) -> None:
    """Gradients and parameters come with the losses."""
    assert len(trained.rows) == 16 + 16 + 4 + 1


@pytest.mark.parametrize("key", ["gradients/layer.bias", "parameters/layer.bias"])
def test_what_is_watched_is_there_as_histograms(trained: Trained, key: str) -> None:
    """Every fourth time: gradients of the backward passes, parameters of the forward ones, validation's too."""
    values = trained.column(key)
    assert len(values) >= 8
    assert {value["_type"] for value in values} == {"histogram"}


def test_the_configuration_has_the_hyperparameters_and_what_the_script_added(trained: Trained) -> None:
    assert trained.config == {"rate": 0.1, "layers": [1, 1], "data": "made up"}


def test_the_summary_has_the_last_values(trained: Trained) -> None:
    for key in ("train/loss", "val/loss", "lr-SGD"):
        assert trained.summary[key] == trained.column(key)[-1]


def test_its_table_can_be_read(trained: Trained) -> None:
    assert trained.table("notes")["data"] == [["done"]]


def test_the_best_checkpoint_comes_back_equal(trained: Trained) -> None:
    """Every checkpoint is logged; the trainer keeps only the best one, which is the last."""
    [kept] = trained.folder.glob("**/checkpoints/*.ckpt")
    assert list(trained.models) == ["v0", "v1", "v2", "v3"]
    assert trained.models["v3"] == {"model.ckpt": kept.read_bytes()}
