"""Distributions by the names and keys of the SDK (RUN-50)."""

import random

import pytest

from common.errors import Invalid
from sweeps.config.document import read_config


def read(*parameters, method="random"):
    lines = "\n".join(f"  {parameter}" for parameter in parameters)
    return read_config(f"method: {method}\nparameters:\n{lines}")


def message(*parameters, method="random"):
    with pytest.raises(Invalid) as raised:
        read(*parameters, method=method)
    return raised.value.message


@pytest.mark.parametrize(
    ("parameter", "kind", "values"),
    [
        ("{value: [1, null]}", "constant", [[1, None]]),
        ("{value: null}", "constant", [None]),
        ("{distribution: constant, value: 3}", "constant", [3]),
        ("{values: [b, a, 1.5, true]}", "categorical", ["b", "a", 1.5, True]),
        ("{distribution: categorical, values: [x]}", "categorical", ["x"]),
        ("{values: [x, y, z], probabilities: [0.5, 0, 0.5]}", "categorical_w_probabilities", ["x", "z"]),
        ("{min: 1, max: 4}", "int_uniform", [1, 2, 3, 4]),
        ("{distribution: int_uniform, min: -1, max: 1}", "int_uniform", [-1, 0, 1]),
        ("{distribution: q_uniform, min: 0, max: 4}", "q_uniform", [0, 1, 2, 3, 4]),
        ("{distribution: q_uniform, min: 0, max: 1, q: 0.25}", "q_uniform", [0.0, 0.25, 0.5, 0.75, 1.0]),
        ("{distribution: q_uniform, min: 0.1, max: 0.3, q: 0.1}", "q_uniform", [0.1, 0.2, 0.3]),
        ("{distribution: q_uniform, min: 0.1, max: 0.3, q: 1e-1}", "q_uniform", [0.1, 0.2, 0.3]),
        ("{distribution: q_uniform, min: 16, max: 64, q: 16}", "q_uniform", [16, 32, 48, 64]),
        (
            "{distribution: q_log_uniform_values, min: 8, max: 30, q: 10}",
            "q_log_uniform_values",
            [10, 20, 30],
        ),
        ("{distribution: q_log_uniform, min: 0, max: 1, q: 0.5}", "q_log_uniform", [1.0, 1.5, 2.0, 2.5]),
        ("{distribution: q_beta, q: 0.5}", "q_beta", [0.0, 0.5, 1.0]),
    ],
)
def test_values_that_can_be_counted(parameter, kind, values):
    """RUN-50."""
    space = read(f"x: {parameter}").space
    assert space.parameters[0].kind == kind
    assert repr([space.point(index)["x"] for index in range(space.size())]) == repr(values)


@pytest.mark.parametrize(
    ("parameter", "kind", "low", "middle", "high"),
    [
        ("{min: 0.0, max: 1.0}", "uniform", 0, 0.5, 1),
        ("{distribution: uniform, min: 0, max: 10}", "uniform", 0, 5, 10),
        ("{distribution: uniform, min: 1e-1, max: 1e+1}", "uniform", 0.1, 5.05, 10),
        (
            "{distribution: log_uniform, min: -2, max: 4}",
            "log_uniform",
            0.1353352832,
            2.7182818285,
            54.598150033,
        ),
        (
            "{distribution: inv_log_uniform, min: -4, max: 2}",
            "inv_log_uniform",
            0.1353352832,
            2.7182818285,
            54.598150033,
        ),
        ("{distribution: log_uniform_values, min: 1e-4, max: 1}", "log_uniform_values", 1e-4, 0.01, 1),
        (
            "{distribution: inv_log_uniform_values, min: 1e-4, max: 1}",
            "inv_log_uniform_values",
            1e-4,
            0.01,
            1,
        ),
        ("{distribution: beta}", "beta", 0, 0.5, 1),
        ("{distribution: beta, a: 2, b: 2}", "beta", 0, 0.5, 1),
    ],
)
def test_continuous_values_between_bounds(parameter, kind, low, middle, high):
    """RUN-50."""
    space = read(f"x: {parameter}").space
    assert space.parameters[0].kind == kind
    assert space.size() is None
    found = [space.to_args((u,))["x"] for u in (0, 0.5, 1)]
    assert found == pytest.approx([low, middle, high], abs=1e-8)
    assert all(isinstance(value, float) for value in found)


