"""Columns over all runs that a workspace lists, whether or not their lines are drawn (RUN-26).

Scatter plots, parallel coordinates, grouped bars and parameter importance read through here: the same ``filter``,
``search`` and ``order`` as the run selector, columns by the names of the runs table (`runs.query.column_names`).
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.actor import Actor
from access.routes import declare
from access.web.requests import actor_of
from common.budgets.heavy_work import heavy_work
from common.errors import Invalid
from common.formats.strict_json import strict
from common.templatetags.runyard import color_index
from metrics.views.workspace import json_answer
from metrics.workspace.importance import Importance, importances
from runs.access import ProjectAction
from runs.models import Project, Run
from runs.query.cells import Reader
from runs.query.column_names import MAX_COLUMNS, NamedColumn, named_column
from runs.selectors import get_project
from runs.table import TableQuery, catalogue_of
from runs.table.groups import NUMERIC
from runs.table.query import matching_ids

MAX_RUNS = 10_000
"""Runs of one answer, the first in the order of the list."""
MAX_KEYS = 1000
"""Keys of the configuration whose importance is computed at once, the first by name ..."""
_KEYS_AT_ONCE = 100
"""... of which so many are read together: 10,000 runs have a million values of them."""

Values = tuple[int, str, list[Any]]
"""A run's pk, state and values, as `Reader.rows` yields them."""


def _read(
    actor: Actor, project: Project, query: TableQuery, columns: Sequence[NamedColumn]
) -> tuple[list[Values], int]:
    """Return the values of the first MAX_RUNS runs that meet the query, and how many meet it."""
    ids = matching_ids(actor, project, query).ids
    by_id = {row[0]: row for row in Reader(columns).rows(Run.objects.filter(pk__in=ids[:MAX_RUNS]))}
    return [by_id[pk] for pk in ids[:MAX_RUNS] if pk in by_id], len(ids)


def _query(request: HttpRequest) -> TableQuery:
    """Return which runs are meant; here each of ``columns`` is one name, whatever its characters."""
    given = request.GET.copy()
    given.pop("columns", None)
    return TableQuery.of(given)


def _wire(value: Any) -> Any:
    """Return a value for JSON: times in seconds since 1970, tags as one text."""
    if isinstance(value, datetime):
        return value.timestamp()
    return ", ".join(value) if isinstance(value, list) else strict(value)


def _columns(rows: list[Values], count: int) -> Iterator[list[Any]]:
    return ([_wire(row[2][place]) for row in rows] for place in range(count))


@declare(ProjectAction.VIEW)
@require_GET
@never_cache
@heavy_work()
def columns(request: HttpRequest, entity: str, project: str) -> HttpResponse:
    """Return arrays over all runs listed: ids, names, states, colours, and ``columns`` by the names asked for."""
    actor = actor_of(request)
    row = get_project(actor, entity, project)
    names = list(dict.fromkeys(request.GET.getlist("columns")))
    if len(names) > MAX_COLUMNS:
        raise Invalid(
            _("You can request at most %(most)s columns at once, not %(count)s.")
            % {"most": MAX_COLUMNS, "count": len(names)}
        )
    own = [named_column(name) for name in ("id", "name", "number")]
    columns_read = [*own, *map(named_column, names)]
    places = {one: place for place, one in enumerate(dict.fromkeys(columns_read))}
    rows, total = _read(actor, row, _query(request), columns_read)
    found = list(_columns(rows, len(places)))
    answer = {
        "total": total,
        "uid": found[0],
        "name": found[1],
        "state": [state for _pk, state, _values in rows],
        "color": [color_index(number) for number in found[2]],
        "columns": {
            name: found[places[one]] for name, one in zip(names, columns_read[len(own) :], strict=True)
        },
    }
    return json_answer(request, answer)


@declare(ProjectAction.VIEW)
@require_GET
@never_cache
@heavy_work()
def importance(request: HttpRequest, entity: str, project: str) -> HttpResponse:
    """Return how much each key of the configuration tells of a ``metric``, over all runs listed; see `importances`."""
    actor = actor_of(request)
    row = get_project(actor, entity, project)
    if not request.GET.get("metric"):  # nobody has chosen one yet
        return json_answer(request, {"total": 0, "runs": 0, "known": 0, "keys": [], "left_out": 0})
    metric = named_column(request.GET["metric"])
    if metric.column.kind not in NUMERIC:
        raise Invalid(_("%(name)s has no numeric values.") % {"name": metric.name})
    keys = [one.label for one in catalogue_of(row) if one.part == "config"]
    found, total = _of_keys(actor, row, metric, _query(request), keys[:MAX_KEYS])
    answer = {
        "total": total,
        "runs": found.runs,
        "known": found.known,
        "keys": [key.wire() for key in found.keys],
        "left_out": max(0, len(keys) - MAX_KEYS),
    }
    return json_answer(request, answer)


def _of_keys(
    actor: Actor, project: Project, metric: NamedColumn, query: TableQuery, keys: list[str]
) -> tuple[Importance, int]:
    ids = matching_ids(actor, project, query).ids
    values = _values_of(ids[:MAX_RUNS], [metric])[0]
    return importances(values, _each_key(ids[:MAX_RUNS], keys)), len(ids)


def _each_key(ids: Sequence[int], keys: list[str]) -> Iterator[tuple[str, list[Any]]]:
    """Yield each key's column with its values; only some keys' are in memory at the same time."""
    for start in range(0, len(keys), _KEYS_AT_ONCE):
        names = [f"config.{key}" for key in keys[start : start + _KEYS_AT_ONCE]]
        yield from zip(names, _values_of(ids, list(map(named_column, names))), strict=True)


def _values_of(ids: Sequence[int], columns: Sequence[NamedColumn]) -> list[list[Any]]:
    """Return each column's values of these runs; those of runs that were deleted meanwhile are None."""
    places = {one: place for place, one in enumerate(dict.fromkeys(columns))}
    by_id = {pk: values for pk, _state, values in Reader(columns).rows(Run.objects.filter(pk__in=ids))}
    nothing = [None] * len(places)
    rows = [by_id.get(pk, nothing) for pk in ids]
    return [[row[places[one]] for row in rows] for one in columns]
