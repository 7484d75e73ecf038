"""Hugging Face's Trainer, which logs by `report_to` alone."""

import pytest

from tests.integrations.frameworks import INSTALLS_PYTORCH, Trained, files_in

pytestmark = [pytest.mark.sdk, INSTALLS_PYTORCH]


def test_the_run_is_finished(trained: Trained) -> None:
    assert trained.found["state"] == "finished"


def test_nothing_is_refused(trained: Trained) -> None:
    assert trained.refusals == set()


def test_the_run_is_named_by_the_trainer_s_arguments(trained: Trained) -> None:
    assert (trained.where.project, trained.about["displayName"]) == ("huggingface", "counting")


def test_training_is_logged_every_few_steps(trained: Trained) -> None:
    logged = [row for row in trained.rows if "train/loss" in row]
    assert [row["train/global_step"] for row in logged] == [4, 8, 12, 16]
    for row in logged:
        assert row.keys() == {
            "train/loss", "train/grad_norm", "train/learning_rate", "train/epoch", "train/global_step",
        }  # fmt: skip


def test_evaluation_is_logged_after_each_epoch_and_at_the_end(trained: Trained) -> None:
    logged = [row for row in trained.rows if "eval/loss" in row]
    assert [row["train/global_step"] for row in logged] == [6, 12, 18, 18]
    assert [row["train/epoch"] for row in logged] == [1, 2, 3, 3]


def test_no_other_row_is_there(trained: Trained) -> None:
    """The end of training has one of its own, which says only when."""
    assert len(trained.rows) == 9


def test_the_summary_has_what_training_took(trained: Trained) -> None:
    assert trained.summary.keys() >= {
        "train_loss", "train_runtime", "train_samples_per_second", "train_steps_per_second", "total_flos",
    }  # fmt: skip
    assert trained.summary["train/global_step"] == 18


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("learning_rate", 0.01),
        ("num_train_epochs", 3),
        ("per_device_train_batch_size", 8),
        ("report_to", ["wandb"]),
        ("seed", 1),
        ("model_type", "gpt2"),
        ("n_layer", 1),
        ("model/num_parameters", 4080),
    ],
)
def test_the_configuration_has_the_arguments_and_the_model(trained: Trained, key: str, value: object) -> None:
    assert trained.config[key] == value


def test_each_checkpoint_comes_back_equal(trained: Trained) -> None:
    """One after each epoch; the first version says how the model is built, the last one has it as it is at the end."""
    kept = [files_in(trained.folder / "out" / f"checkpoint-{step}") for step in (6, 12, 18)]
    built, *checkpoints, final = trained.models.values()
    assert list(built) == ["model_architecture.txt"]
    assert checkpoints == kept
    assert final["model.safetensors"] == kept[-1]["model.safetensors"]
