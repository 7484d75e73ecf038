"""Cost by size, both in powers of ten, as SVG."""

from typing import Any

from bench.load.plot import Panel, svg

AT_ONCE = 3
"""Lines of one panel, for which there are colours."""


def drawn(part: str, rows: list[dict[str, Any]]) -> str:
    """Return a chart of panels of a few lines each."""
    names = [name for name in rows[0]["figures"] if not name.startswith(("log ", "begin "))]
    panels = [
        Panel(
            f"{', '.join(some).capitalize()} (ms)",
            {name: [(row["size"], row["figures"][name]) for row in rows] for name in some},
            is_log=True, is_log_x=True,
        )
        for some in (names[at : at + AT_ONCE] for at in range(0, len(names), AT_ONCE))
    ]  # fmt: skip
    return svg(panels, part, f"Milliseconds of pages by the number of {part}")
