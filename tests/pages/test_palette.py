"""The colors of runs are told apart by every eye, on both themes (UI-5)."""

import re
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest

from config.env import ROOT

TOKENS = (ROOT / "assets" / "css" / "tokens.css").read_text(encoding="utf-8")
COLORS = 8
LEAST_CONTRAST = 3.0
LEAST_DISTANCE = 0.09
"""In OKLab; about 0.02 is the least that an eye sees."""

# Machado, Oliveira and Fernandes 2009, severity 1; on linear RGB.
EYES = {
    "normal": np.eye(3),
    "protan": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deutan": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritan": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
# Ottosson 2020, https://bottosson.github.io/posts/oklab/
_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def linear(color: str) -> np.ndarray:
    """Return a color as linear RGB, each from 0 to 1."""
    digits = color.removeprefix("#")
    whole = "".join(2 * one for one in digits) if len(digits) == 3 else digits
    parts = np.array([int(whole[at : at + 2], 16) for at in (0, 2, 4)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def oklab(rgb: np.ndarray) -> np.ndarray:
    lab: np.ndarray = _LAB @ np.cbrt(_LMS @ np.clip(rgb, 0, 1))
    return lab


def tokens(theme: str) -> dict[str, str]:
    """Return the colors of a theme by name."""
    light, dark = TOKENS.split(':root[data-bs-theme="dark"] {', 1)
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]+);", light if theme == "light" else dark))


def pairs(theme: str) -> Iterator[tuple[str, str]]:
    named = tokens(theme)
    return combinations([named[f"run-{n}"] for n in range(COLORS)], 2)


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_two_colors_of_runs_look_alike(theme: str, eye: str):
    distances = {
        (one, other): float(np.linalg.norm(oklab(EYES[eye] @ linear(one)) - oklab(EYES[eye] @ linear(other))))
        for one, other in pairs(theme)
    }
    assert len(distances) == COLORS * (COLORS - 1) / 2
    closest = min(distances, key=distances.__getitem__)
    assert distances[closest] >= LEAST_DISTANCE, closest


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colors_stand_out_from_the_surface(theme: str):
    named = tokens(theme)
    light = np.array([0.2126, 0.7152, 0.0722])
    ground = float(light @ linear(named["surface"]))
    marks = [name for name in named if re.fullmatch(r"run-\d|state-\w+|border-control", name)]
    assert len(marks) == COLORS + 7
    for name in marks:
        own = float(light @ linear(named[name]))
        assert (max(own, ground) + 0.05) / (min(own, ground) + 0.05) >= LEAST_CONTRAST, name
