"""What `bayes` finds in 30 trials, beside random search and wandb's own optimiser.

With wandb's package in its environment this file is a program of its own: that package is called `sweeps` as ours is,
so the two cannot meet in one process, and only the standard library is imported above.
"""

import importlib
import json
import math
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TRIALS, SEEDS = 30, 20
WITHIN_S = 600
Point = Sequence[float]
Kind = tuple[int | None, int | None]
"""Choices and steps of a dimension, as `sweeps.space.dimension.Dimension` has them."""
NUMBER: Kind = (None, None)
Losses = list[float]
"""Of one search, in order."""

_WEIGHTS = (1.0, 1.2, 3.0, 3.2)
_WIDTHS = (
    (10, 3, 17, 3.5, 1.7, 8),
    (0.05, 10, 17, 0.1, 8, 14),
    (3, 3.5, 1.7, 10, 17, 8),
    (17, 8, 0.05, 10, 0.1, 14),
)
_CENTRES = (
    (0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886),
    (0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991),
    (0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650),
    (0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381),
)


def branin(point: Point) -> float:
    """Return Branin's function of two numbers; the least is 0.3979, in three places."""
    x, y = 15 * point[0] - 5, 15 * point[1]
    valley = y - 5.1 * x * x / (4 * math.pi**2) + 5 * x / math.pi - 6
    return valley**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10


def hartmann(point: Point) -> float:
    """Return Hartmann's function of six numbers; the least is -3.3224."""
    hills = (
        sum(
            width * (value - centre) ** 2 for width, value, centre in zip(widths, point, centres, strict=True)
        )
        for widths, centres in zip(_WIDTHS, _CENTRES, strict=True)
    )
    return -sum(weight * math.exp(-hill) for weight, hill in zip(_WEIGHTS, hills, strict=True))


def training(point: Point) -> float:
    """Return a made-up loss of a training, at best about 0.19.

    Of a learning rate (1e-5 to 1, by its logarithm), dropout, layers (1 to 8), an optimiser and an activation; the best
    rate depends on the optimiser and on the layers, and too high a rate costs more than too low a one.
    """
    rate, dropout, layers = 5 * point[0] - 5, 0.8 * point[1], 1 + min(7, int(8 * point[2]))
    optimizer, activation = int(point[3]), int(point[4])
    off = rate - (-1.0, -2.0, -3.0)[optimizer] + 0.1 * (layers - 4)
    missed: float = 1 - math.exp(-off * off * (0.8 if off > 0 else 0.3))
    size = 0.02 * math.pow(abs(layers - 5), 1.5) + 0.5 * (dropout - 0.05 - 0.03 * layers) ** 2
    return (0.30, 0.22, 0.20)[optimizer] + 2 * missed + size + (0.0, -0.01, 0.04)[activation]


@dataclass(frozen=True)
class Surface:
    """A function and what it takes."""

    loss: Callable[[Point], float]
    kinds: tuple[Kind, ...]


SURFACES = {
    "Branin, 2 numbers": Surface(branin, (NUMBER,) * 2),
    "Hartmann, 6 numbers": Surface(hartmann, (NUMBER,) * 6),
    "training, 3 numbers and 2 choices": Surface(training, (NUMBER, NUMBER, (None, 8), (3, None), (3, None))),
}


def run(home: Path) -> None:
    """Print the table."""
    searches: dict[str, list[list[Losses]]] = {}
    for name, search in (("Runyard", _ours), ("random", _random)):
        begin = time.perf_counter()
        searches[name] = _all(search)
        spent_s = time.perf_counter() - begin
        print(f"{name}: {spent_s / len(SURFACES) / SEEDS / TRIALS * 1e3:.1f} ms a trial")
    try:
        searches["wandb's"] = _beside(home)
    except (RuntimeError, subprocess.SubprocessError) as error:
        print(f"wandb's package is left out: {error}")
    print(f"\nThe least loss of {TRIALS} trials, median of {SEEDS} seeds (worst seed):\n")
    print(f"| | {' | '.join(searches)} |\n|---|{'--:|' * len(searches)}")
    for index, surface in enumerate(SURFACES):
        print(f"| {surface} | {' | '.join(_cell(found[index]) for found in searches.values())} |")


def _cell(runs: list[Losses]) -> str:
    best = [min(losses) for losses in runs]
    return f"{statistics.median(best):.3f} ({max(best):.3f})"


def _all(search: Callable[[Surface, int], Losses]) -> list[list[Losses]]:
    return [[search(surface, seed) for seed in range(SEEDS)] for surface in SURFACES.values()]


def _ours(surface: Surface, seed: int) -> Losses:
    from sweeps.search.optimizer import propose
    from sweeps.space.dimension import Dimension

    dimensions = [Dimension(*kind) for kind in surface.kinds]
    observed: list[tuple[tuple[float, ...], float]] = []
    for trial in range(TRIALS):
        point = propose(dimensions, observed, [], seed=seed * TRIALS + trial)
        observed.append((point, surface.loss(point)))
    return [loss for _, loss in observed]


def _random(surface: Surface, seed: int) -> Losses:
    rng = random.Random(seed)  # noqa: S311 - nothing secret

    def value(choices: int | None, steps: int | None) -> float:
        if choices is not None:
            return float(rng.randrange(choices))
        return rng.random() if steps is None else (rng.randrange(steps) + 0.5) / steps

    return [surface.loss([value(*kind) for kind in surface.kinds]) for _ in range(TRIALS)]


def _beside(home: Path) -> list[list[Losses]]:
    """Let wandb's package search in a process of its own environment.

    Raises:
        RuntimeError: it cannot be installed, or failed.
    """
    from bench.peers.servers import python_of

    # -P keeps this folder off the path, where `sweeps` would be this file.
    argv = [str(python_of("sweeps")), "-P", str(Path(__file__).resolve())]
    done = subprocess.run(argv, cwd=home, capture_output=True, text=True, check=False, timeout=WITHIN_S)
    if done.returncode:
        raise RuntimeError(done.stderr[-1500:])
    searches: list[list[Losses]] = json.loads(done.stdout)
    return searches


def _theirs(surface: Surface, seed: int) -> Losses:
    """Search with wandb's package; it draws from NumPy's global state."""
    import numpy as np

    package: Any = importlib.import_module("sweeps")
    np.random.seed(seed)  # theirs draws from it
    config = {
        "method": "bayes",
        "metric": {"name": "loss", "goal": "minimize"},
        "parameters": {str(index): _parameter(*kind) for index, kind in enumerate(surface.kinds)},
    }
    runs: list[Any] = []
    losses: Losses = []
    for trial in range(TRIALS):
        proposed = package.next_run(config, runs).config
        losses.append(
            surface.loss([_position(proposed[str(i)]["value"], *k) for i, k in enumerate(surface.kinds)])
        )
        summary = {"loss": losses[-1]}
        runs.append(
            package.SweepRun(
                name=str(trial), state="finished", config=proposed, summaryMetrics=summary, history=[summary]
            )
        )
    return losses


def _parameter(choices: int | None, steps: int | None) -> dict[str, Any]:
    if choices is not None:
        return {"values": [str(choice) for choice in range(choices)]}
    if steps is not None:
        return {
            "distribution": "int_uniform",
            "min": 1,
            "max": steps,
        }  # from 1: it takes 0 for a missing value
    return {"distribution": "uniform", "min": 0.0, "max": 1.0}


def _position(value: Any, choices: int | None, steps: int | None) -> float:
    return float(value) if choices is not None or steps is None else (value - 0.5) / steps


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_all(_theirs)))
