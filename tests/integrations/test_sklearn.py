"""scikit-learn: a loop that logs, and the plots of `wandb.sklearn`."""

import pytest

from tests.integrations.frameworks import Trained

pytestmark = [pytest.mark.sdk, pytest.mark.exhaustive("trains with one more framework")]


def test_the_run_is_finished(trained: Trained) -> None:
    assert trained.found["state"] == "finished"


def test_nothing_is_refused(trained: Trained) -> None:
    assert trained.refusals == set()


def test_the_loop_s_metrics_are_there(trained: Trained) -> None:
    assert trained.column("epoch") == list(range(8))
    assert len(trained.column("loss")) == len(trained.column("accuracy")) == 8


def test_the_configuration_is_the_script_s(trained: Trained) -> None:
    assert trained.config == {"alpha": 0.01, "trees": 10}


def test_the_summary_has_the_last_values(trained: Trained) -> None:
    assert trained.summary["loss"] == trained.column("loss")[-1]
    assert trained.summary["accuracy"] == trained.column("accuracy")[-1]


@pytest.mark.parametrize(
    ("key", "columns", "rows"),
    [
        ("feature_importances", ["feature_names", "importances"], 4),
        ("confusion_matrix", ["Predicted", "Actual", "Count"], 9),
        ("summary_metrics", ["metric_name", "metric_value", "model_name"], 4),
        ("class_proportions", ["class", "dataset", "count"], 6),
        ("learning_curve", ["dataset", "score", "train_size"], 10),
    ],
)
def test_a_plot_s_table_can_be_read(trained: Trained, key: str, columns: list[str], rows: int) -> None:
    table = trained.table(key)
    assert (table["columns"], len(table["data"])) == (columns, rows)


def test_the_plots_that_are_charts_are_announced(trained: Trained) -> None:
    assert trained.charts == {"precision_recall", "roc"}
