import math
import random
import subprocess
import sys

import pytest

from sweeps.search.optimizer import STARTS, Point, propose
from sweeps.space.dimension import Dimension

MIXED = [Dimension(), Dimension(steps=8), Dimension(choices=3), Dimension(choices=1), Dimension(steps=1)]


def points(dimensions: list[Dimension], count: int) -> list[Point]:
    rng = random.Random(count)

    def value(dimension: Dimension) -> float:
        return float(rng.randrange(dimension.choices)) if dimension.choices else rng.random()

    return [tuple(value(dimension) for dimension in dimensions) for _ in range(count)]


def assert_exists(point: Point, dimensions: list[Dimension]) -> None:
    assert len(point) == len(dimensions)
    for value, dimension in zip(point, dimensions, strict=True):
        if dimension.choices is not None:
            assert value in range(dimension.choices)
        elif dimension.steps is not None:
            assert value in {(step + 0.5) / dimension.steps for step in range(dimension.steps)}
        else:
            assert 0 <= value <= 1


@pytest.mark.parametrize("count", [0, 1, STARTS - 1, STARTS, 30])
def test_a_proposal_is_a_point_of_the_space(count):
    """RUN-50."""
    observed = [(point, point[0] + point[2]) for point in points(MIXED, count)]
    assert_exists(propose(MIXED, observed, [], seed=1), MIXED)


@pytest.mark.parametrize("count", [0, 30])
def test_a_seed_decides_the_proposal(count):
    """RUN-50."""
    observed = [(point, point[0]) for point in points(MIXED, count)]
    first, again, other = (propose(MIXED, observed, [], seed=seed) for seed in (1, 1, -2))
    assert first == again
    assert first != other


def test_thirty_trials_find_the_floor_of_a_bowl():
    """RUN-50: one random point in a thousand comes as near."""
    dimensions = [Dimension(), Dimension(), Dimension(choices=3)]
    observed: list[tuple[Point, float]] = []
    for trial in range(30):
        point = propose(dimensions, observed, [], seed=trial)
        loss = (point[0] - 0.3) ** 2 + (point[1] - 0.7) ** 2 + (0 if point[2] == 1 else 0.5)
        observed.append((point, loss))
    best = min(observed, key=lambda pair: pair[1])[0]
    assert best[2] == 1
    assert math.dist(best[:2], (0.3, 0.7)) < 0.03


@pytest.mark.parametrize("count", [0, 3, 20])
def test_agents_that_ask_at_once_get_different_points(count):
    """RUN-50."""
    observed = [(point, point[0]) for point in points(MIXED, count)]
    pending: list[Point] = []
    for _ in range(12):
        pending.append(propose(MIXED, observed, pending, seed=3))
    assert len(set(pending)) == 12


def test_pending_points_push_the_next_one_away():
    """RUN-50: further than the last round of polishing reaches."""
    dimensions = [Dimension(), Dimension()]
    observed = [(point, math.dist(point, (0.4, 0.6))) for point in points(dimensions, 25)]
    first = propose(dimensions, observed, [], seed=1)
    second = propose(dimensions, observed, [first], seed=1)
    assert math.dist(first, second) > 0.01


def test_a_small_space_is_searched_whole_before_a_point_comes_again():
    """RUN-50."""
    dimensions = [Dimension(choices=4), Dimension(steps=5)]
    observed: list[tuple[Point, float]] = []
    for trial in range(21):
        point = propose(dimensions, observed, [], seed=trial)
        observed.append((point, point[0] + point[1]))
    assert len({point for point, _ in observed[:20]}) == 20
    assert observed[20][0] in {point for point, _ in observed[:20]}


@pytest.mark.parametrize(
    "losses",
    [
        [1.0] * 30,
        [1e300, 1.0, -1e300] * 10,
        [1.7e308, -1.7e308] * 15,
        [5e-324, 0.0, 1.7e308] * 10,
        [1.0] * 29 + [0.0],
    ],
)
def test_losses_of_any_size_give_a_point(losses):
    """RUN-50."""
    observed = list(zip(points(MIXED, 30), losses, strict=True))
    assert_exists(propose(MIXED, observed, [], seed=1), MIXED)


@pytest.mark.parametrize("count", [1, 30])
def test_diverged_runs_do_not_hide_the_rest(count):
    """RUN-50: beside 1e300 all others would look equal, also where most diverge."""
    dimensions = [Dimension(), Dimension()]
    observed = [(point, math.dist(point, (0.4, 0.6)) ** 2) for point in points(dimensions, 25)]
    diverged = [((1 - number / 300, 0.0), 1e300) for number in range(count)]
    assert math.dist(propose(dimensions, [*observed, *diverged], [], seed=1), (0.4, 0.6)) < 0.1


def test_the_same_point_may_have_been_tried_with_different_losses():
    """RUN-50."""
    dimensions = [Dimension(), Dimension()]
    observed = [((0.5, 0.5), float(loss)) for loss in range(20)]
    assert propose(dimensions, observed, [(0.5, 0.5)] * 3, seed=1) != (0.5, 0.5)


@pytest.mark.parametrize(
    "dimensions", [[], [Dimension(choices=1)], [Dimension(steps=1), Dimension(choices=1)]]
)
@pytest.mark.parametrize("count", [0, 30])
def test_a_space_of_one_point_gives_that_point(dimensions, count):
    """RUN-50."""
    only = tuple(0.0 if dimension.choices else 0.5 for dimension in dimensions)
    assert propose(dimensions, [(only, 1.0)] * count, [only], seed=1) == only


@pytest.mark.parametrize("size", [6, 60])
def test_a_model_sees_few_of_a_thousand_points(size, monkeypatch):
    """RUN-50: the time of a model grows with their cube."""
    from sklearn.gaussian_process import GaussianProcessRegressor

    seen = []
    fit = GaussianProcessRegressor.fit

    def counted(model, x, y):
        seen.append(len(x))
        return fit(model, x, y)

    monkeypatch.setattr(GaussianProcessRegressor, "fit", counted)
    dimensions = [Dimension()] * size
    observed = [(point, sum(point)) for point in points(dimensions, 1000)]
    assert_exists(propose(dimensions, observed, points(dimensions, 50), seed=1), dimensions)
    assert 60 <= max(seen) <= 200


def test_only_a_model_imports_scikit_learn():
    """RUN-50: a web process that never searches does not pay for it."""
    code = (
        "import sys; from sweeps.search.optimizer import Dimension, propose; propose([Dimension()], [], [], seed=1); "
        "sys.exit(any(name in sys.modules for name in ('scipy', 'sklearn')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_model_keeps_to_one_thread():
    """RUN-50: with two on two busy cores it takes many times as long."""
    from threadpoolctl import threadpool_info

    propose([Dimension()], [(point, point[0]) for point in points([Dimension()], 10)], [], seed=1)
    assert {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"} == {1}
