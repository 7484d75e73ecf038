"""How a person has set up the runs table: state and columns, read from an address or a saved view (RUN-21).

What is read here was written by a browser, or by an older version of its scripts: what makes no sense is left out.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from django.http import QueryDict

from common.errors import Invalid
from runs.config.metric_names import COUNTER_RANK, goal_by_name, rank_of
from runs.query.column_names import named_column
from runs.query.ordering import read_page_order
from runs.table import ColumnInfo, Row, TableQuery
from runs.table.query import DEFAULT_ORDER

CROPS = ("middle", "start", "end")
MOST_SHOWN = 150
_WIDTHS = {"number": 104, "text": 136, "boolean": 88, "time": 124, "tags": 168, "mixed": 120}
_WIDTHS_OF = {"name": 264, "state": 112, "notes": 220, "user": 132, "runtime": 108, "duration": 108}
_WITH_HISTOGRAM = 156
_NARROWEST, _WIDEST = 56, 900

_ALWAYS = ("state",)
_THEN = ("runtime", "created", "user")
_WHEN_FILLED = ("tags", "notes")
_WHEN_VARIED = ("group", "job_type", "host", "sweep")
_CONFIG_SHOWN, _SUMMARY_SHOWN = 8, 8
_CONFIG_TRIED, _SUMMARY_TRIED = 48, 24


@dataclass(frozen=True, slots=True)
class Layout:
    """Which columns are shown; ``order`` has all of them, pinned ones first, or is empty: nobody has chosen."""

    pinned: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    widths: Mapping[str, int] | None = None
    bars: tuple[str, ...] = ()
    """Numeric columns that draw a bar behind each value."""


@dataclass(frozen=True, slots=True)
class TableState:
    """What a saved view keeps of the table."""

    query: TableQuery = field(default_factory=TableQuery)
    layout: Layout = Layout()
    crop: str = CROPS[0]

    def as_json(self) -> dict[str, Any]:
        """Return what the table's script reads."""
        query = self.query
        return {
            "filter": query.filter,
            "search": query.search,
            "order": query.order,
            "group": list(query.group),
            "columns": asdict(self.layout) | {"widths": dict(self.layout.widths or {})},
            "crop": self.crop,
        }


@dataclass(frozen=True, slots=True)
class ShownColumn:
    """A column of the table as its head shows it; ``place`` is its rank in an order of several, else 0."""

    name: str
    label: str
    part: str
    type: str
    width: int
    css: str = ""
    sort: str = ""
    place: int = 0
    goal: str = ""


def read_layout(raw: Any) -> Layout:
    """Read a layout from JSON."""
    if not isinstance(raw, dict):
        return Layout()
    pinned, order = _names(raw.get("pinned")), _names(raw.get("order"))
    shown = tuple(name for name in (*pinned, *order) if name != "name")
    widths = raw.get("widths")
    return Layout(
        pinned=tuple(name for name in pinned if name in shown),
        hidden=_names(raw.get("hidden")),
        order=tuple(dict.fromkeys(shown))[:MOST_SHOWN],
        widths=_read_widths(widths) if isinstance(widths, dict) else {},
        bars=_names(raw.get("bars")),
    )


def _read_widths(raw: Mapping[str, Any]) -> dict[str, int]:
    return {
        name: min(_WIDEST, max(_NARROWEST, int(width)))
        for name, width in list(raw.items())[:500]
        if isinstance(width, int | float) and width == width  # noqa: PLR0124 - NaN
    }


def _names(raw: Any) -> tuple[str, ...]:
    found = []
    for name in raw if isinstance(raw, list) else ():
        try:
            found.append(named_column(str(name)).name)
        except Invalid:
            continue
    return tuple(dict.fromkeys(found))


def read_state(spec: Any) -> TableState:
    """Read the part ``runs`` of a saved view."""
    if not isinstance(spec, dict):
        return TableState()
    query = TableQuery(
        filter=str(spec.get("filter") or ""),
        search=str(spec.get("search") or ""),
        order=str(spec.get("order") or DEFAULT_ORDER),
        group=_names(spec.get("group")),
    )
    return TableState(
        query=query,
        layout=read_layout(spec.get("columns")),
        crop=crop if (crop := spec.get("crop")) in CROPS else CROPS[0],
    )


def with_address(state: TableState, given: QueryDict) -> TableState:
    """Return the state that an address asks for; one that names nothing leaves it as it was.

    Raises:
        Invalid: a part of the address cannot be read.
    """
    if not given.keys() & {"filter", "search", "order", "group", "columns"}:
        return state
    query = TableQuery.of(given)
    layout = state.layout
    if query.columns:
        order = tuple(name for name in query.columns if name != "name")
        layout = replace(layout, order=order, pinned=tuple(one for one in layout.pinned if one in order))
    return replace(state, query=replace(query, columns=()), layout=layout)


