"""Bayesian optimisation in the unit cube: a Gaussian process of scikit-learn behind expected improvement.

scikit-learn and SciPy are imported with the first model, since that takes seconds and 90 MB: a process that never
searches does not pay.

Source: Jones, Schonlau and Welch, "Efficient global optimization of expensive black-box functions" (1998).
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sweeps.space.dimension import Dimension

Point = tuple[float, ...]
"""Per dimension the position 0..1 of a number, or the index of a choice."""
Matrix = NDArray[np.float64]

STARTS = 5
"""So many losses are known before a model is asked."""
_START_CANDIDATES = 24
"""More would send every start into a corner of the cube, which is where points are farthest apart."""
_BEST, _NEWEST, _PENDING = 100, 60, 40
"""The points that a model sees at most; its time grows with their cube."""
_OWN_SCALES = 20
"""With more columns than this they share one length scale: so many cannot be told apart by that few points."""
_FAR, _DIVERGED = 10.0, 1000.0
"""Losses are told apart up to so many times the usual distance from the least; what diverged is not usual."""
_CHOICE_SIDE = 0.5**0.5
"""Puts two choices of a dimension 1 apart, as far as the ends of a number."""
_RANDOM_CANDIDATES = 1000
_NEAR_BEST = ((300, 0.1), (200, 0.02))
"""Candidates around the best points: how many, and their distance."""
_POLISH = (0.05, 0.02, 0.007, 0.002)
"""Distances of the rounds in which the best candidates are moved a little."""


def propose(
    dimensions: Sequence[Dimension],
    observed: Sequence[tuple[Point, float]],
    pending: Sequence[Point],
    *,
    seed: int,
) -> Point:
    """Choose the point to try next, where the loss is likely to fall below the least so far.

    Args:
        observed: points with their finite losses, oldest first.
        pending: points that were handed out and whose loss is not known; the model takes its own prediction for it,
            so that the next point lies elsewhere.
        seed: together with the counts of points decides every random number.

    Returns:
        A point that is neither observed nor pending, unless no such point was found.
    """
    rng = np.random.default_rng([seed & (2**63 - 1), len(observed), len(pending)])
    taken = _matrix([*(point for point, _ in observed), *pending], dimensions)
    if not _columns(dimensions):
        return _point(_draw(rng, 1, dimensions)[0])
    if len(observed) < STARTS:
        candidates = _draw(rng, _START_CANDIDATES, dimensions)
        scores = _distances(_encode(candidates, dimensions), _encode(taken, dimensions))
        return _first_new(candidates, scores, taken)
    kept = _kept([loss for _, loss in observed])
    points = taken[: len(observed)][kept]
    losses = _warp(np.array([observed[index][1] for index in kept], dtype=np.float64))
    model = _model(_encode(points, dimensions), losses)
    if pending:
        waiting = taken[len(observed) :][-_PENDING:]
        points = np.vstack([points, waiting])
        losses = np.concatenate([losses, model.predict(_encode(waiting, dimensions))])
        model.fit(_encode(points, dimensions), losses)
    return _first_new(*_candidates(rng, model, points, losses, dimensions), taken)


def _matrix(points: Sequence[Point], dimensions: Sequence[Dimension]) -> Matrix:
    return np.array(points, dtype=np.float64).reshape(len(points), len(dimensions))


def _point(row: Matrix) -> Point:
    return tuple(float(value) for value in row)


def _columns(dimensions: Sequence[Dimension]) -> int:
    """Count the columns of encoded points; a single choice or step tells points apart by nothing."""
    return len(_encode(np.zeros((1, len(dimensions))), dimensions)[0])


def _encode(points: Matrix, dimensions: Sequence[Dimension]) -> Matrix:
    """Turn points into columns: one of a number, one of each choice."""
    columns = [np.empty((len(points), 0))]
    for index, dimension in enumerate(dimensions):
        column = points[:, index : index + 1]
        if dimension.choices is None and dimension.steps != 1:
            columns.append(column)
        elif dimension.choices is not None and dimension.choices > 1:
            columns.append((column == np.arange(dimension.choices)) * _CHOICE_SIDE)
    return np.hstack(columns)


def _snap(points: Matrix, dimensions: Sequence[Dimension]) -> Matrix:
    """Move points to values that exist."""
    snapped = np.clip(points, 0, 1)
    for index, dimension in enumerate(dimensions):
        if dimension.choices is not None:
            snapped[:, index] = np.clip(np.floor(points[:, index]), 0, dimension.choices - 1)
        elif dimension.steps is not None:
            step = np.minimum(np.floor(snapped[:, index] * dimension.steps), dimension.steps - 1)
            snapped[:, index] = (step + 0.5) / dimension.steps
    return snapped


def _draw(rng: np.random.Generator, count: int, dimensions: Sequence[Dimension]) -> Matrix:
    """Draw points evenly from the whole space."""
    return _snap(rng.random((count, len(dimensions))) * [d.choices or 1 for d in dimensions], dimensions)


def _near(
    rng: np.random.Generator, centres: Matrix, count: int, distance: float, dimensions: Sequence[Dimension]
) -> Matrix:
    """Draw points that differ from one of the centres in a few dimensions, in at least one."""
    base = centres[rng.integers(len(centres), size=count)]
    size = len(dimensions)
    moves = rng.random((count, size)) < max(2 / size, 0.5 if size < 4 else 0)
    moves[np.arange(count), rng.integers(size, size=count)] = True
    moved = np.abs(base + rng.normal(scale=distance, size=base.shape))
    moved = np.where(moved > 1, 2 - moved, moved)
    for index, dimension in enumerate(dimensions):
        if dimension.choices is not None:
            moved[:, index] = rng.integers(dimension.choices, size=count)
        elif dimension.steps is not None and dimension.steps > 1:
            one = base[:, index] + rng.choice([-1, 1], size=count) / dimension.steps
            moved[:, index] = np.where(rng.random(count) < 0.5, moved[:, index], one)
    return _snap(np.where(moves, moved, base), dimensions)


def _distances(candidates: Matrix, taken: Matrix) -> Matrix:
    """Return of each candidate the squared distance to the nearest taken point."""
    nearest = np.full(len(candidates), np.inf)
    for row in taken:
        np.minimum(nearest, ((candidates - row) ** 2).sum(axis=1), out=nearest)
    return nearest


def _first_new(candidates: Matrix, scores: Matrix, taken: Matrix) -> Point:
    """Take the candidate of the highest score that is not taken, else that of the highest."""
    seen = {_point(row) for row in taken}
    ordered = [_point(candidates[index]) for index in np.argsort(-scores, kind="stable")]
    return next((point for point in ordered if point not in seen), ordered[0])


def _kept(losses: list[float]) -> list[int]:
    """Choose the points that the model sees, oldest first: the best and the newest."""
    best = np.argsort(losses, kind="stable")[:_BEST].tolist()
    return sorted({*best, *range(max(len(losses) - _NEWEST, 0), len(losses))})


def _warp(losses: Matrix) -> Matrix:
    """Standardise the logarithm of the distance from the least loss.

    Trainings that diverge lose by any factor; without the bound they would flatten all differences that matter.
    """
    gaps = losses / 2 - losses.min() / 2  # halves, for the distance of two floats need not be one
    if not gaps.any():
        return np.zeros(len(losses))
    apart = gaps[gaps > 0]
    with np.errstate(over="ignore"):
        usual = np.median(apart[apart / np.quantile(apart, 0.25) <= _DIVERGED])
        warped = np.log1p(np.minimum(gaps / usual, _FAR))
    return np.asarray((warped - warped.mean()) / warped.std())


@cache
def _one_thread() -> None:
    """Let BLAS work in the asking thread, from now on in the whole process.

    Its matrices are too small to share: on two busy cores 30 points took 383 ms with two threads and 23 with one,
    1,000 points up to 8 s. Taken back after each model, the limit would be lost to another thread's model.
    """
    from threadpoolctl import threadpool_limits

    threadpool_limits(limits=1, user_api="blas")


def _model(points: Matrix, losses: Matrix) -> Any:
    """Fit a regression to encoded points, its length scales at the mode of their posterior.

    The prior (scales grow with the root of the columns, as distances do) keeps few points from naming a dimension
    irrelevant. scikit-learn's own search has no prior, and warns of every scale that reaches its bound.
    """
    from scipy.optimize import minimize
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

    _one_thread()
    columns = points.shape[1]
    scales = np.full(columns if columns <= _OWN_SCALES else 1, 0.5 * columns**0.5)
    kernel = ConstantKernel(1.0, (0.05, 20)) * Matern(scales, (0.02, 100), nu=2.5) + WhiteKernel(
        1e-4, (1e-6, 0.5)
    )
    model = GaussianProcessRegressor(kernel, alpha=1e-8, optimizer=None).fit(points, losses)
    spread = np.array([1.0, *(0.5 for _ in scales), 3.0])

    def unlikely(theta: Matrix) -> tuple[float, Matrix]:
        likelihood, slope = model.log_marginal_likelihood(theta, eval_gradient=True, clone_kernel=False)
        away = (theta - kernel.theta) / spread
        return away @ away / 2 - likelihood, away / spread - slope

    # A hundred points say in a few steps what they can; each step costs then what thirty points cost in all.
    options = {"maxiter": 40 if len(points) <= 60 else 10}
    mode = minimize(
        unlikely, kernel.theta, jac=True, bounds=kernel.bounds, method="L-BFGS-B", options=options
    )
    return model.set_params(kernel=kernel.clone_with_theta(mode.x)).fit(points, losses)


def _improvement(model: Any, points: Matrix, best: float) -> Matrix:
    """Return the logarithm of the expected improvement on the best loss; the plain one is 0 far from it."""
    from scipy.special import ndtr

    mean, deviation = model.predict(points, return_std=True)
    deviation = np.sqrt(np.maximum(deviation**2 - model.kernel_.k2.noise_level, 1e-18))
    z = (best - mean) / deviation
    log_density = -(z**2) / 2 - np.log(2 * np.pi) / 2
    near = np.maximum(z, -5)
    gain = np.exp(-(near**2) / 2) / np.sqrt(2 * np.pi) + near * ndtr(near)
    return np.asarray(np.where(z > -5, np.log(gain), log_density - np.log(z**2 + 3)) + np.log(deviation))


def _candidates(
    rng: np.random.Generator, model: Any, points: Matrix, losses: Matrix, dimensions: Sequence[Dimension]
) -> tuple[Matrix, Matrix]:
    """Search the space for points of high expected improvement; return them with its logarithm."""
    best = float(losses.min())
    centres = points[np.argsort(losses, kind="stable")[:5]]
    around = [_near(rng, centres, count, distance, dimensions) for count, distance in _NEAR_BEST]
    found = np.vstack([_draw(rng, _RANDOM_CANDIDATES, dimensions), *around])
    scores = _improvement(model, _encode(found, dimensions), best)
    for distance in _POLISH:
        # What this round leaves behind stays at the end: in a small space it may be all that is not taken.
        top = found[np.argsort(-scores, kind="stable")[:10]]
        moved = _near(rng, top, 150, distance, dimensions)
        found = np.vstack([found, moved])
        scores = np.concatenate([scores, _improvement(model, _encode(moved, dimensions), best)])
    return found, scores
