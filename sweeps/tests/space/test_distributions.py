"""How values are spread: bounds, multiples, and the way to the unit cube and back (RUN-50)."""

import math
import random
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sweeps.space.curves import Beta, LogNormal, LogUniform, Normal, Uniform
from sweeps.space.dimension import Dimension
from sweeps.space.distributions import Continuous, Quantised, Steps
from sweeps.space.numbers import Multiples
from sweeps.space.options import Options

UNIT = st.floats(0, 1)
FACTORS = st.integers(-1000, 1000)
STEP = st.sampled_from([1, 3, 0.1, 0.25, 0.3, 1e-5, 2.0])


@st.composite
def steps(draw):
    """Multiples of a number between two bounds that leave one at least."""
    q, first, count = draw(STEP), draw(FACTORS), draw(st.integers(1, 1000))
    exact = Fraction(repr(q))
    return Steps.of(Multiples.within(q, float(exact * first), float(exact * (first + count - 1))))


@st.composite
def curves(draw):
    """Continuous distributions of moderate size."""
    low = draw(st.floats(1e-6, 1e3))
    high = low * draw(st.floats(1.01, 1e6))
    mu, sigma = draw(st.floats(-5, 5)), draw(st.floats(0.1, 3))
    shape = st.floats(0.5, 5)
    every = [
        Uniform(-low, high),
        LogUniform(low, high),
        Normal(mu, sigma),
        LogNormal(mu, sigma),
        Beta(draw(shape), draw(shape)),
    ]
    return draw(st.sampled_from(every))


@pytest.mark.parametrize(
    ("curve", "u", "value"),
    [
        (Uniform(-2, 6), 0, -2),
        (Uniform(-2, 6), 0.25, 0),
        (Uniform(-2, 6), 1, 6),
        (LogUniform(0.01, 100), 0, 0.01),
        (LogUniform(0.01, 100), 0.5, 1),
        (LogUniform(0.01, 100), 0.75, 10),
        (LogUniform(0.01, 100), 1, 100),
        (Normal(3, 2), 0.5, 3),
        (Normal(3, 2), 0.8413447460685429, 5),
        (LogNormal(0, 1), 0.5, 1),
        (LogNormal(1, 1), 0.5, math.e),
        (Beta(1, 1), 0.3, 0.3),
        (Beta(2, 1), 0.25, 0.5),
        (Beta(1, 2), 0.75, 0.5),
    ],
)
def test_each_curve_has_the_quantiles_of_its_definition(curve, u, value):
    """RUN-50."""
    assert curve.quantile(u) == pytest.approx(value)
    assert curve.cumulative(value) == pytest.approx(u)


@pytest.mark.parametrize("curve", [Normal(0, 1), LogNormal(0, 1), Beta(0.5, 0.5), LogUniform(1e-300, 1e300)])
@pytest.mark.parametrize("u", [0.0, 1.0])
def test_the_ends_of_the_unit_give_finite_values(curve, u):
    """RUN-50."""
    assert math.isfinite(Continuous(curve).at(u))


@given(curves(), UNIT)
@example(Beta(2.0, 4.0), 2.2250738585072014e-308)
def test_continuous_values_lie_within_bounds_and_lead_back(curve, u):
    """RUN-50."""
    distribution = Continuous(curve)
    value = distribution.at(u)
    assert curve.low <= value <= curve.high
    assert distribution.coordinate(value) == pytest.approx(u, abs=1e-6)


@given(curves(), st.integers(0, 2**32))
def test_samples_lie_within_bounds(curve, seed):
    """RUN-50."""
    assert curve.low <= Continuous(curve).draw(random.Random(seed)) <= curve.high


@given(steps(), st.data())
def test_a_step_leads_to_its_index_and_coordinate_and_back(distribution, data):
    """RUN-50."""
    index = data.draw(st.integers(0, distribution.count - 1))
    value = distribution.value(index)
    assert distribution.index_of(value) == index
    assert distribution.at(distribution.coordinate(value)) == value


@given(steps(), UNIT)
def test_a_coordinate_gives_the_step_in_whose_part_it_lies(distribution, u):
    """Either spacing that an optimiser may round to gives the step that it means (RUN-50)."""
    index = distribution.index_of(distribution.at(u))
    assert index == min(math.floor(Fraction(u) * distribution.count), distribution.count - 1)
    if distribution.count > 1:
        assert distribution.index_of(distribution.at(index / (distribution.count - 1))) == index


@given(steps(), st.integers(0, 2**32))
def test_samples_of_steps_are_multiples_as_they_would_be_written(distribution, seed):
    """0.3 is drawn, not 0.30000000000000004 (RUN-50)."""
    value = distribution.draw(random.Random(seed))
    step = distribution.multiples.q
    assert value == float(round(Fraction(value) / step) * step)
    assert isinstance(value, int) == distribution.multiples.whole


