"""The runs table's page and its parts: ``/<entity>/<project>/runs`` (RUN-21 to RUN-25).

One address answers for all of it. ``?part=`` names what a script asks for: ``table`` (everything that scrolls),
``rows`` (a hundred more), ``groups`` (one level), and as JSON ``columns``, ``values`` (of a column), ``extents`` (of
numeric columns), ``uids`` (of a group), ``filter`` (the tree of an expression, or where it is wrong).
"""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.actor import Actor
from access.engine import can
from access.routes import declare
from access.web.requests import actor_of
from common.errors import Invalid, NotFound
from common.formats.numbers import parse_int
from common.formats.strict_json import strict
from runs import selectors
from runs.access import ProjectAction
from runs.models import Project
from runs.names.sweep_names import SweepName, sweep_names
from runs.projects.quickstart import script_for, server_address
from runs.query.column_names import named_column, quoted
from runs.query.expression import read_expression, tree_of
from runs.saved_views.pages import views_context
from runs.saved_views.selectors import Shown, shown_view
from runs.secrets.masking import mask
from runs.table import (
    ColumnInfo,
    Row,
    TablePage,
    TableQuery,
    groups_of,
    matching_runs,
    rows_of,
    visible_catalogue,
)
from runs.table.extents import extents_of
from runs.table.html import Drawing, draw_group, draw_rows
from runs.table.layout import (
    ShownColumn,
    TableState,
    default_columns,
    read_layout,
    read_state,
    shown_columns,
    tried_columns,
    with_address,
)
from runs.table.run_colors import RunColors, run_colors

PAGE = 100
MOST_GROUPS = 500
MOST_PICKED = 50_000
"""Runs of a group that are selected at once."""
_MOST_VALUES = 100
_MOST_ROWS = 10**9
_VALUES_FROM = 1000
"""Known values are those of so many runs, the newest."""


@dataclass
class Table:
    """What one request asks of a project's table."""

    request: HttpRequest
    actor: Actor
    project: Project

    @property
    def names(self) -> list[str]:
        """What addresses name the project by."""
        return [self.project.team.name, self.project.name]

    @cached_property
    def shown(self) -> Shown:
        """The saved view that is open, or the viewer's working state."""
        return shown_view(self.actor, self.project, self.request.GET)

    @cached_property
    def colors(self) -> RunColors:
        """Colours that the viewer gave runs."""
        return run_colors(self.shown.spec)

    @cached_property
    def catalogue(self) -> list[ColumnInfo]:
        """The columns there are."""
        return visible_catalogue(self.actor, self.project)

    def path(self) -> list[str]:
        """Return the group that is asked for, its outer ones first.

        Raises:
            Invalid: not a list of texts in JSON.
        """
        try:
            path = json.loads(self.request.GET.get("path") or "[]")
        except ValueError:
            raise Invalid("`path` must be a JSON list.") from None
        if not isinstance(path, list) or not all(isinstance(step, str) for step in path):
            raise Invalid("`path` must be a JSON list of strings.")
        return path

    def offset(self) -> int:
        """Return the first row that is asked for."""
        return parse_int(self.request.GET.get("offset", "0"), _MOST_ROWS) or 0


@declare(ProjectAction.VIEW)
@never_cache
@require_GET
def runs(request: HttpRequest, entity: str, project: str) -> HttpResponse:
    """Show a project's runs as a table, or one part of it."""
    actor = actor_of(request)
    table = Table(request, actor, selectors.get_project(actor, entity, project))
    part = request.GET.get("part", "")
    answer = PARTS.get(part)
    if answer is None:
        raise NotFound(f"Unknown part “{part}”: {', '.join(filter(None, PARTS))}.")
    return answer(table)


def _page(table: Table) -> HttpResponse:
    """Show the page with the first rows, as the address, or else the last visit, left it."""
    state, error = _state_of_address(table)
    project = table.project
    can_share = can(table.actor, ProjectAction.UPDATE, project)
    name = table.request.user.get_username()
    context = _table_context(table, state, error) | {
        "project": project,
        "team": project.team,
        "can_share": can_share,
        "views": views_context(project, table.shown, can_share=can_share),
        "mine": f"user = {_in_quotes(name)}" if name else "",
        "conditions": bool(state.query.filter or state.query.search or state.query.group),
        "urls": _urls(table),
        "color_by": table.colors.by,
    }
    return render(table.request, "runs/table/page.html", context)