def tried_columns(catalogue: Iterable[ColumnInfo]) -> tuple[str, ...]:
    """Return the columns among which `default_columns` chooses."""
    parts: dict[str, list[ColumnInfo]] = {"field": [], "config": [], "summary": []}
    for column in catalogue:
        if not column.label.startswith("_"):
            parts[column.part].append(column)
    summary = sorted(parts["summary"], key=lambda one: rank_of(one.label))
    keys = [one.name for one in (*parts["config"][:_CONFIG_TRIED], *summary[:_SUMMARY_TRIED])]
    return (*_ALWAYS, *_THEN, *_WHEN_FILLED, *_WHEN_VARIED, *keys)[:MOST_SHOWN]


def default_columns(catalogue: Sequence[ColumnInfo], rows: Sequence[Row], layout: Layout) -> tuple[str, ...]:
    """Choose the columns of a project that nobody has set up, from the rows that will be shown.

    Results come first, then the configuration that differs and what else tells runs apart.
    """
    values = {name: [row.cells[name].text for row in rows] for name in tried_columns(catalogue)}

    def is_varied(name: str) -> bool:
        return len(set(values[name])) > 1

    def is_filled(name: str) -> bool:
        return any(values[name])

    by_part = {
        part: [one for one in catalogue if one.part == part and one.name in values]
        for part in ("config", "summary")
    }
    config = [one.name for one in by_part["config"]]
    config = list(filter(is_varied, config)) or config
    metrics, counters = _results(by_part["summary"], values)
    found = [
        *_ALWAYS, *metrics, *config[:_CONFIG_SHOWN], *_THEN, *filter(is_filled, _WHEN_FILLED),
        *filter(is_varied, _WHEN_VARIED), *counters,
    ]  # fmt: skip
    return tuple(name for name in found if name not in layout.hidden)


def _results(
    columns: Sequence[ColumnInfo], values: Mapping[str, Sequence[str]]
) -> tuple[list[str], list[str]]:
    """Return the metrics that most rows have, those first that matter most, and apart from them the counters."""
    filled = Counter({one: sum(map(bool, values[one.name])) for one in columns})
    ranks = {one: rank_of(one.label) for one in columns}
    often = [one for one, count in filled.most_common() if count]
    often.sort(key=lambda one: ranks[one] == COUNTER_RANK)
    shown = sorted(often[:_SUMMARY_SHOWN], key=lambda one: (ranks[one], columns.index(one)))
    metrics = [one.name for one in shown if ranks[one] != COUNTER_RANK]
    return metrics, [one.name for one in shown if ranks[one] == COUNTER_RANK]


def shown_columns(
    catalogue: Iterable[ColumnInfo],
    names: Sequence[str],
    layout: Layout,
    order: str = "",
    *,
    grouped: bool = False,
) -> list[ShownColumn]:
    """Return the heads of the columns ``names``, the run's name before them; ``grouped`` ones hold histograms."""
    known = {column.name: column for column in catalogue}
    parts = read_page_order(order) if order else []
    sorts = {one.name: (number, falling) for number, (one, falling) in enumerate(parts, 1)}
    found = []
    for name in ("name", *names):
        info = known.get(name) or _unknown(name)
        place, falling = sorts.get(name, (0, False))
        found.append(
            ShownColumn(
                name=name,
                label=info.label,
                part=info.part,
                type=info.type,
                width=(layout.widths or {}).get(name) or _width_of(info, grouped=grouped),
                css=_css_of(info, layout),
                sort="" if not place else "descending" if falling else "ascending",
                place=place if len(parts) > 1 else 0,
                goal=_goal_of(info),
            )
        )
    return found


def _goal_of(info: ColumnInfo) -> str:
    """Return which direction is better, as scripts said, else as the name of a metric tells."""
    is_metric = info.part == "summary" and info.type in {"number", "mixed"}
    return info.goal or (goal_by_name(info.label) if is_metric else "")


def _unknown(name: str) -> ColumnInfo:
    """Return the column of a key that no run has any more, or not yet."""
    part, _dot, key = name.partition(".")
    return ColumnInfo(name, key.strip("`") or part, part if key else "field", "mixed")


def _width_of(info: ColumnInfo, *, grouped: bool) -> int:
    """Return a width in which most values and the label fit, pixels."""
    base = _WIDTHS_OF.get(info.name) or _WIDTHS[info.type]
    if grouped and info.type in {"number", "mixed"}:
        base = _WITH_HISTOGRAM
    label = 44 + 7 * len(info.label) + (16 if info.part != "field" else 0)
    return max(base, min(label, 220))


def _css_of(info: ColumnInfo, layout: Layout) -> str:
    names = []
    if info.name == "name":
        names += ["pinned", "name"]
    elif info.name in layout.pinned:
        names.append("pinned")
    if info.name == (layout.pinned[-1] if layout.pinned else "name"):
        names.append("last-pinned")
    if info.type == "number":
        names.append("end")
    return " ".join(names)