@pytest.mark.parametrize(
    ("parameter", "below", "middle", "above"),
    [
        ("{distribution: normal}", -1, 0, 1),
        ("{distribution: normal, mu: 5, sigma: 2}", 3, 5, 7),
        ("{distribution: q_normal, mu: 5, sigma: 2, q: 3}", 3, 6, 6),
        ("{distribution: q_normal, mu: 0.5, sigma: 0.25, q: 0.2}", 0.2, 0.4, 0.8),
        ("{distribution: log_normal}", 0.3678794412, 1, 2.7182818285),
        ("{distribution: q_log_normal, mu: 1, sigma: 1}", 1, 3, 7),
    ],
)
def test_values_one_deviation_from_the_mean(parameter, below, middle, above):
    """RUN-50."""
    space = read(f"x: {parameter}").space
    assert space.size() is None
    found = [space.to_args((u,))["x"] for u in (0.15865525393, 0.5, 0.84134474607)]
    assert found == pytest.approx([below, middle, above])
    assert isinstance(found[0], int) == ("q_log" in parameter or "q: 3" in parameter)


@pytest.mark.parametrize(
    ("parameter", "said"),
    [
        ("x: 3", "parameters.x: must be a mapping, such as {value: 1} or {values: [1, 2]}."),
        ("x: {}", "parameters.x: needs value, values, min and max, or a distribution with its keys."),
        ("x: {min: 1}", "parameters.x: needs value, values, min and max, or a distribution with its keys."),
        ("x: {values: []}", "parameters.x.values: needs at least one value."),
        ("x: {values: 3}", "parameters.x.values: must be a list."),
        (
            "x: {value: 1, values: [1]}",
            "parameters.x.values: is unknown here. Available: value, distribution.",
        ),
        (
            "x: {min: 1, max: 2, step: 1}",
            "parameters.x.step: is unknown here. Available: min, max, distribution.",
        ),
        ("x: {distribution: uniform, min: 1}", "parameters.x: uniform needs max."),
        ("x: {distribution: constant}", "parameters.x: constant needs value."),
        ("x: {min: 0.1, max: 0.1}", "parameters.x.max: must be greater than min (0.1)."),
        ("x: {min: 2, max: 1}", "parameters.x.max: must be greater than min (2)."),
        (
            "x: {min: 0, max: 0.1}",
            "parameters.x: write min and max both as whole numbers (1, 10) or both as decimals (1.0, 10.0).",
        ),
        ("x: {min: a, max: b}", "parameters.x.min: must be a number."),
        ("x: {distribution: uniform, min: true, max: 2}", "parameters.x.min: must be a number."),
        (
            "x: {distribution: uniform, min: 0, max: 1.0e+301}",
            "parameters.x.max: must be between -1e300 and 1e300.",
        ),
        ("x: {distribution: int_uniform, min: 1.0, max: 2}", "parameters.x.min: must be a whole number."),
        ("x: {distribution: q_uniform, min: 1, max: 2, q: 0}", "parameters.x.q: must be greater than 0."),
        (
            "x: {distribution: q_uniform, min: 1, max: 4, q: 5}",
            "parameters.x.q: there is no multiple of 5 between the bounds.",
        ),
        (
            "x: {distribution: log_uniform_values, min: 0, max: 1}",
            "parameters.x.min: must be greater than 0.",
        ),
        (
            "x: {distribution: q_log_uniform_values, min: -1, max: 1}",
            "parameters.x.min: must be greater than 0.",
        ),
        (
            "x: {distribution: inv_log_uniform_values, min: 0, max: 1}",
            "parameters.x.min: must be greater than 0.",
        ),
        (
            "x: {distribution: log_uniform, min: 1, max: 1000}",
            "parameters.x.max: is an exponent of e and must be between -700 and 700; log_uniform_values takes values.",
        ),
        ("x: {distribution: normal, sigma: 0}", "parameters.x.sigma: must be greater than 0."),
        (
            "x: {distribution: log_normal, mu: 699}",
            "parameters.x: mu and sigma apply to the logarithm; with these, the values are too large.",
        ),
        ("x: {distribution: q_beta, b: 1000001}", "parameters.x.b: must be at most 1000000."),
        ("x: {distribution: beta, a: 0}", "parameters.x.a: must be greater than 0."),
        (
            "x: {values: [a, b], probabilities: [0.5, 0.4]}",
            "parameters.x.probabilities: must sum to 1, not 0.9.",
        ),
        (
            "x: {values: [a, b], probabilities: [1]}",
            "parameters.x.probabilities: must have as many entries as the values: 2, not 1.",
        ),
        ("x: {values: [a, b], probabilities: [2, -1]}", "parameters.x.probabilities: must not be negative."),
        ("x: {values: [a, b], probabilities: [1, x]}", "parameters.x.probabilities[1]: must be a number."),
        (
            "x: {values: [1, 1.0], probabilities: [0.5, 0.5]}",
            "parameters.x.values: has a duplicate value; list it once, with the sum of its probabilities.",
        ),
        ("x: {parameters: {}}", "parameters.x.parameters: needs at least one parameter."),
        ("x: {parameters: 1}", "parameters.x.parameters: must be a mapping."),
        (
            "x: {parameters: {y: {min: 1, max: 1}}}",
            "parameters.x.parameters.y.max: must be greater than min (1).",
        ),
        (
            "x: {parameters: {y: {value: 1}}, value: 1}",
            "parameters.x.value: is unknown here. Available: parameters.",
        ),
        ("'': {value: 1}", "parameters: a parameter needs a name."),
    ],
)
def test_what_does_not_fit_is_refused_with_its_path(parameter, said):
    """RUN-50."""
    assert message(parameter) == said