def _urls(table: Table) -> dict[str, str]:
    return {
        "table": reverse("runs:runs", args=table.names),
        "act": reverse("runs:act", args=[*table.names, "tag"]).removesuffix("tag"),
        "columns": reverse("metrics:project_columns", args=table.names),
        "compare": reverse("runs:compare", args=table.names),
        "export": reverse("runs:runs_csv", args=table.names),
    }


def _state_of_address(table: Table) -> tuple[TableState, Invalid | None]:
    given = table.request.GET
    state = read_state(table.shown.spec.get("runs"))
    try:
        return with_address(state, given), None
    except Invalid as error:
        query = TableQuery(filter=given.get("filter", ""), search=given.get("search", ""))
        return replace(state, query=query), error


def _table(table: Table) -> HttpResponse:
    """Draw everything that scrolls, with the columns of ``layout``."""
    given = table.request.GET
    try:
        raw = json.loads(given.get("layout") or "{}")
    except ValueError:
        raw = {}
    crop = read_state({"crop": raw.get("crop") if isinstance(raw, dict) else None}).crop
    state = TableState(layout=read_layout(raw), crop=crop)
    error = None
    try:
        state = replace(state, query=replace(TableQuery.of(given), columns=()))
    except Invalid as refused:
        query = TableQuery(filter=given.get("filter", ""), search=given.get("search", ""))
        state, error = replace(state, query=query), refused
    return render(table.request, "runs/table/part.html", _table_context(table, state, error))


def _table_context(table: Table, state: TableState, error: Invalid | None) -> dict[str, Any]:
    """Return the context of ``runs/table/part.html``."""
    page, names, tree = TablePage([], 0, 0), state.layout.order, None
    if error is None:
        try:
            page, names = _first_rows(table, state)
            tree = tree_of(read_expression(state.query.filter))
        except Invalid as refused:  # a saved view may have what is refused today
            error = refused
    order = "" if error else state.query.order
    grouped = bool(state.query.group)
    columns = shown_columns(table.catalogue, names, state.layout, order, grouped=grouped)
    context: dict[str, Any] = {"columns": columns, "path": "", "offset": 0, "depth": 0}
    if page.total and grouped:
        context |= _groups(table, columns, state.query)
    elif page.total:
        context["rows"] = _rows(table, columns, page.rows, 0)
    else:
        context |= {
            "project": table.project,
            "script": script_for(entity=table.names[0], project=table.names[1]),
            "base_url": server_address(table.request),
        }
    error_reply = _error_json(error) if error else None
    reply = {
        "shown": list(names),
        "total": page.total,
        "all": page.all_count,
        "tree": tree,
        "error": error_reply,
    }
    return context | {"reply": {**reply, "state": state.as_json()}}


def _first_rows(table: Table, state: TableState) -> tuple[TablePage, tuple[str, ...]]:
    """Return the first rows and the columns to show of them, which are chosen here where nobody has."""
    layout, actor, project = state.layout, table.actor, table.project
    if layout.order:
        limit = 1 if state.query.group else PAGE
        page = rows_of(actor, project, replace(state.query, columns=layout.order), limit=limit)
        return page, layout.order
    tried = replace(state.query, columns=tried_columns(table.catalogue))
    page = rows_of(actor, project, tried, limit=PAGE)
    return page, default_columns(table.catalogue, page.rows, layout)


def _error_json(error: Invalid) -> dict[str, Any]:
    return {"message": error.message, "position": getattr(error, "position", None)}


def _rows(table: Table, columns: list[ShownColumn], rows: list[Row], offset: int) -> list[Any]:
    drawing = Drawing(
        columns=columns,
        runs_url=reverse("runs:runs", args=table.names) + "/",
        colors=table.colors.picked,
        editable=selectors.changeable([row.run.pk for row in rows], table.actor),
        sweeps=_sweeps(table, columns, rows),
    )
    return list(draw_rows(drawing, rows, offset))


def _sweeps(table: Table, columns: list[ShownColumn], rows: list[Row]) -> dict[str, SweepName]:
    """Return what the sweeps of the rows are called, where they are shown."""
    if all(column.name != "sweep" for column in columns):
        return {}
    return sweep_names(table.actor, table.project, {row.run.sweep for row in rows})


def _requested_columns(table: Table, query: TableQuery) -> list[ShownColumn]:
    given = table.request.GET
    layout = read_layout({"pinned": given.getlist("pinned"), "order": list(query.columns)})
    return shown_columns(table.catalogue, layout.order, layout)


