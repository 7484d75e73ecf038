"""The cells of the runs table as HTML: written here, for templates take ten times as long for 2,000 cells."""

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote

from django.utils.formats import number_format
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from common.templatetags.runyard import avatar, color_index, croppable, duration, icon, relative_time
from runs.models import Run
from runs.names.authors import author_of
from runs.names.run_ids import segment_of
from runs.names.sweep_names import SweepName
from runs.secrets.masking import mask
from runs.states import RunState
from runs.table import Cell, Group, GroupNumbers, Row
from runs.table.layout import ShownColumn
from runs.table.run_colors import RunColor, color_class

MAX_SHOWN_TEXT = 300
_LONG = 18
_MOST_TAGS = 12
_EDITED = frozenset({"notes", "tags"})


@dataclass(frozen=True, slots=True)
class DrawnRow:
    """A row and its cells, ready to be put into the page; ``version`` differs when its content does."""

    pk: int
    uid: str
    name: str
    state: str
    index: int
    editable: bool
    html: SafeString
    version: int


@dataclass(frozen=True, slots=True)
class Drawing:
    """What cells need beside their values."""

    columns: Sequence[ShownColumn]
    runs_url: str
    """What run ids are appended to."""
    colors: Mapping[str, RunColor]
    """Colours that the viewer gave runs, by uid."""
    editable: frozenset[int] | set[int]
    """Runs that the viewer may change."""
    sweeps: Mapping[str, SweepName]
    """What the sweeps of runs are called, by ID."""


def draw_rows(drawing: Drawing, rows: Sequence[Row], offset: int) -> Iterator[DrawnRow]:
    """Yield the rows of a page that begins at ``offset``."""
    for index, row in enumerate(rows, offset + 2):  # counted from 1, and the first one is the head
        run = row.run
        html = "".join(_draw_cell(drawing, column, row) for column in drawing.columns)
        label = escape(run.display_name)
        html = (
            f'<td class="pick"><input class="form-check-input" type="checkbox" data-pick aria-label="{label}"></td>'
            f'{html}<td class="rest"></td>'
        )
        yield DrawnRow(
            run.pk, run.uid, run.display_name, run.state, index, run.pk in drawing.editable,
            mark_safe(html), zlib.crc32(html.encode()),  # noqa: S308 - every text in it went through escape
        )  # fmt: skip


def _draw_cell(drawing: Drawing, column: ShownColumn, row: Row) -> str:
    if column.name == "name":
        return _name_cell(drawing, column.css, row.run)
    if column.name == "sweep":
        return _sweep_cell(drawing, column.css, row.run.sweep)
    cell = row.cells[column.name]
    own = _OWN.get(column.name)
    editable = " editable" if column.name in _EDITED else ""
    css = f' class="{column.css}{editable}"' if column.css or editable else ""
    if own is not None:
        kept = _kept(column.name, cell) if row.run.pk in drawing.editable else ""
        return f"<td{css}{kept}>{own(row.run, cell)}</td>"
    if cell.type == "":
        return f"<td{css}></td>"
    text, title = format_value(cell)
    if cell.type == "number" and column.part == "summary":
        text = measured_number(cell.value)
    hover = f' title="{escape(title)}"' if title != text or len(text) > _LONG else ""
    return f"<td{css}{hover}>{escape(text)}</td>"


def _kept(column: str, cell: Cell) -> str:
    """Return what an editor begins with."""
    return f' data-value="{escape(cell.text)}"' if column in _EDITED and cell.text else ""


def _name_cell(drawing: Drawing, css: str, run: Run) -> str:
    name = run.display_name
    color = drawing.colors.get(run.uid, color_index(run.number))
    own = f' data-color="{color}"' if run.uid in drawing.colors else ""
    lock = (
        f'<span class="protected">{icon("lock", _("protected from deletion"))}</span>'
        if run.is_protected
        else ""
    )
    return (
        f'<th scope="row" class="{css}"><span class="run-cell {color_class(color)}"{own}>'
        '<span class="run-swatch"></span>'
        f'<a class="crop" href="{drawing.runs_url}{quote(segment_of(run.uid), safe="")}"'
        f' title="{escape(name)}" aria-label="{escape(name)}">'
        f"{croppable(name)}</a>{lock}</span></th>"
    )


def _sweep_cell(drawing: Drawing, css: str, uid: str) -> str:
    """Draw the name of a sweep as a link; the ID of one that was deleted."""
    known = drawing.sweeps.get(uid)
    inner: str = escape(uid)
    if known is not None:
        inner = f'<a href="{escape(known.url)}" title="{escape(known.name)}">{escape(known.name)}</a>'
    return f'<td class="{css}">{inner}</td>' if css else f"<td>{inner}</td>"


def format_value(cell: Cell) -> tuple[str, str]:
    """Return what a cell shows, and the same in full."""
    value = cell.value
    if cell.type == "number":
        return format_number(value), cell.text
    text = mask(cell.text)
    return text[:MAX_SHOWN_TEXT], text


def format_number(value: float) -> str:
    """Write a number in at most four figures, whole ones in full."""
    size = abs(value)
    if isinstance(value, int) or (size < 1e9 and value == int(value)):
        return str(number_format(int(value), force_grouping=True)) if size < 1e15 else f"{value:.4g}"
    if 1000 <= size < 1e9:
        return str(number_format(round(value), force_grouping=True))
    return f"{value:.4g}"


def measured_number(value: float) -> str:
    """Write a result: with zeros at the end, so that the points of a column stand below each other."""
    size = abs(value)
    if isinstance(value, int) or not 1e-4 <= size < 1000 or (size >= 10 and value == int(value)):
        return format_number(value)
    return f"{value:.4f}" if 0.1 <= size < 10 else f"{value:#.4g}"


