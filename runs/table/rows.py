"""The table's rows: ids in order first, then the wanted columns of one page of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from access.actor import Actor
from runs.models import Project, Run
from runs.query.cells import Cell, Reader
from runs.query.column_names import named_column
from runs.table.query import TableQuery, matching_ids

MAX_ROWS = 1000
WIDE = (
    "config_text", "config_flat", "description", "masked_notes", "masked_description", "pulse__summary_text",
    "pulse__summary_flat",
)  # fmt: skip
"""What a list of runs leaves where it is."""


@dataclass(frozen=True, slots=True)
class Row:
    """A run and its cells by column name."""

    run: Run
    cells: dict[str, Cell]


@dataclass(frozen=True, slots=True)
class TablePage:
    """Some rows; how many runs meet the query, and how many there are."""

    rows: list[Row]
    total: int
    all_count: int


def rows_of(
    actor: Actor,
    project: Project,
    query: TableQuery,
    *,
    path: Sequence[str] = (),
    offset: int = 0,
    limit: int = 100,
) -> TablePage:
    """Return the page of rows from ``offset`` on, at most MAX_ROWS; with a ``path`` of one group's.

    Raises:
        Invalid: a part of the query, or the path, cannot be read.
    """
    found = matching_ids(actor, project, query, path=path)
    page = found.ids[offset : offset + min(limit, MAX_ROWS)]
    return TablePage(rows_by_id(project, query.columns, page), len(found.ids), found.all_count)


def rows_by_id(project: Project, columns: Sequence[str], ids: Sequence[int]) -> list[Row]:
    """Return rows in the order of the ids, which come from a visible query; one that is gone is left out."""
    chosen = Run.objects.filter(pk__in=ids)
    reader = Reader(map(named_column, columns))
    cells = {pk: reader.cells(values) for pk, _state, values in reader.rows(chosen, revealed=True)}
    narrow = chosen.defer(*WIDE)
    with_people = narrow.select_related("user__claim", "logged_by") if "user" in columns else narrow
    runs = {run.pk: run for run in with_people}
    for run in runs.values():
        run.project = project
    return [Row(runs[pk], cells[pk]) for pk in ids if pk in runs and pk in cells]


def listed_rows(ids: Sequence[int]) -> list[Run]:
    """Return what lists show of runs, in the order of the ids, which come from a visible query."""
    found = Run.objects.filter(pk__in=ids).only("pk", "uid", "number", "display_name", "state")
    by_id = {run.pk: run for run in found}
    return [by_id[pk] for pk in ids if pk in by_id]
