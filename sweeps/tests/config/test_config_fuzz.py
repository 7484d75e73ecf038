"""Whatever is sent is read or refused, and what is read can be searched (RUN-50)."""

import contextlib
import json
import math
import random
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from common.errors import Invalid
from sweeps.config.document import read_config

EDGES = [
    0,
    1,
    -1,
    0.5,
    1e-300,
    -1e-300,
    1e300,
    -1e300,
    5e-324,
    700,
    -700,
    2**63,
    2**64 - 1,
    -(2**63),
    1e-9,
    80,
]
ODD: st.SearchStrategy[Any] = (
    st.none() | st.booleans() | st.text(max_size=3) | st.lists(st.integers(0, 3), max_size=3) | st.just({})
)
NUMBER = st.sampled_from(EDGES) | st.integers(-99, 99) | st.floats(-99, 99)
DISTRIBUTIONS = (
    "constant categorical categorical_w_probabilities int_uniform uniform q_uniform log_uniform q_log_uniform "
    "inv_log_uniform log_uniform_values q_log_uniform_values inv_log_uniform_values normal q_normal log_normal "
    "q_log_normal beta q_beta"
).split()
SHAPES = {
    "constant": ["value"],
    "categorical": ["values"],
    "categorical_w_probabilities": ["values", "probabilities"],
    "normal": ["mu", "sigma"],
    "q_normal": ["mu", "sigma", "q"],
    "log_normal": ["mu", "sigma"],
    "q_log_normal": ["mu", "sigma", "q"],
    "beta": ["a", "b"],
    "q_beta": ["a", "b", "q"],
}


@st.composite
def parameters(draw):
    """A distribution with numbers for its keys, in which now and then one key is odd."""
    name = draw(st.sampled_from(DISTRIBUTIONS))
    keys = SHAPES.get(name, ["min", "max", "q"] if name.startswith("q_") else ["min", "max"])
    parameter = {key: draw(NUMBER) for key in keys}
    if "values" in parameter:
        parameter["values"] = draw(st.lists(NUMBER | ODD, max_size=4))
    if "probabilities" in parameter:
        parameter["probabilities"] = (
            [1 / len(parameter["values"])] * len(parameter["values"]) if parameter["values"] else []
        )
    if draw(st.integers(0, 9)) == 0:
        parameter[draw(st.sampled_from(keys))] = draw(ODD)
    return {"distribution": name, **parameter}


def finite(value):
    return not isinstance(value, float) or math.isfinite(value)


@given(st.dictionaries(st.sampled_from("abc"), parameters(), max_size=3), st.integers(0, 2**32))
@example({"a": {"distribution": "beta", "a": 1e6, "b": 1e-300}}, 0)
@example({"a": {"distribution": "q_beta", "q": 5.289978542790798e-175}}, 0)
@example({"a": {"distribution": "normal", "mu": 1e300, "sigma": 1e300}}, 0)
def test_a_space_that_is_read_can_be_searched(drawn, seed):
    """RUN-50."""
    try:
        space = read_config(json.dumps({"method": "random", "parameters": drawn})).space
    except Invalid:
        return
    ends = [
        [float((dimension.choices or 2) - 1) * end for dimension in space.dimensions()] for end in (0, 0.5, 1)
    ]
    for args in (space.sample(random.Random(seed)), *map(space.to_args, ends)):
        assert all(map(finite, args.values()))
        assert space.to_point(args) is not None
        if space.size() is not None:
            index = space.index_of(args)
            assert index is not None
            assert space.point(index) == args


ANYTHING = st.recursive(
    NUMBER | ODD | st.sampled_from(["grid", "random", "bayes", "hyperband", "minimize", "local", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                "method parameters metric name goal type min_iter values value min max distribution".split()
            ),
            inner,
        )
    ),
    max_leaves=8,
)
KEYS = (
    "method parameters metric run_cap early_terminate program command name description retry_crashed controller job x"
).split()


@given(st.dictionaries(st.sampled_from(KEYS), ANYTHING))
def test_any_document_is_read_or_refused(document):
    """RUN-50."""
    with contextlib.suppress(Invalid):
        read_config(json.dumps({"method": "random", "parameters": {"x": {"values": [1, 2]}}, **document}))


@given(st.text(alphabet="ab:-[]{}?&*!|>'\"%@`#,~. \n\t01e\0\ud800\u2028", max_size=40) | st.text(max_size=40))
def test_any_text_is_read_or_refused(text):
    """RUN-50."""
    with contextlib.suppress(Invalid):
        read_config(text)
