"""`UsageDay` and `TeamDay` made anew from the ledgers, for when somebody doubts it or a bug has been mended (BIL-4).

What the ledgers mark as counted is what is added up, so that totals must come out equal; what came since waits for the
meter. A few teams at a time, each in one transaction: readers see the old numbers or the new ones.
"""

from collections import Counter
from collections.abc import Callable, Iterator

from django.db import transaction
from django.db.models import Count
from django.utils import timezone

from storage.models import ByteEntry
from usage.metering.counting import HARDWARE, HARDWARE_COLUMNS, OWNER
from usage.metering.day_sums import DaySums
from usage.metering.state import begin_sums
from usage.models import IngestionEntry, ReportedTime, TeamDay, TrackedInterval, UsageDay

ROWS_AT_ONCE = 50_000
_TEAMS_AT_ONCE = 500
_LEDGERS = (TrackedInterval, ReportedTime, ByteEntry, IngestionEntry, *HARDWARE, UsageDay)

Progress = Callable[[int, int], None]
"""Takes how many teams are done, and how many there are."""


def rebuild(progress: Progress = lambda done, total: None) -> int:
    """Make them anew; return of how many teams."""
    sizes = _sizes()
    done = 0
    for teams in _batches(sizes):
        _rebuild(teams)
        done += len(teams)
        progress(done, len(sizes))
    return done


def _sizes() -> Counter[int]:
    """Count the rows of each team."""
    sizes: Counter[int] = Counter()
    for model in _LEDGERS:
        rows = model._default_manager.order_by().values("team_id").annotate(rows=Count("pk"))
        sizes.update(dict(rows.values_list("team_id", "rows")))
    return sizes


def _batches(sizes: Counter[int]) -> Iterator[list[int]]:
    batch: list[int] = []
    rows = 0
    for team_id, size in sorted(sizes.items()):
        if batch and (rows + size > ROWS_AT_ONCE or len(batch) == _TEAMS_AT_ONCE):
            yield batch
            batch, rows = [], 0
        batch.append(team_id)
        rows += size
    if batch:
        yield batch


@transaction.atomic
def _rebuild(teams: list[int]) -> None:
    sums = begin_sums(timezone.now())
    for table in (UsageDay, TeamDay):
        table._default_manager.filter(team_id__in=teams).delete()
    _add_time(sums, teams)
    _add_entries(sums, teams)
    sums.write()


def _add_time(sums: DaySums, teams: list[int]) -> None:
    intervals = TrackedInterval.objects.filter(team_id__in=teams)
    for *owner, began_at, counted_to, not_before in intervals.values_list(
        *OWNER, "began_at", "counted_to", "not_before"
    ).iterator():
        sums.add_time(tuple(owner), began_at, counted_to, not_before)
    reports = ReportedTime.objects.filter(team_id__in=teams, is_counted=True)
    for *owner, at, seconds in reports.values_list(*OWNER, "at", "seconds").iterator():
        sums.add_reported(tuple(owner), at, seconds)


def _add_entries(sums: DaySums, teams: list[int]) -> None:
    entries = ByteEntry.objects.filter(team_id__in=teams, is_metered=True)
    for *owner, at, delta_bytes in entries.values_list(*OWNER, "at", "delta_bytes").iterator():
        sums.add_bytes(tuple(owner), at, delta_bytes)
    taken = IngestionEntry.objects.filter(team_id__in=teams, is_counted=True)
    for *owner, at, size_bytes in taken.values_list(*OWNER, "at", "size_bytes").iterator():
        sums.add_ingested(tuple(owner), at, size_bytes)
    for ledger in HARDWARE:
        used = ledger._default_manager.filter(team_id__in=teams, is_counted=True)
        for *owner, day, gpu_s, energy_j, is_host in used.values_list(*OWNER, *HARDWARE_COLUMNS).iterator():
            sums.add_hardware(tuple(owner), day, gpu_s, energy_j, is_host=is_host)
