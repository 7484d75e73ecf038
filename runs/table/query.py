"""What a query string asks of the table, and the runs that it means."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.http import QueryDict
from django.utils.translation import gettext as _

from access.actor import Actor
from access.engine import visible
from common.budgets.heavy_work import require_allowance
from common.errors import Invalid
from runs.access import RunAction
from runs.column_index import listed_runs
from runs.models import Project, Run
from runs.query.column_names import named_column, split_names
from runs.query.conditions import All, Compare, Condition, Operator, to_q
from runs.query.expression import read_expression
from runs.query.ordering import ordering_of, page_order
from runs.table.group_keys import group_condition

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


def condition_of(query: TableQuery, path: Sequence[str] = ()) -> All:
    """Return what runs must meet: filter and search, and with a ``path`` what makes one group.

    Raises:
        Invalid: a part of them cannot be read.
    """
    parts: list[Condition] = [read_expression(query.filter)]
    if query.search:
        parts.append(Compare("display_name", Operator.CONTAINS, query.search))
    if len(path) > len(query.group):
        raise Invalid("The path is longer than the list of columns to group by.")
    parts += [
        group_condition(named_column(name), value) for name, value in zip(query.group, path, strict=False)
    ]
    return All(parts)


def narrow_runs(runs: QuerySet[Run], query: TableQuery) -> QuerySet[Run]:
    """Keep the runs that meet filter and search."""
    return runs.filter(to_q(condition_of(query)))


def visible_runs(actor: Actor, project: Project) -> QuerySet[Run]:
    """Return the project's runs that the actor may see, in no order, bare."""
    return visible(actor, RunAction.VIEW, Run.objects.listed().filter(project=project)).order_by()


def _require_allowance(query: TableQuery) -> None:
    """Let searching, filtering and sorting draw on the caller's processor time."""
    if query.filter or query.search or query.order:
        require_allowance()


def matching_runs(
    actor: Actor, project: Project, query: TableQuery, *, path: Sequence[str] = ()
) -> QuerySet[Run]:
    """Return the runs that meet filter and search, in the query's order; with a ``path`` those of one group.

    Raises:
        Invalid: a part of the query, or the path, cannot be read.
    """
    _require_allowance(query)
    runs = visible_runs(actor, project).filter(to_q(condition_of(query, path)))
    return runs.order_by(*page_order(query.order))


@dataclass(frozen=True, slots=True)
class MatchingIds:
    """Keys of the runs that meet a query, in its order, and how many runs of the project can be seen at all."""

    ids: Sequence[int]
    all_count: int


def matching_ids(
    actor: Actor, project: Project, query: TableQuery, *, path: Sequence[str] = ()
) -> MatchingIds:
    """Return which runs `matching_runs` are, from columns in memory where those can say.

    Raises:
        Invalid: a part of the query, or the path, cannot be read.
    """
    _require_allowance(query)
    condition, ordering = condition_of(query, path), ordering_of(query.order)
    to_q(condition), page_order(query.order)  # which refuse what the database could not find
    found = listed_runs(actor, project, condition, ordering)
    if found is not None:
        return MatchingIds(found.pks.tolist(), found.all_count)
    ids = list(matching_runs(actor, project, query, path=path).values_list("pk", flat=True))
    is_narrowed = query.filter or query.search or path
    return MatchingIds(ids, visible_runs(actor, project).count() if is_narrowed else len(ids))
