"""Search in the console logs of a project's runs, the newest run first, in bounded steps (wish 35)."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import QuerySet

from access.actor import Actor
from common.errors import Invalid
from common.formats.numbers import parse_int
from runs.logs.search import LogMatch, Needle, first_matches
from runs.models import Project, Run
from runs.table.query import TableQuery, narrow_runs, visible_runs
from runs.table.rows import WIDE

STEP_S = 1.0
"""A request reads for about so long; the next one goes on from where it ended."""
MOST_LINES = 5
"""Lines that are shown of a run."""
MOST_RUNS = 20
"""Runs with hits in one answer."""
_RUNS_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class SearchCursor:
    """Where a search goes on: at a line of a run, then in older runs."""

    run_id: int
    line: int = 0

    @classmethod
    def of(cls, text: str) -> "SearchCursor | None":
        """Read what ``str`` wrote; "" is the beginning.

        Raises:
            Invalid: not a cursor.
        """
        if not text:
            return None
        run_id, _, line = text.partition("-")
        run, number = parse_int(run_id), parse_int(line)
        if run is None or number is None:
            raise Invalid("`after` is the `next` of an earlier answer.")
        return cls(run, number)

    def __str__(self) -> str:
        return f"{self.run_id}-{self.line}"


@dataclass(frozen=True, slots=True)
class RunMatches:
    """The first lines of a run with a hit."""

    run: Run
    lines: list[LogMatch]
    has_more: bool
    """Whether the log was not read to its end, because enough was found."""


@dataclass(frozen=True, slots=True)
class SearchPage:
    """What one step found."""

    runs: list[RunMatches]
    searched: int
    """Runs that were read."""
    after: SearchCursor | None
    """Where the next step begins; None at the end."""


def search_logs(
    actor: Actor, project: Project, needle: Needle, query: TableQuery, after: SearchCursor | None = None
) -> SearchPage:
    """Search the logs of the runs that the actor sees and the query's filter keeps; secrets are masked.

    Raises:
        Invalid: nothing to search for, or no regular expression.
    """
    needle.pattern()
    until = time.monotonic() + STEP_S
    found: list[RunMatches] = []
    searched = 0
    for run in _with_logs(narrow_runs(visible_runs(actor, project), query), after):
        start = after.line if after is not None and after.run_id == run.pk else 0
        if searched and (len(found) == MOST_RUNS or time.monotonic() > until):
            return SearchPage(found, searched, SearchCursor(run.pk, start))
        total = run.pulse.log_lines
        lines, read_to = first_matches(run.pk, needle, start, total, most=MOST_LINES, until=until)
        searched += 1
        if lines:
            found.append(RunMatches(run, lines, has_more=read_to < total))
        elif read_to < total:
            return SearchPage(found, searched, SearchCursor(run.pk, read_to))
    return SearchPage(found, searched, None)


def _with_logs(runs: QuerySet[Run], after: SearchCursor | None) -> Iterator[Run]:
    """Yield runs that have printed something, the newest first, some at a time."""
    rows = runs.filter(pulse__log_lines__gt=0).select_related("pulse").defer(*WIDE).order_by("-pk")
    last = after.run_id if after is not None else None
    while True:
        some = list((rows if last is None else rows.filter(pk__lte=last))[:_RUNS_AT_ONCE])
        yield from some
        if len(some) < _RUNS_AT_ONCE:
            return
        last = some[-1].pk - 1
