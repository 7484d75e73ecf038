"""Charts of the results as SVG, in colours for light and dark; `python -m bench.load.plot` draws them again."""

import json
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.load.measure import is_client_saturated

Point = tuple[float, float]

WIDTH, PANEL, LEFT, RIGHT, TOP, BOTTOM = 760, 210, 64, 110, 34, 34
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #444 } .title { font-weight: 600; fill: #111 }
.back { fill: #fff } .grid { stroke: #ddd } .bar { stroke: #b42318; stroke-dasharray: 5 4 }
.line { fill: none; stroke-width: 2 } .hollow { fill: #fff; stroke-width: 2 }
.s0 { stroke: #1d6fd1 } .s1 { stroke: #c2570c } .s2 { stroke: #6b7280 } .s3 { stroke: #157f4b }
.n0 { fill: #1d6fd1 } .n1 { fill: #c2570c } .n2 { fill: #6b7280 } .n3 { fill: #157f4b }
@media (prefers-color-scheme: dark) {
  text { fill: #bbb } .title { fill: #eee } .back, .hollow { fill: #16181d }
  .grid { stroke: #333840 } .bar { stroke: #f97066 }
  .s0 { stroke: #6cb0ff } .s1 { stroke: #ff9d57 } .s2 { stroke: #9ca3af } .s3 { stroke: #5cc98f }
  .n0 { fill: #6cb0ff } .n1 { fill: #ff9d57 } .n2 { fill: #9ca3af } .n3 { fill: #5cc98f }
}
"""


@dataclass(frozen=True)
class Panel:
    """One chart: named lines over the same x."""

    title: str
    lines: dict[str, list[Point]]
    is_log: bool = False
    is_log_x: bool = False
    bar: float | None = None
    """A horizontal limit."""
    doubtful: frozenset[Point] = frozenset()
    """Points of lines that are drawn hollow."""


def _ticks(low: float, high: float, *, is_log: bool) -> list[float]:
    if is_log:
        return [10.0**power for power in range(round(math.log10(low)), round(math.log10(high)) + 1)]
    step = 10 ** math.floor(math.log10(max(high, 1e-9)))
    step = next(part for part in (step / 5, step / 2, step, step * 2) if high / part <= 6)
    return [step * number for number in range(math.ceil(high / step) + 1)]


def _label(value: float) -> str:
    return f"{value:,.10g}"


class _Scale:
    """From values to places of one panel."""

    def __init__(self, panel: Panel, xs: Sequence[float], top: float) -> None:
        values = [y for line in panel.lines.values() for _, y in line] + ([panel.bar] if panel.bar else [])
        self._is_log = panel.is_log
        low = 10.0 ** math.floor(math.log10(max(1e-3, min(values)))) if panel.is_log else 0.0
        high = 10.0 ** math.ceil(math.log10(max(values))) if panel.is_log else max(values)
        self.ticks = _ticks(low, high or 1.0, is_log=panel.is_log)
        self._low, self._high = self._of(self.ticks[0]), self._of(self.ticks[-1])
        self._is_log_x = panel.is_log_x
        self._x0, self._x1 = (self._of_x(min(xs) if panel.is_log_x else 0.0), self._of_x(max(xs)))
        self._top, self._bottom = top + TOP, top + PANEL - BOTTOM

    def _of(self, value: float) -> float:
        return math.log10(max(value, 1e-3)) if self._is_log else value

    def _of_x(self, value: float) -> float:
        return math.log10(value) if self._is_log_x else value

    def x(self, value: float) -> float:
        return LEFT + (self._of_x(value) - self._x0) / (self._x1 - self._x0) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        share = (self._of(value) - self._low) / (self._high - self._low)
        return self._bottom - share * (self._bottom - self._top)


def _panel(panel: Panel, x_label: str, top: float) -> list[str]:
    xs = [x for line in panel.lines.values() for x, _ in line]
    scale = _Scale(panel, xs, top)
    end, bottom = WIDTH - RIGHT, top + PANEL - BOTTOM
    out = [f'<text class="title" x="{LEFT}" y="{top + 20}">{panel.title}</text>']
    for tick in scale.ticks:
        y = scale.y(tick)
        out.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{end}"/>')
        out.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{_label(tick)}</text>')
    ticks = _ticks(min(xs), max(xs), is_log=True) if panel.is_log_x else _ticks(0, max(xs), is_log=False)
    places = [tick for tick in ticks if tick <= max(xs)]
    below = f'y="{bottom + 18}" text-anchor="middle"'
    out += [f'<text x="{scale.x(tick):.1f}" {below}>{_label(tick)}</text>' for tick in places]
    out.append(f'<text x="{end + 42}" y="{bottom + 18}">{x_label}</text>')
    if panel.bar:
        out.append(f'<path class="bar" d="M{LEFT} {scale.y(panel.bar):.1f}H{end}"/>')
    for number, line in enumerate(panel.lines.values()):
        path = " ".join(f"{scale.x(x):.1f},{scale.y(y):.1f}" for x, y in line)
        out.append(f'<polyline class="line s{number}" points="{path}"/>')
        hollow = [(scale.x(x), scale.y(y)) for x, y in line if (x, y) in panel.doubtful]
        out += [f'<circle class="hollow s{number}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>' for x, y in hollow]
    return out + _names(panel, scale, end + 10)


def _names(panel: Panel, scale: _Scale, x: float) -> list[str]:
    """Return the names of lines beside their ends, from the lowest up, none over another."""
    ends = [(scale.y(line[-1][1]), number, name) for number, (name, line) in enumerate(panel.lines.items())]
    out, above = [], math.inf
    for y, number, name in sorted(ends, reverse=True):
        above = min(y + 4, above - 14)
        out.append(f'<text class="n{number}" x="{x}" y="{above:.1f}">{name}</text>')
    return out


def svg(panels: Sequence[Panel], x_label: str, about: str) -> str:
    """Return an SVG of panels below each other."""
    height = PANEL * len(panels) + 8
    parts = [line for number, panel in enumerate(panels) for line in _panel(panel, x_label, number * PANEL)]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" role="img">',
            f"<title>{about}</title><style>{STYLE}</style>",
            f'<rect class="back" width="{WIDTH}" height="{height}" rx="8"/>',
            *parts,
            "</svg>\n",
        ]
    )


def ramp_svg(ramps: dict[str, Sequence[dict[str, Any]]]) -> str:
    """Draw latency and CPU by the number of runs, a line for each number of web processes."""

    def lines(of: Any) -> dict[str, list[Point]]:
        return {name: [(row["runs"], of(row)) for row in rows] for name, rows in ramps.items()}

    def latency(row: dict[str, Any]) -> float:
        return float(row["p99_ms"])

    def core(row: dict[str, Any], name: str) -> float:
        return float(row["cpu_s"][name] / row["seconds"] / row["runs"] * 100 * 100)

    doubtful = frozenset(
        (row["runs"], latency(row)) for rows in ramps.values() for row in rows if is_client_saturated(row)
    )
    title = "p99 of a post, ms (dashed: 1 s; hollow: the simulated runs lack a processor)"
    database = lines(lambda row: core(row, "database"))
    apart = {name: line for name, line in database.items() if not name.startswith("SQLite")}
    panels = [
        Panel(title, lines(latency), is_log=True, bar=1000, doubtful=doubtful),
        Panel("CPU of web for 100 runs, % of one core", lines(lambda row: core(row, "web"))),
    ]
    if apart:  # SQLite's is in that of web
        panels.append(Panel("CPU of PostgreSQL for 100 runs, % of one core", apart))
    return svg(
        panels,
        "runs",
        "Latency and CPU per run by the number of running runs and of web processes",
    )


def steady_svg(rows: Sequence[dict[str, Any]]) -> str:
    """Draw latency, CPU and memory over time."""

    def line(of: Any) -> list[Point]:
        return [(row["at_s"] / 60, of(row)) for row in rows]

    def each(names: Sequence[str], of: Any) -> dict[str, list[Point]]:
        return {name: line(lambda row, name=name: of(row, name)) for name in names}

    latency = each(("max", "p99", "p50"), lambda row, name: row[f"{name}_ms"])
    cpu = each(("web", "worker", "others"), lambda row, name: row["cpu_s"][name] / row["seconds"] * 100)
    memory = each(("web", "worker"), lambda row, name: row["rss_bytes"][name] / 1e6)
    return svg(
        [
            Panel("Acknowledgement of a post, ms (dashed: 1 s)", latency, is_log=True, bar=1000),
            Panel("CPU, % of one core (others: whatever else the machine did)", cpu),
            Panel("Resident memory, MB", memory),
        ],
        "minutes",
        f"{rows[0]['runs']} running runs: latency, CPU and memory over time",
    )


def draw(results: dict[str, Any], folder: Path) -> None:
    """Write the charts of what there is."""
    if "steady" in results:
        (folder / "load-steady.svg").write_text(steady_svg(results["steady"]["rows"]))
    ramps = {
        " ".join(name.split("-")[1:]): results[name]["rows"] for name in results if name.startswith("ramp-")
    }
    if ramps:
        (folder / "load-ramp.svg").write_text(ramp_svg(dict(sorted(ramps.items()))))


if __name__ == "__main__":
    draw(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]))
