"""Grids that are counted and never listed, and arguments nested as the SDK wants them (RUN-50)."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweeps.space.curves import LogUniform, Uniform
from sweeps.space.dimension import Dimension
from sweeps.space.distributions import Continuous, Steps
from sweeps.space.numbers import Multiples
from sweeps.space.options import Options
from sweeps.space.space import Parameter, Space

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=4,
)
ALPHABETS = st.integers(1, 5).map(lambda count: Options(tuple("abcde"[:count])))
RANGES = st.tuples(st.integers(-50, 50), st.integers(0, 50), st.sampled_from([1, 0.1])).map(
    lambda drawn: Steps.of(Multiples.within(drawn[2], drawn[0], drawn[0] + drawn[1]))
)
NUMBERS = st.floats(0.001, 1).map(lambda low: Continuous(LogUniform(low, low + 1)))


def space(*distributions):
    """Every other parameter lies one level deeper."""
    return Space(
        tuple(
            Parameter(("inner", f"p{position}") if position % 2 else (f"p{position}",), "any", distribution)
            for position, distribution in enumerate(distributions)
        )
    )


COUNTABLE = st.lists(ALPHABETS | RANGES, min_size=1, max_size=6).map(lambda drawn: space(*drawn))
ANY = st.lists(ALPHABETS | RANGES | NUMBERS, min_size=1, max_size=6).map(lambda drawn: space(*drawn))


def grid(*names_and_values):
    return Space(
        tuple(Parameter((name,), "categorical", Options(values)) for name, values in names_and_values)
    )


def test_the_last_parameter_changes_fastest():
    """RUN-50."""
    ours = grid(("a", (1, 2)), ("b", ("x", "y", "z")))
    assert [tuple(ours.point(index).values()) for index in range(6)] == [
        (1, "x"),
        (1, "y"),
        (1, "z"),
        (2, "x"),
        (2, "y"),
        (2, "z"),
    ]


@given(COUNTABLE, st.data())
def test_a_grid_point_leads_back_to_its_number(ours, data):
    """RUN-50."""
    index = data.draw(st.integers(0, ours.size() - 1))
    assert ours.index_of(ours.point(index)) == index


@given(st.lists(JSON, min_size=1, max_size=5))
def test_any_json_value_can_be_an_option(values):
    """RUN-50."""
    options = Options(values)
    for index, value in enumerate(values):
        found = options.index_of(value)
        assert found is not None
        assert found >= index
        assert options.value(found) == value


@given(COUNTABLE, st.integers(0, 2**32))
def test_samples_of_a_grid_are_points_of_it(ours, seed):
    """RUN-50."""
    assert ours.index_of(ours.sample(random.Random(seed))) in range(ours.size())


@given(ANY, st.integers(0, 2**32))
def test_arguments_lead_to_the_unit_cube_and_back(ours, seed):
    """RUN-50."""
    args = ours.sample(random.Random(seed))
    point = ours.to_point(args)
    assert len(point) == len(ours.dimensions())
    back = ours.to_args(point)
    for parameter in ours.parameters:
        value, again = args, back
        for name in parameter.path:
            value, again = value[name], again[name]
        if isinstance(value, float):
            assert again == pytest.approx(value, rel=1e-9)
        else:
            assert again == value


def test_a_grid_of_any_size_is_counted_and_asked_for_its_last_point():
    """RUN-50."""
    ours = space(*[Steps.of(Multiples.within(1, 1, 10))] * 12)
    assert ours.size() == 10**12
    last = ours.point(10**12 - 1)
    assert last["p0"] == last["inner"]["p11"] == 10
    assert ours.index_of(last) == 10**12 - 1


@pytest.mark.parametrize("index", [-1, 2])
def test_there_is_no_point_beyond_the_grid(index):
    """RUN-50."""
    with pytest.raises(IndexError):
        grid(("a", (1, 2))).point(index)


def test_a_space_with_a_continuous_parameter_has_no_size():
    """RUN-50."""
    ours = space(Options((1, 2)), Continuous(Uniform(0, 1)))
    assert ours.size() is None
    assert ours.index_of({"p0": 1, "inner": {"p1": 0.5}}) is None
    with pytest.raises(TypeError):
        ours.point(0)


@pytest.mark.parametrize(
    ("args", "index"),
    [
        ({"a": 2, "b": {"c": True}}, 2),
        ({"a": 2.0, "b": {"c": True}, "more": 1}, 2),
        ({"a": 2, "b": {"c": 1}}, 3),
        ({"a": 2}, None),
        ({"a": 2, "b": 7}, None),
        ({"a": 2, "b.c": True}, None),
        ({"a": 3, "b": {"c": True}}, None),
        ({}, None),
    ],
)
def test_arguments_of_other_runs_are_points_where_they_hold_every_parameter(args, index):
    """RUN-50."""
    ours = Space(
        (
            Parameter(("a",), "categorical", Options((1, 2))),
            Parameter(("b", "c"), "categorical", Options((True, 1))),
        )
    )
    assert ours.index_of(args) == index
    assert (ours.to_point(args) is None) == (index is None)


def test_a_single_value_is_no_dimension_but_must_be_met():
    """RUN-50."""
    ours = space(Options((7,)), Continuous(Uniform(0, 4)), Steps.of(Multiples.within(1, 3, 3)))
    assert ours.dimensions() == [Dimension()]
    assert ours.to_args((0.25,)) == {"p0": 7, "inner": {"p1": 1.0}, "p2": 3}
    assert ours.to_point({"p0": 7, "inner": {"p1": 1.0}, "p2": 3}) == (0.25,)
    assert ours.to_point({"p0": 8, "inner": {"p1": 1.0}, "p2": 3}) is None
    assert ours.to_point({"inner": {"p1": 1.0}, "p2": 3}) is None


def test_the_same_seed_draws_the_same():
    """RUN-50."""
    ours = space(Options(("a", "b")), Continuous(Uniform(0, 4)), Steps.of(Multiples.within(1, 0, 9)))
    assert ours.sample(random.Random(3)) == ours.sample(random.Random(3))


def test_arguments_are_put_in_the_order_of_the_document():
    """RUN-50: PostgreSQL keeps an object's keys by their length."""
    searched = space(*(Options(("a", {"b": 1, "a": 2})) for _ in range(4)))
    stored = {"zz": 1, "p2": "a", "p0": {"b": 1, "a": 2}, "inner": {"more": 0, "p3": "a", "p1": "a"}}
    ordered = searched.in_order(stored)
    assert ordered == stored
    assert [*ordered] == ["p0", "inner", "p2", "zz"]
    assert [*ordered["inner"]] == ["p1", "p3", "more"]
    assert [*ordered["p0"]] == ["b", "a"]
    assert searched.in_order({"p2": "a"}) == {"p2": "a"}