def _more_rows(table: Table) -> HttpResponse:
    """Draw the rows from ``offset`` on, of the group that ``path`` leads to."""
    query, path, offset = TableQuery.of(table.request.GET), table.path(), table.offset()
    page = rows_of(table.actor, table.project, query, path=path, offset=offset, limit=PAGE)
    context = {
        "rows": _rows(table, _requested_columns(table, query), page.rows, offset),
        "reply": {"total": page.total, "all": page.all_count},
        "offset": offset,
        "path": json.dumps(path) if path else "",
        "depth": len(path),
    }
    return render(table.request, "runs/table/rows.html", context)


def _more_groups(table: Table) -> HttpResponse:
    """Draw the groups inside of the one that ``path`` leads to."""
    query = TableQuery.of(table.request.GET)
    context = _groups(table, _requested_columns(table, query), query)
    return render(table.request, "runs/table/groups.html", context)


def _group_uids(table: Table) -> HttpResponse:
    """List the ids of all runs of the group that ``path`` leads to: what its box selects."""
    query = TableQuery.of(table.request.GET)
    runs = matching_runs(table.actor, table.project, query, path=table.path()).order_by()
    return JsonResponse({"uids": list(runs.values_list("uid", flat=True)[:MOST_PICKED])})


def _groups(table: Table, columns: list[ShownColumn], query: TableQuery) -> dict[str, Any]:
    path = table.path()
    numeric = tuple(one.name for one in columns if one.type in {"number", "mixed"})
    numeric_query = replace(query, columns=numeric)
    offset = table.offset()
    page = groups_of(table.actor, table.project, numeric_query, path=path, offset=offset, limit=MOST_GROUPS)
    following = offset + len(page.groups)
    labels = {one.name: one.label for one in table.catalogue}
    uids = {group.text for group in page.groups if group.column == "sweep"}
    sweeps = {uid: one.name for uid, one in sweep_names(table.actor, table.project, uids).items()}
    groups = [
        {
            "path": json.dumps(group.path),
            "label": labels.get(group.column, group.column) if group.text else "",
            "text": mask(sweeps.get(group.text, group.text)) or _nothing(group.column),
            "count": group.count,
            "html": draw_group(columns, group),
        }
        for group in page.groups
    ]
    return {
        "columns": columns,
        "groups": groups,
        "depth": len(path),
        "is_last": len(path) + 1 == len(query.group),
        "groups_left": max(0, page.total - following),
        "next_groups": following,
        "inside": json.dumps(path),
        "more_path": json.dumps([*path, ""]),
    }


def _nothing(column: str) -> str:
    """Return what the group of the runs without a value is called."""
    return {"group": _("No group"), "sweep": _("No sweep")}.get(column, _("No value"))


def _columns(table: Table) -> HttpResponse:
    """List the columns there are."""
    columns = [
        {"name": one.name, "label": str(one.label), "part": one.part, "type": one.type}
        for one in table.catalogue
    ]
    return JsonResponse({"columns": columns})


def _values(table: Table) -> HttpResponse:
    """List values that the newest runs have in a column, as an expression writes them, the most frequent first."""
    try:
        name = named_column(table.request.GET.get("column", "")).name
    except Invalid:  # half typed
        return JsonResponse({"values": []})
    newest = rows_of(table.actor, table.project, TableQuery(columns=(name,)), limit=_VALUES_FROM)
    counts: Counter[str] = Counter()
    for row in newest.rows:
        cell = row.cells[name]
        texts = cell.value if cell.type == "tags" else [cell.text] if cell.type else []
        is_text = cell.type in {"text", "tags"}
        counts.update(_in_quotes(mask(text)) if is_text else text for text in texts)
    return JsonResponse({"values": [text for text, _count in counts.most_common(_MOST_VALUES)]})


def _extents(table: Table) -> HttpResponse:
    """Return the smallest and largest value of columns over all runs listed: what is best, and how long bars are."""
    query = TableQuery.of(table.request.GET)
    return JsonResponse({"extents": extents_of(table.actor, table.project, query)})


def _in_quotes(text: str) -> str:
    return quoted(text, '"')


def _filter(table: Table) -> HttpResponse:
    """Return the tree of an expression, or what is wrong with it and where: looked at while somebody types."""
    try:
        tree = tree_of(read_expression(table.request.GET.get("text", "")))
    except Invalid as error:
        return JsonResponse({"tree": None, "error": _error_json(error)})
    return JsonResponse({"tree": strict(tree), "error": None})


PARTS: dict[str, Callable[[Table], HttpResponse]] = {
    "": _page, "table": _table, "rows": _more_rows, "groups": _more_groups, "columns": _columns,
    "values": _values, "extents": _extents, "filter": _filter, "uids": _group_uids,
}  # fmt: skip