def test_a_distribution_that_is_not_known_is_answered_with_those_that_are():
    """RUN-50."""
    assert message("x: {distribution: poisson}").startswith(
        "parameters.x.distribution: must be one of constant, categorical, categorical_w_probabilities, int_uniform,"
    )


def test_parameters_and_values_are_bounded():
    """RUN-50."""
    read(*(f"p{number}: {{value: 1}}" for number in range(1000)))
    assert message(*(f"p{number}: {{value: 1}}" for number in range(1001))) == (
        "parameters: can have at most 1000 parameters."
    )
    assert (
        message("x: {values: [" + "1," * 100_001 + "]}")
        == "parameters.x.values: can have at most 100000 values."
    )


@pytest.mark.parametrize(
    ("parameter", "said"),
    [
        ("x: {values: [1, 1.0, 2]}", "parameters.x.values: has duplicate values; each counts once."),
        (
            "x: {values: [1e-3, 1.0e-4]}",
            "parameters.x.values: 1e-3 is text in YAML; for a number, write a dot and a sign: 1.0e-3.",
        ),
        (
            "x: {distribution: log_uniform, min: -5, max: -1}",
            (
                "parameters.x: min and max of log_uniform are exponents of e; "
                "log_uniform_values takes the values themselves."
            ),
        ),
        (
            "x: {distribution: q_uniform, min: 1, max: 9, q: 2}",
            "parameters.x: values are multiples of q, so the first is 2.",
        ),
        ("x: {value: 1}", "parameters: each has a single value, so there is nothing to search."),
    ],
)
def test_what_is_hardly_meant_is_warned_of(parameter, said):
    """RUN-50."""
    assert read(parameter).warnings == (said,)


def test_values_given_twice_count_once():
    """RUN-50."""
    assert read("x: {values: [1, 1.0, true, 2, 1]}", method="grid").space.size() == 3


def test_nested_parameters_keep_their_order_and_give_nested_arguments():
    """RUN-50."""
    space = read(
        "z: {values: [1, 2]}",
        "optimizer: {parameters: {kind: {values: [adam, sgd]}, more: {parameters: {beta: {value: 0.9}}}}}",
        "a.b: {value: x}",
        method="grid",
    ).space
    assert [parameter.path for parameter in space.parameters] == [
        ("z",),
        ("optimizer", "kind"),
        ("optimizer", "more", "beta"),
        ("a.b",),
    ]
    assert space.point(1) == {"z": 1, "optimizer": {"kind": "sgd", "more": {"beta": 0.9}}, "a.b": "x"}


@pytest.mark.parametrize(
    ("parameter", "said"),
    [
        (
            "lr: {distribution: uniform, min: 0, max: 1}",
            "parameters.lr: a grid needs values; uniform is continuous. Use q_uniform, values or another method.",
        ),
        (
            "o: {parameters: {lr: {distribution: q_normal}}}",
            (
                "parameters.o.parameters.lr: a grid needs values; q_normal is unbounded. "
                "Use q_uniform, values or another method."
            ),
        ),
    ],
)
def test_a_grid_needs_values_that_can_be_counted(parameter, said):
    """RUN-50."""
    assert message(parameter, method="grid") == said


def test_a_grid_takes_no_account_of_probabilities():
    """RUN-50."""
    config = read("x: {values: [a, b], probabilities: [0.9, 0.1]}", method="grid")
    assert config.space.size() == 2
    assert config.warnings == ("parameters.x: a grid ignores probabilities.",)


def test_a_value_without_probability_is_never_drawn():
    """RUN-50."""
    space = read("x: {values: [a, b, c], probabilities: [0.5, 0, 0.5]}").space
    rng = random.Random(1)
    assert {space.sample(rng)["x"] for _ in range(200)} == {"a", "c"}
    assert space.to_point({"x": "b"}) is None


def test_the_points_of_a_grid_can_be_numbered():
    """RUN-50."""
    ten = [f"p{number}: {{min: 1, max: 10}}" for number in range(19)]
    assert read(*ten[:12], method="grid").space.size() == 10**12
    assert message(*ten, method="grid") == "parameters: a grid can have at most 9223372036854775807 points."
