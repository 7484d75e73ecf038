"""A sweep's configuration as a whole (RUN-50)."""

import pytest

from common.errors import Invalid
from sweeps.config.document import Hyperband, Method, Metric, read_config

FULL = """
method: bayes
name: first
description: of many
program: train.py
project: vision
entity: acme
apiVersion: v1
kind: sweep
controller: {type: cloud}
run_cap: 20
retry_crashed: true
metric: {name: val/loss, goal: minimize, target: 0.1}
early_terminate: {type: hyperband, min_iter: 3, eta: 2, strict: true}
command: ["${env}", python, 3.11, "${program}", "${args}"]
parameters:
  lr: {min: 0.1, max: 1.0}
"""


def read(text, parameters="{x: {values: [1, 2]}}"):
    return read_config(f"{text}\nparameters: {parameters}")


def message(text, parameters="{x: {values: [1, 2]}}"):
    with pytest.raises(Invalid) as raised:
        read(text, parameters)
    return raised.value.message


def test_every_key_is_read():
    """RUN-50."""
    config = read_config(FULL)
    assert config.method is Method.BAYES
    assert config.metric == Metric("val/loss", "minimize", 0.1)
    assert config.early_terminate == Hyperband(3, None, None, 2.0, strict=True)
    assert config.command == ("${env}", "python", "3.11", "${program}", "${args}")
    assert (config.program, config.name, config.description) == ("train.py", "first", "of many")
    assert (config.run_cap, config.retry_crashed, config.warnings) == (20, True, ())
    assert [parameter.name for parameter in config.space.parameters] == ["lr"]


@pytest.mark.parametrize(("method", "retry_crashed"), [("grid", True), ("random", False)])
def test_little_is_required(method, retry_crashed):
    """RUN-50."""
    config = read(f"method: {method}\nmetric: null\nrun_cap: ~")
    assert (config.metric, config.early_terminate, config.run_cap) == (None, None, None)
    assert (config.command, config.program, config.name, config.description) == ((), "", "", "")
    assert config.retry_crashed is retry_crashed
    assert config.warnings == ()


def test_a_metric_is_minimized_unless_told_otherwise():
    """RUN-50."""
    assert read("method: random\nmetric: {name: loss}").metric == Metric("loss", "minimize", None)
    assert read("method: grid\nmetric: {name: acc, goal: maximize}").metric == Metric("acc", "maximize", None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name: x", "method: is required: grid, random or bayes."),
        ("method: Grid", "method: must be one of grid, random, bayes."),
        ("method: [grid]", "method: must be one of grid, random, bayes."),
        ("method: custom", "method: custom is not supported: the server chooses the parameters."),
        ("method: bayes", "metric.name: is required for bayes."),
        ("method: bayes\nmetric: {goal: minimize}", "metric.name: is required."),
        ("method: bayes\nmetric: {name: ''}", "metric.name: is required."),
        ("method: grid\nmetric: loss", "metric: must be a mapping."),
        ("method: grid\nmetric: {name: [a]}", "metric.name: must be text."),
        ("method: grid\nmetric: {name: a, goal: max}", "metric.goal: must be one of minimize, maximize."),
        ("method: grid\nmetric: {name: a, target: low}", "metric.target: must be a number."),
        (
            "method: grid\nmetric: {name: a, goel: x}",
            "metric.goel: is unknown here. Available: name, goal, target, impute.",
        ),
        (
            "method: grid\nearly_terminate: {type: hyperband, min_iter: 1}",
            "metric.name: is required for early_terminate.",
        ),
        ("method: grid\nrun_cap: 0", "run_cap: must be at least 1."),
        ("method: grid\nrun_cap: 2.0", "run_cap: must be a whole number."),
        ("method: grid\nrun_cap: true", "run_cap: must be a whole number."),
        ("method: grid\nretry_crashed: 1", "retry_crashed: must be true or false."),
        ("method: grid\nprogram: [a]", "program: must be text."),
        ("method: grid\ncommand: python train.py", "command: must be a list."),
        ("method: grid\ncommand: [python, [a]]", "command[1]: must be text."),
        ("method: grid\ncommand: [python, null]", "command[1]: must be text."),
        ("method: grid\ncommand: [true]", "command[0]: must be text."),
        *(
            (
                f"method: grid\n{key}: x",
                f"{key}: Launch jobs and queues are not supported; agents run the program: `wandb agent`.",
            )
            for key in ("scheduler", "launch", "job", "image_uri")
        ),
        (
            "method: grid\ncontroller: {type: local}",
            (
                "controller: the server chooses the parameters; the local controller is not supported. "
                "Remove `controller`."
            ),
        ),
    ],
)
def test_what_does_not_fit_is_refused_with_its_path(text, said):
    """RUN-50."""
    assert message(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "The configuration is empty."),
        ("[1]", "The configuration must be a mapping with method and parameters."),
        ("text", "The configuration must be a mapping with method and parameters."),
        ("method: grid", "parameters: is required."),
        ("method: grid\nparameters: []", "parameters: must be a mapping."),
        ("method: grid\nparameters: {}", "parameters: needs at least one parameter."),
    ],
)
def test_a_document_is_a_mapping_with_parameters(text, said):
    """RUN-50."""
    with pytest.raises(Invalid) as raised:
        read_config(text)
    assert raised.value.message == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("method: grid\ncolour: red", "colour: is unknown and has no effect."),
        ("method: bayes\nmetric: {name: loss}", "metric.goal: is missing; the metric is minimized."),
        ("method: grid\nmetric: {name: loss, impute: worst}", "metric.impute: has no effect."),
        ("method: grid\nrun_cap: 3", "run_cap: is above the number of points in the grid (2)."),
    ],
)
def test_what_has_no_effect_is_warned_of(text, said):
    """RUN-50."""
    assert read(text).warnings == (said,)
