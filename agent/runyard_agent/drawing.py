"""Draws a view for a terminal: groups, bars, rates, one line per GPU."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from runyard_agent.metrics import title_of
from runyard_agent.views import Shown, View, age_s, by_label, shown
from runyard_agent.words import duration, with_unit

_PER_GPU = ("gpu", "memoryAllocated", "temp", "powerWatts", "smClock")
"""The columns; the rest of what a GPU tells is for charts."""
_HEADINGS = {
    "gpu": "use",
    "memoryAllocated": "memory",
    "temp": "temp",
    "powerWatts": "power",
    "smClock": "clock",
}
_LEFT_OUT = ("GPU of the process", "MIG instance")


def frame(view: View, width: int, note: str = "") -> RenderableType:
    """Return one picture; ``note`` is said below the heading."""
    values = shown(view)
    parts: list[RenderableType] = [
        _cut(Text.assemble((view.title, "bold"), "  ", (view.subtitle, "dim")), width)
    ]
    if note:
        parts.append(_cut(Text(note, style="yellow"), width))
    if not values:
        parts.append(Text("no samples yet", style="dim"))
    for label, ours in by_label(values).items():
        parts += _section(label, ours, view, width)
    return Group(*parts)


def _section(label: str, values: list[Shown], view: View, width: int) -> list[RenderableType]:
    """Return the groups of one host, under its label and the age of its last sample where there are such."""
    age = age_s(values, view.clock)
    heading = "   ".join(filter(None, [label, "" if age is None else f"last sample {duration(age)} ago"]))
    parts: list[RenderableType] = (
        [_cut(Text(f"\n{heading}", style="reverse" if label else "dim"), width)] if heading else []
    )
    groups: dict[str, list[Shown]] = {}
    tags = {each.found.metric.tag for each in values}
    for each in values:
        tag, group = each.found.metric.tag, each.found.metric.group
        is_part = (
            tag.startswith("disk.{device}") and tag.replace(".{device}", "") in tags
        )  # of the sum beside it
        if group in _LEFT_OUT or is_part or (each.is_flow and each.rate is None):
            continue
        groups.setdefault(group, []).append(each)
    for group, rows in groups.items():
        parts.append(Text(f"\n{group}", style="bold"))
        parts.append(_gpus(rows, width) if group == "GPU" else _lines(rows, width))
    return parts


def _lines(rows: Iterable[Shown], width: int) -> Table:
    """One line per metric, with a bar where it is a share."""
    table = Table.grid(padding=(0, 2))
    table.add_column(min_width=20, max_width=max(width - 34, 20), no_wrap=True, overflow="ellipsis")
    table.add_column(justify="right", min_width=11, no_wrap=True)
    table.add_column(no_wrap=True)
    bar_width = max(min(width - 60, 40), 0)
    for each in rows:
        bar = _bar(each.point.value, bar_width) if each.found.metric.unit == "%" else Text("")
        table.add_row(title_of(each.found), _said(each), bar)
    return table


def _gpus(rows: Iterable[Shown], width: int) -> Table:
    """One line per GPU."""
    by_gpu: dict[str, dict[str, Shown]] = {}
    for each in rows:
        by_gpu.setdefault(each.found.places["gpu"], {})[each.found.metric.tag.rpartition(".")[2]] = each
    table = Table.grid(padding=(0, 2))
    columns = [name for name in _PER_GPU if any(name in values for values in by_gpu.values())]
    bar_width = max(min((width - 14 * len(columns) - 6) // 2, 20), 0)
    table.add_row(Text(""), *(Text(_HEADINGS[name], style="dim", justify="right") for name in columns))
    for gpu, values in sorted(by_gpu.items(), key=lambda item: int(item[0])):
        cells = []
        for name in columns:
            if name not in values:
                cells.append(Text("–", justify="right"))
                continue
            text = Text(_said(values[name]), justify="right")
            share = name in ("gpu", "memoryAllocated") and bar_width >= 4
            cells.append(
                Text.assemble(_bar(values[name].point.value, bar_width), " ", text) if share else text
            )
        table.add_row(gpu, *cells)
    return table


def _said(each: Shown) -> str:
    """Return a value as people read it; of a counter that flows, its rate."""
    unit = each.found.metric.unit
    if each.is_flow and each.rate is not None:
        return with_unit(each.rate, f"{unit}/s")
    return with_unit(each.point.value, unit)


def _bar(share: float, width: int) -> Text:
    """Return a bar of a share of 0 to 100; the color only repeats what its length says."""
    filled = round(min(max(share, 0), 100) / 100 * width)
    style = "red" if share >= 90 else "yellow" if share >= 70 else "green"
    return Text.assemble(("█" * filled, style), ("░" * (width - filled), "dim"))


def _cut(text: Text, width: int) -> Text:
    text.truncate(width, overflow="ellipsis")
    return text