@given(curves(), st.sampled_from([1, 0.5, 0.1]), UNIT)
def test_quantised_values_are_multiples_within_bounds_and_lead_back(curve, q, u):
    """RUN-50."""
    multiples = Multiples.within(q, curve.low, curve.high)
    if multiples.count() == 0:
        return
    distribution = Quantised(curve, multiples)
    value = distribution.at(u)
    assert curve.low <= value <= curve.high
    assert value == float(round(Fraction(value) / multiples.q) * multiples.q)
    if 1e-9 < u < 1 - 1e-9:
        coordinate = distribution.coordinate(value)
        assert coordinate is not None
        assert distribution.at(coordinate) == value


def test_whole_steps_give_ints_and_others_floats():
    """RUN-50."""
    whole, broken = Steps.of(Multiples.within(2, 0.5, 7)), Steps.of(Multiples.within(2.0, 0.5, 7))
    assert [repr(whole.value(index)) for index in range(3)] == ["2", "4", "6"]
    assert [repr(broken.value(index)) for index in range(3)] == ["2.0", "4.0", "6.0"]


@pytest.mark.parametrize(
    ("value", "index"),
    [
        (0.1, 0),
        (0.3, 2),
        (0.1 + 0.2, 2),
        (0.5, 4),
        (0.6, None),
        (0, None),
        (0.15, None),
        (True, None),
        ("0.3", None),
        (math.nan, None),
        (math.inf, None),
        (None, None),
    ],
)
def test_only_multiples_within_bounds_have_an_index(value, index):
    """RUN-50."""
    assert Steps.of(Multiples.within(0.1, 0.1, 0.5)).index_of(value) == index


def test_the_largest_whole_numbers_stay_exact():
    """RUN-50."""
    distribution = Steps.of(Multiples.within(1, 0, 2**64 - 1))
    assert distribution.size() == 2**64
    assert distribution.index_of(2**64 - 2) == 2**64 - 2
    assert distribution.dimension() == Dimension()
    assert distribution.at(1.0) == 2**64 - 1


@pytest.mark.parametrize(
    ("curve", "value"),
    [
        (Uniform(0, 1), 1.1),
        (Uniform(0, 1), -0.1),
        (Uniform(0, 1), True),
        (Uniform(0, 1), "0.5"),
        (Uniform(0, 1), None),
        (LogUniform(0.1, 1), 0.0),
        (Normal(0, 1), math.inf),
        (LogNormal(0, 1), -1.0),
        (Beta(1, 1), 2),
    ],
)
def test_what_is_outside_has_no_coordinate(curve, value):
    """RUN-50."""
    assert Continuous(curve).coordinate(value) is None


def test_continuous_and_unbounded_values_cannot_be_counted():
    """RUN-50."""
    for distribution in (
        Continuous(Uniform(0, 1)),
        Quantised(Normal(0, 1), Multiples.within(1, -math.inf, math.inf)),
        Quantised(LogNormal(0, 1), Multiples.within(1, 0, math.inf)),
    ):
        assert distribution.size() is None
        assert distribution.index_of(1) is None
        with pytest.raises(TypeError):
            distribution.value(0)


@pytest.mark.parametrize(
    ("value", "index"),
    [
        (1, 0),
        (1.0, 0),
        (True, 1),
        ("1", 2),
        (None, 3),
        ([1, True], 4),
        ([1.0, True], 4),
        ([1, 1], None),
        ({"b": [2], "a": 1}, 5),
        ({"a": 1, "b": [2.0]}, 5),
        ({"a": True, "b": [2]}, None),
        (0, None),
        (False, None),
        ({1, 2}, None),
    ],
)
def test_options_compare_as_json_does(value, index):
    """1 is 1.0 and never true, in lists and mappings as well (RUN-50)."""
    options = Options((1, True, "1", None, [1, True], {"a": 1, "b": [2]}))
    assert options.index_of(value) == index
    assert options.coordinate(value) == index


def test_options_have_no_order_for_an_optimiser():
    """RUN-50."""
    options = Options(("a", "b", "c"))
    assert options.dimension() == Dimension(choices=3)
    assert [options.at(coordinate) for coordinate in (-1, 0, 0.4, 1.0, 1.6, 2, 9)] == list("aaabccc")


def test_an_option_is_the_callers_to_change():
    """RUN-50."""
    options = Options(([1],))
    options.value(0).append(2)
    assert options.value(0) == [1]


def test_options_are_drawn_as_often_as_their_weights_say():
    """RUN-50."""
    options, rng = Options(("often", "rarely"), (0.9, 0.1)), random.Random(5)
    drawn = [options.draw(rng) for _ in range(1000)]
    assert 870 < drawn.count("often") < 930
