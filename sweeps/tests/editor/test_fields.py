"""RUN-50: what is typed into the form, as YAML."""

from typing import Any

import pytest

from common.errors import Invalid
from sweeps.config.document import read_config
from sweeps.config.yaml_text import read_yaml
from sweeps.editor.check import check
from sweeps.editor.fields import change_field, change_parameter
from sweeps.editor.kinds import KINDS
from sweeps.editor.starts import STARTS

TEXT = "method: random\nparameters:\n  lr: {min: 0.1, max: 1.0}\n  size: {values: [8, 16]}\n"


@pytest.mark.parametrize(
    ("name", "typed", "value"),
    [
        ("name", "1e-3", "1e-3"),
        ("program", "my train.py", "my train.py"),
        ("method", "grid", "grid"),
        ("run_cap", "10", 10),
        ("run_cap", "ten", "ten"),
        ("command", "python\n\n ${program} \n--flag; rm", ["python", "${program}", "--flag; rm"]),
        ("early_terminate", "on", {"type": "hyperband", "min_iter": 3}),
        ("retry_crashed", "on", True),
        ("retry_crashed", "", None),
        ("name", "", None),
    ],
)
def test_a_field_sets_its_key_and_an_empty_one_takes_it_away(name: str, typed: str, value: Any):
    assert read_yaml(change_field(TEXT, name, typed)).get(name) == value


def test_a_metric_comes_and_goes_as_a_whole():
    text = change_field(TEXT, "metric.name", "loss")
    assert read_yaml(text)["metric"] == {"name": "loss"}
    assert change_field(text, "metric.name", "") == TEXT
    both = change_field(text, "metric.goal", "maximize")
    assert read_yaml(change_field(both, "metric.name", ""))["metric"] == {"goal": "maximize"}


def test_the_usual_retry_of_a_method_is_not_written():
    grid = change_field(TEXT, "method", "grid")
    assert change_field(grid, "retry_crashed", "on") == grid
    assert read_yaml(change_field(grid, "retry_crashed", ""))["retry_crashed"] is False


@pytest.mark.parametrize(
    ("parameter", "field", "typed", "expected"),
    [
        ("lr", "min", "1e-3", {"min": 0.001, "max": 1.0}),
        ("lr", "max", "2", {"min": 0.1, "max": 2.0}),
        ("lr", "max", "much", {"min": 0.1, "max": "much"}),
        ("lr", "max", "[", {"min": 0.1, "max": "["}),
        ("lr", "max", " ", {"min": 0.1}),
        ("size", "values", "1e-3, adam, [1, 2], true", {"values": [0.001, "adam", [1, 2], True]}),
        ("size", "values", "[4, 5]", {"values": [4, 5]}),
        ("size", "values", "", {"values": []}),
        ("size", "kind", "int_uniform", {"distribution": "int_uniform", "min": 8, "max": 16}),
        ("size", "kind", "constant", {"value": 8}),
        ("lr", "kind", "categorical", {"values": [0.1, 1.0]}),
        ("lr", "kind", "normal", {"distribution": "normal", "mu": 0, "sigma": 1}),
    ],
)
def test_a_row_changes_its_parameter(parameter: str, field: str, typed: str, expected: dict[str, Any]):
    changed = read_yaml(change_parameter(TEXT, parameter, field, typed))
    assert changed["parameters"][parameter] == expected
    assert list(changed["parameters"]) == ["lr", "size"]


def test_rows_are_added_renamed_and_removed():
    text = change_parameter(TEXT, "", "add", "")
    text = change_parameter(text, "", "add", "")
    assert list(read_yaml(text)["parameters"]) == ["lr", "size", "parameter_1", "parameter_2"]
    text = change_parameter(text, "parameter_1", "name", " <b>x</b> ")
    text = change_parameter(text, "lr", "remove", "")
    assert list(read_yaml(text)["parameters"]) == ["size", "<b>x</b>", "parameter_2"]
    assert list(read_yaml(change_parameter("method: grid\n", "", "add", ""))["parameters"]) == ["parameter_1"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("parameter", ["lr", "size"])
def test_every_kind_that_the_form_offers_is_valid_at_once_and_shown_again(kind: str, parameter: str):
    text = change_parameter(TEXT, parameter, "kind", kind)
    read_config(text)
    view = check(text).form
    assert view is not None
    assert [row.kind for row in view.parameters if row.name == parameter] == [kind]


@pytest.mark.parametrize(
    ("parameter", "field", "typed"),
    [
        ("gone", "min", "1"), ("lr", "kind", "zeta"), ("lr", "colour", "red"), ("lr", "values", "1"),
        ("size", "values", "a]: ["), ("size", "values", "*a"), ("size", "name", "lr"),
    ],
)  # fmt: skip
def test_what_no_row_can_mean_is_refused(parameter: str, field: str, typed: str):
    with pytest.raises(Invalid):
        change_parameter(TEXT, parameter, field, typed)
    with pytest.raises(Invalid):
        change_field(TEXT, "colour", "red")


@pytest.mark.parametrize("start", STARTS, ids=[start.name for start in STARTS])
def test_templates_are_valid_and_warn_of_nothing(start: Any):
    config = read_config(start.text("val/acc"))
    assert config.warnings == ()
    assert config.metric is not None
    assert config.metric.goal == "maximize"
