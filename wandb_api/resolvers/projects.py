"""Projects."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.db.models import QuerySet

from access.engine import can
from accounts.models import User
from common.database.kept_queries import KeptQuery
from common.errors import NotFound
from runs.access import ProjectAction, RunAction
from runs.column_index import RunList, listed_runs
from runs.models import Run
from runs.query.conditions import to_q
from runs.query.mongo import read_filters
from runs.query.ordering import Ordering, read_order, read_ordering
from runs.selectors import get_project_by_any_name, listed_runs_of
from teams.teams.selectors import default_team_of
from wandb_api.graphql.batch_loading import Siblings
from wandb_api.graphql.bindings import project_type, query, root
from wandb_api.graphql.context import Info
from wandb_api.graphql.nodes import project_node, run_node
from wandb_api.graphql.pagination import page_of, page_of_keys

_MAX_PAGE = 1000


def _resolve(info: Info, name: str | None, entity: str | None) -> dict[str, Any] | None:
    actor = info.context.actor
    if not entity:
        home = default_team_of(actor)
        entity = home.name if home else ""
    try:
        return project_node(get_project_by_any_name(actor, entity, name or "uncategorized", registries=True))
    except NotFound:
        return None


@root(query, "project", ProjectAction.VIEW)
def resolve_project(
    _: Any,
    info: Info,
    name: str | None = None,
    entityName: str | None = None,
) -> dict[str, Any] | None:
    """Return a visible project or null."""
    return _resolve(info, name, entityName)


@root(query, "model", ProjectAction.VIEW)
def resolve_model(
    _: Any,
    info: Info,
    name: str | None = None,
    entityName: str | None = None,
) -> dict[str, Any] | None:
    """Return a visible project or null, by its old word."""
    return _resolve(info, name, entityName)


@project_type.field("readOnly")
def resolve_read_only(project: dict[str, Any], info: Info) -> bool:
    """Say whether the viewer can log into the project."""
    return not can(info.context.actor, RunAction.LOG, project["row"])


def _matching(project: dict[str, Any], info: Info, filters: str | None) -> QuerySet[Run]:
    return listed_runs_of(info.context.actor, project["row"]).filter(to_q(read_filters(filters)))


def _kept(
    project: dict[str, Any], info: Info, filters: str | None, ordering: Ordering | None
) -> RunList | None:
    """Return the runs of `_matching` where columns in memory can say; what no database could find is refused."""
    condition = read_filters(filters)
    to_q(condition)
    return listed_runs(info.context.actor, project["row"], condition, ordering)


@project_type.field("runCount")
def resolve_run_count(project: dict[str, Any], info: Info, filters: str | None = None) -> int:
    """Count the visible runs that match."""
    kept = _kept(project, info, filters, None)
    return _matching(project, info, filters).count() if kept is None else len(kept.pks)


@project_type.field("runs")
def resolve_runs(
    project: dict[str, Any],
    info: Info,
    *,
    filters: str | None = None,
    after: str | None = None,
    first: int | None = 50,
    order: str | None = None,
) -> dict[str, Any]:
    """Return a page of matching runs; the cursor is the number of runs up to and with its own."""
    node = partial(run_node, siblings=Siblings())

    def weigh(run: Run) -> None:
        run.project = project["row"]
        info.context.budget.count_read(len(run.config_text) + len(run.pulse.summary_text))

    order_by = read_order(order)  # which refuses what no database could sort by
    kept = _kept(project, info, filters, read_ordering(order))
    if kept is not None:  # and who gets that sees all runs of the project
        read, pks = partial(_listed, project["row"].pk), kept.pks.tolist()
        return page_of_keys(pks, read, node, after=after, first=first, most=_MAX_PAGE, weigh=weigh)
    runs = _matching(project, info, filters).order_by(*order_by).defer(*_LARGE)
    return page_of(runs, node, after=after, first=first, most=_MAX_PAGE, weigh=weigh)


_LARGE = ("config_flat", "pulse__summary_flat")
"""What tables read: JSON that nobody asks for here and that takes long to decode."""
_listed_rows = KeptQuery(
    lambda project_id, pks: (
        Run.objects.listed()
        .filter(project=project_id, pk__in=pks)
        .select_related("pulse")
        .defer(*_LARGE)
        .order_by()
    )
)
_authors = KeptQuery(lambda pks: User.objects.filter(pk__in=pks).order_by())


def _listed(project_id: int, pks: Sequence[int]) -> list[Run]:
    """Return runs with their authors, of whom each is read once."""
    runs = _listed_rows.all(project_id, pks)
    authors = {user.pk: user for user in _authors.all([*{run.user_id for run in runs if run.user_id}])}
    for run in runs:
        run.user = authors.get(run.user_id) if run.user_id else None
    return runs
