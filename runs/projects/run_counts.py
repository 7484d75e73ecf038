"""How many runs projects have: counted in an index that holds all it takes, so that a million runs take 50 ms.

`is_listed` asks for one of two things, for which no database reads an index alone; hence two parts.
"""

from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, Sum
from django.utils import timezone

from runs.models import Project, Run
from runs.models.run import RunQuerySet
from runs.states import ACTIVE, RunState

_LATELY = timedelta(days=1)
_BAD = (RunState.FAILED, RunState.CRASHED)


@dataclass(frozen=True, slots=True)
class CountedProject:
    """A project, and how many runs it has in each state."""

    project: Project
    by_state: Counter[str]
    failed_count: int = 0
    """Of those that failed within a day, where that was counted."""

    @property
    def run_count(self) -> int:
        """How many there are."""
        return self.by_state.total()

    @property
    def running_count(self) -> int:
        """How many are active."""
        return sum(self.by_state[state] for state in ACTIVE)


def _parts(project_ids: Collection[int]) -> tuple[RunQuerySet, RunQuerySet]:
    """Return what lists show of projects: runs, and what a rewind set aside of runs that were deleted since."""
    live = Run.objects.live().filter(project__in=project_ids).order_by()
    set_aside = live.filter(archive_of__gt=0)  # no condition but this is a range of the index
    return live.filter(archive_of__isnull=True), set_aside.filter(archive_of__deleted_at__isnull=False)


def run_counts(project_ids: Collection[int]) -> dict[int, Counter[str]]:
    """Return how many runs are in each state, by project."""
    found: dict[int, Counter[str]] = defaultdict(Counter)
    for part in _parts(project_ids):
        for project_id, state, number in part.values_list("project", "state").annotate(n=Count("*")):
            found[project_id][state] += number
    return found


def counted(projects: Collection[Project]) -> list[CountedProject]:
    """Return projects with their counts."""
    counts = run_counts([project.pk for project in projects])
    return [CountedProject(project, counts[project.pk]) for project in projects]


def counted_lately(projects: Collection[Project]) -> list[CountedProject]:
    """Return projects with their counts, that of failed runs among them."""
    failed, since = Counter[int](), timezone.now() - _LATELY
    for part in _parts([project.pk for project in projects]):
        bad = part.filter(state__in=_BAD, finished_at__gte=since)
        failed.update(dict(bad.values_list("project").annotate(n=Count("*"))))
    return [CountedProject(one.project, one.by_state, failed[one.project.pk]) for one in counted(projects)]


@dataclass(frozen=True, slots=True)
class RunTotals:
    """Of a project's runs: how many in each state, how many of whom by user, how long they have been active."""

    by_state: Counter[str]
    by_user: Counter[int]
    seconds: float


def totals_of(project_id: int) -> RunTotals:
    """Return what a project's runs are together."""
    by_state, by_user, seconds, now = Counter[str](), Counter[int](), 0.0, timezone.now()
    for part in _parts([project_id]):
        sums = part.values_list("state", "user").annotate(n=Count("*"), seconds=Sum("active_before_s"))
        for state, user, number, ended in sums:
            by_state[state] += number
            if user is not None:
                by_user[user] += number
            seconds += ended
        under_way = part.filter(state__in=sorted(ACTIVE), active_since__isnull=False)
        seconds += sum(
            (now - since).total_seconds()
            for since in under_way.values_list("active_since", flat=True)
            if since is not None
        )
    return RunTotals(by_state, by_user, seconds)