def _state(run: Run, _cell: Cell) -> str:
    state, label = run.state, escape(run.state_label)
    return (
        f'<span class="state-pill" data-state="{state}"><span class="state-dot" data-state="{state}"></span>'
        f"<span data-state-text>{label}</span></span>"
    )


def _user(run: Run, cell: Cell) -> str:
    if not cell.text:
        return ""
    name = escape(author_of(run, cell.text))
    picture = avatar(run.user, "sm") if run.user else ""
    return f'<span class="who">{picture}<span class="truncate" title="{name}">{name}</span></span>'


def _tags(_run: Run, cell: Cell) -> str:
    tags: list[str] = cell.value or []
    return "".join(f'<span class="tag">{escape(mask(tag))}</span>' for tag in tags[:_MOST_TAGS])


def _notes(_run: Run, cell: Cell) -> str:
    return escape(" ".join(mask(cell.text)[:MAX_SHOWN_TEXT].split()))


def _runtime(run: Run, cell: Cell) -> str:
    text = escape(duration(cell.value))
    if not run.is_active:
        return text
    return f'<span data-running-since="{run.started_at.isoformat()}">{text}</span>'


def _length(_run: Run, cell: Cell) -> str:
    return escape(duration(cell.value)) if cell.type else ""


def _moment(_run: Run, cell: Cell) -> str:
    return relative_time(cell.value) if isinstance(cell.value, datetime) else ""


_OWN: dict[str, Callable[[Run, Cell], str]] = {
    "state": _state, "user": _user, "tags": _tags, "notes": _notes, "runtime": _runtime, "duration": _length,
    "created": _moment, "started": _moment, "finished": _moment, "heartbeat": _moment, "updated": _moment,
}  # fmt: skip
"""Columns that have a look of their own."""


def draw_group(columns: Sequence[ShownColumn], group: Group) -> SafeString:
    """Return the cells of a group after its name: states, and of each numeric column its spread (RUN-23)."""
    cells = []
    for column in columns[1:]:
        numbers = group.numbers.get(column.name)
        css = f' class="{column.css}"' if column.css else ""
        inner: Any = ""
        if column.name == "state":
            inner = _group_states(group)
        elif numbers is not None and numbers.count:
            inner = _group_numbers(column, numbers)
        cells.append(f"<td{css}>{inner}</td>")
    return mark_safe("".join(cells) + '<td class="rest"></td>')  # noqa: S308 - every text in it went through escape


def _group_states(group: Group) -> str:
    """Draw how many runs are in which state as one bar; it says the numbers on hover."""
    known = [(state, group.states[state]) for state in RunState.values if group.states.get(state)]
    label = ", ".join(f"{RunState(state).label} {count}" for state, count in known)
    parts, begin = [], 0.0
    for state, count in known:
        width = _STATES_WIDE * count / group.count
        parts.append(
            f'<rect data-state="{escape(state)}" x="{begin:.2f}" width="{max(1.0, width - 1):.2f}" height="8"/>'
        )
        begin += width
    return (
        f'<svg class="states" viewBox="0 0 {_STATES_WIDE} 8" role="img" aria-label="{escape(label)}">'
        f"<title>{escape(label)}</title>{''.join(parts)}</svg>"
    )


def _group_numbers(column: ShownColumn, numbers: GroupNumbers) -> str:
    show: Callable[[float], str] = _rough_length if column.name in {"runtime", "duration"} else _rough
    mean, low, high = show(numbers.mean), show(numbers.min), show(numbers.max)
    spread = f"{low} – {high}" if low != high else ""
    title = _("mean %(mean)r, min %(low)r, max %(high)r, std %(std)r") % {
        "mean": numbers.mean, "low": numbers.min, "high": numbers.max, "std": numbers.std,
    }  # fmt: skip
    return (
        f'<span class="group-numbers">{_bars(numbers, show)}<span title="{escape(title)}">{escape(mean)}'
        f"<small>{escape(spread)}</small></span></span>"
    )


def _rough(value: float) -> str:
    return format_number(float(f"{value:.4g}"))


def _rough_length(seconds: float) -> str:
    """Say a length of time in its two largest units."""
    return " ".join(duration(seconds).split()[:2])


_WIDE, _HIGH, _STATES_WIDE = 56, 26, 80


def _bars(numbers: GroupNumbers, show: Callable[[float], str]) -> str:
    """Draw the histogram; a bin says its borders and its count on hover."""
    if len(numbers.bins) < 2:
        return ""
    width = _WIDE / len(numbers.bins)
    most = max(count for _from, _to, count in numbers.bins)
    bars = []
    for number, (begin, end, count) in enumerate(numbers.bins):
        height = max(1.5, _HIGH * count / most) if count else 0
        x, inner = f"{number * width:.2f}", f"{max(0.8, width - 0.8):.2f}"
        label = escape(f"{show(begin)} – {show(end)}: {count}")
        bars.append(
            f'<g><title>{label}</title><rect class="hit" x="{x}" y="0" width="{width:.2f}" height="{_HIGH}"/>'
            f'<rect x="{x}" y="{_HIGH - height:.2f}" width="{inner}" height="{height:.2f}"/></g>'
        )
    counts = escape(", ".join(str(count) for _from, _to, count in numbers.bins))
    return (
        f'<svg class="bars" viewBox="0 0 {_WIDE} {_HIGH}" preserveAspectRatio="none" role="img" aria-label="{counts}">'
        f"{''.join(bars)}</svg>"
    )
