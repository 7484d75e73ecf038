"""The run before and after one, in the order of the workspace's list."""

from django.db.models import Q, QuerySet
from django.http import QueryDict

from access.actor import Actor
from common.errors import Invalid
from runs.models import Run
from runs.saved_views.selectors import listed_query, working_view
from runs.table.query import DEFAULT_ORDER, TableQuery, matching_ids, matching_runs


def neighbour(actor: Actor, run: Run, *, is_next: bool) -> Run | None:
    """Return the run that comes next in the list, or before; None at its end.

    The list is what the actor last looked at; where that leaves the run out, all of the project, newest first.
    """
    query = _last_looked_at(actor, run)
    if query.order != DEFAULT_ORDER or query.filter or query.search:
        ids = matching_ids(actor, run.project, query).ids
        if run.pk in ids:
            at = ids.index(run.pk) + (1 if is_next else -1)
            return Run.objects.filter(pk=ids[at]).first() if 0 <= at < len(ids) else None
    return _by_age(matching_runs(actor, run.project, TableQuery()), run, is_next=is_next)


def _last_looked_at(actor: Actor, run: Run) -> TableQuery:
    try:
        query = listed_query(QueryDict(), working_view(actor, run.project))
    except Invalid:  # a filter of an older release
        return TableQuery()
    return TableQuery(filter=query.filter, search=query.search, order=query.order)


def _by_age(runs: QuerySet[Run], run: Run, *, is_next: bool) -> Run | None:
    """Look only at the next row of the index by age."""
    way, sign = ("lt", "-") if is_next else ("gt", "")
    beyond = Q(**{f"created_at__{way}": run.created_at}) | Q(
        created_at=run.created_at, **{f"pk__{way}": run.pk}
    )
    return runs.filter(beyond).order_by(f"{sign}created_at", f"{sign}pk").first()
