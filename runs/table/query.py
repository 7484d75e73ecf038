"""What a query string asks of the table, and the runs that it means."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.http import QueryDict
from django.utils.translation import gettext as _

from access.actor import Actor
from access.engine import visible
from common.errors import Invalid
from runs.access import RunAction
from runs.models import Project, Run
from runs.query.column_names import named_column, split_names
from runs.query.conditions import Compare, Operator, to_q
from runs.query.expression import read_expression
from runs.query.ordering import page_order
from runs.table.group_keys import group_q

DEFAULT_ORDER = "-created"
MAX_GROUPS = 10
MAX_SEARCH = 200


@dataclass(frozen=True, slots=True)
class TableQuery:
    """A table's state as its query string carries it; names are spelled as in `runs.query.column_names`."""

    filter: str = ""
    search: str = ""
    order: str = DEFAULT_ORDER
    group: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: QueryDict) -> "TableQuery":
        """Read a query string.

        Raises:
            Invalid: a part of it cannot be read; of a filter it is an `ExpressionError`.
        """
        query = cls(
            filter=given.get("filter", "").strip(),
            search=given.get("search", "").strip(),
            order=given.get("order", "").strip() or DEFAULT_ORDER,
            group=_names(given.getlist("group")),
            columns=_names(given.getlist("columns")),
        )
        query.check()
        return query

    def check(self) -> None:
        """Raise Invalid for what cannot be read."""
        read_expression(self.filter)
        page_order(self.order)
        if len(self.group) > MAX_GROUPS:
            raise Invalid(_("Runs can be grouped by at most %(most)s columns.") % {"most": MAX_GROUPS})
        if len(self.search) > MAX_SEARCH:
            raise Invalid(_("A search can have at most %(most)s characters.") % {"most": MAX_SEARCH})


def _names(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of lists by commas, each once, spelled as pages spell them."""
    return tuple(dict.fromkeys(named_column(name).name for name in split_names(",".join(texts))))


def narrow_runs(runs: QuerySet[Run], query: TableQuery) -> QuerySet[Run]:
    """Keep the runs that meet filter and search."""
    runs = runs.filter(to_q(read_expression(query.filter)))
    if query.search:
        runs = runs.filter(to_q(Compare("display_name", Operator.CONTAINS, query.search)))
    return runs


def visible_runs(actor: Actor, project: Project) -> QuerySet[Run]:
    """Return the project's runs that the actor may see, in no order, bare."""
    return visible(actor, RunAction.VIEW, Run.objects.listed().filter(project=project)).order_by()


def matching_runs(
    actor: Actor, project: Project, query: TableQuery, *, path: Sequence[str] = ()
) -> QuerySet[Run]:
    """Return the runs that meet filter and search, in the query's order; with a ``path`` those of one group.

    Raises:
        Invalid: a part of the query, or the path, cannot be read.
    """
    runs = narrow_runs(visible_runs(actor, project), query)
    if len(path) > len(query.group):
        raise Invalid("The path is longer than the list of columns to group by.")
    for name, value in zip(query.group, path, strict=False):
        runs = runs.filter(group_q(named_column(name), value))
    return runs.order_by(*page_order(query.order))
