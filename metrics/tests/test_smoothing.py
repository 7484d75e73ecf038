"""What the browser draws is computed as the specification says (RUN-27): the script itself, run by Node."""

import json
import math
import subprocess

import pytest

from config.env import ROOT

SCRIPT = """
import { smoothed } from "./assets/ts/charts/smooth.ts";
const read = (value) => ({ NaN: NaN, Infinity: Infinity })[value] ?? value;
const { x, y, how } = JSON.parse(process.argv[1]);
const shown = [...smoothed(x, y.map(read), how)];
console.log(JSON.stringify(shown.map((value) => (Number.isFinite(value) ? value : String(value)))));
"""


def smoothed(y, kind, amount, x=None):
    given = {"x": x or list(range(len(y))), "y": y, "how": {"kind": kind, "amount": amount}}
    command = [".venv/bin/node", "--no-warnings", "--input-type=module-typescript", "-e", SCRIPT]
    found = subprocess.run(
        [*command, json.dumps(given)], cwd=ROOT, capture_output=True, text=True, check=True, timeout=30
    )
    return json.loads(found.stdout)


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
