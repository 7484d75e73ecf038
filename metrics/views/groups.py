"""The workspace's groups: the headings of its run list, and the runs that grouped panels draw (RUN-23, RUN-26)."""

import json
from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.routes import declare
from access.web.requests import actor_of
from common.budgets.heavy_work import heavy_work
from common.formats.numbers import int_param
from metrics.views.workspace import WorkspaceRequest, json_answer
from metrics.workspace.run_groups import DrawnGroups, Grouping, read_path, read_rules
from runs.access import ProjectAction
from runs.models import Run
from runs.selectors import get_project
from runs.table import TableQuery


@declare(ProjectAction.VIEW)
@require_GET
@never_cache
@heavy_work()
def run_groups(request: HttpRequest, entity: str, project: str) -> HttpResponse:
    """Return what is inside of the group that ``path`` leads to, from ``offset`` on: groups, or its runs."""
    row = get_project(actor_of(request), entity, project)
    query, path = _grouped(request), read_path(request.GET.get("path", ""))
    offset = int_param(request.GET, "offset", 0, 2**31)
    level = Grouping.of(actor_of(request), row, query).level(path, offset)
    following = offset + len(level.groups) + len(level.runs)
    context = {
        "project": row,
        "team": row.team,
        "groups": [{"path": json.dumps(one.path), "one": one} for one in level.groups],
        "runs": level.runs,
        "is_last": len(path) + 1 == len(query.group),
        "left": level.total - following,
        "next_offset": following,
    }
    return render(request, "metrics/run_groups.html", context)


@declare(ProjectAction.VIEW)
@require_GET
@never_cache
def grouped_runs(request: HttpRequest, entity: str, project: str) -> HttpResponse:
    """Return the groups drawn by ``show`` and ``hide``, and their runs; with ``run``, of those runs alone."""
    rules = read_rules(request.GET.getlist("show"), request.GET.getlist("hide"))
    query = _grouped(request)
    if "run" in request.GET:
        chosen = WorkspaceRequest.of(request, entity, project)
        grouping = Grouping.of_runs(Run.objects.filter(pk__in=list(chosen.uid_of)), query.group)
    else:
        actor = actor_of(request)
        grouping = Grouping.of(actor, get_project(actor, entity, project), query)
    return json_answer(request, _answer(grouping.drawn(rules)))


def _grouped(request: HttpRequest) -> TableQuery:
    """Return which runs are meant; by the group that their scripts gave them where no column is named."""
    query = TableQuery.of(request.GET)
    return query if query.group else replace(query, group=("group",))


def _answer(drawn: DrawnGroups) -> dict[str, Any]:
    groups = [
        {
            "path": json.dumps(one.path),
            "name": one.name,
            "values": one.values,
            "count": one.count,
            "place": one.place,
        }
        for one in drawn.groups
    ]
    runs = [
        {"uid": run.uid, "name": run.display_name, "state": run.state, "group": place}
        for run, place in drawn.runs
    ]
    return {
        "groups": groups,
        "runs": runs,
        "groupCount": drawn.group_count,
        "shownCount": drawn.shown_count,
        "runCount": drawn.run_count,
    }
