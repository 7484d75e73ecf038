"""What the browser draws is computed as the specification says (RUN-27): the script itself, run by Node."""

import math

import numpy as np
import pytest

from metrics.series.smoothing import Smoothing
from metrics.series.smoothing import smoothed as on_server
from metrics.tests.typescript import run_typescript

SCRIPT = """
import { smoothed } from "./assets/ts/charts/smooth.ts";
const read = (value) => ({ NaN: NaN, Infinity: Infinity })[value] ?? value;
const { x, y, how } = JSON.parse(process.argv[1]);
const shown = [...smoothed(x, y.map(read), how)];
console.log(JSON.stringify(shown.map((value) => (Number.isFinite(value) ? value : String(value)))));
"""


def smoothed(y, kind, amount, x=None):
    given = {"x": x or list(range(len(y))), "y": y, "how": {"kind": kind, "amount": amount}}
    return run_typescript(SCRIPT, given)


def ema(values, weight):
    """TensorBoard's, as RUN-27 writes it; non-finite points are skipped."""
    moving, count, shown = 0.0, 0, []
    for value in values:
        if isinstance(value, str):
            shown.append(value)
            continue
        moving = weight * moving + (1 - weight) * value
        count += 1
        shown.append(moving / (1 - weight**count))
    return shown


def test_the_moving_average_is_tensorboards():
    """RUN-27: debiased, and points that are not finite are skipped."""
    values = [3.0, 1.0, "NaN", 4.0, "Infinity", 1.0, 5.0, 9.0]
    shown = smoothed(values, "ema", 0.6)
    assert shown == [value if isinstance(value, str) else pytest.approx(value) for value in ema(values, 0.6)]


@pytest.mark.parametrize(
    ("kind", "amount"), [("ema", 0.9), ("time", 0.9), ("gaussian", 3), ("average", 7), ("none", 5)]
)
def test_a_constant_line_stays(kind, amount):
    assert smoothed([2.5] * 30, kind, amount) == pytest.approx([2.5] * 30)


def test_the_running_average_is_of_the_points_on_both_sides():
    assert smoothed([0.0, 0.0, 3.0, 0.0, 0.0], "average", 3) == pytest.approx([0, 1, 1, 1, 0])


def test_the_gaussian_weighs_near_points_more():
    near, peak = math.exp(-0.5), 1.0
    shown = smoothed([0.0] * 6 + [1.0] + [0.0] * 6, "gaussian", 1)
    weights = sum(math.exp(-(at**2) / 2) for at in range(-3, 4))
    assert (shown[6], shown[5], shown[2]) == pytest.approx((peak / weights, near / weights, 0))


def test_the_time_weighted_average_forgets_over_distance():
    close = smoothed([0.0, 1.0, 1.0], "time", 0.99, x=[0, 1, 1000])
    far = smoothed([0.0, 1.0, 1.0], "time", 0.99, x=[0, 999, 1000])
    assert close[1] < far[1]


@pytest.mark.parametrize(
    "how",
    ["ema:0.6", "ema:0.0001", "ema:0.999", "time:0.9", "time:0.2", "gaussian:2.5", "average:7", "average:1"],
)
def test_the_server_smooths_as_the_browser_does(how):
    """RUN-27: one formula, wherever it is computed; over stretches longer than a number's range, too."""
    source = np.random.default_rng(7)
    y = source.normal(size=3000).cumsum()
    x = np.cumsum(source.integers(0, 4, size=3000)).astype(float)
    y[[5, 700]] = np.nan
    y[9] = np.inf
    words = {"nan": "NaN", "inf": "Infinity"}
    given = [words.get(str(value), value) for value in y]
    kind, amount = how.split(":")
    shown = smoothed(given, kind, float(amount), x.tolist())
    own = on_server(x, y, Smoothing(kind, float(amount)))
    assert np.isnan(own[5])
    assert own[9] == np.inf
    assert [value for value in shown if not isinstance(value, str)] == pytest.approx(
        own[np.isfinite(own)].tolist(), rel=1e-9, abs=1e-9
    )
