"""The colors that a person gave runs, as the workspace keeps them: a place in the palette, or a color of their own."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

RunColor = int | str
LOOKS = 40
"""Eight hues, each solid and dashed in four ways; see ``assets/ts/charts/palette.ts``."""
HUES = 8
_CUSTOM = re.compile(r"#[0-9a-f]{6}")


@dataclass(frozen=True, slots=True)
class RunColors:
    """What a working state says of colors."""

    picked: Mapping[str, RunColor] = field(default_factory=dict)
    """By the id of a run."""
    by: str = ""
    """The column that colors runs; "" where each has its own color."""


def run_colors(working: Mapping[str, Any]) -> RunColors:
    """Read the colors of a working state; what makes no sense is left out."""
    selector = working.get("selector")
    if not isinstance(selector, dict):
        return RunColors()
    colors, by = selector.get("colors"), selector.get("colorBy")
    known = colors.items() if isinstance(colors, dict) else ()
    return RunColors(
        picked={uid: color for uid, color in known if _is_color(color)},
        by=by if isinstance(by, str) else "",
    )


def _is_color(color: Any) -> bool:
    if isinstance(color, str):
        return _CUSTOM.fullmatch(color) is not None
    return isinstance(color, int) and not isinstance(color, bool) and 0 <= color < LOOKS


def color_class(color: RunColor) -> str:
    """Return the classes of what is in a run's color; a custom color is a script's to paint."""
    if isinstance(color, str):
        return ""
    return f"run-color-{color % HUES}" + (" is-dashed" if color >= HUES else "")
