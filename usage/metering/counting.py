"""From uncounted rows of the ledgers into `UsageDay`, in chunks; each row says afterwards that it is counted.

**What is closed stays as it is.** A row that is counted only after its period was closed is moved, in the ledger
itself, to the first day that is open: an interval's time by `not_before` (the part that was counted before is split
off), all else by its `at`. So a rebuild, which reads the ledger alone, finds the same.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import F, Model, OuterRef, Q, QuerySet, Subquery

from common.database.sql import execute_many
from runs.models import Pulse
from storage.models import ByteEntry
from usage.metering.day_sums import DaySums, Owner
from usage.metering.seconds import day_begin
from usage.metering.state import begin_sums
from usage.models import HardwareShift, HardwareUse, IngestionEntry, ReportedTime, TrackedInterval
from usage.policy import usage_policy

INTERVALS_AT_ONCE = 1000
ENTRIES_AT_ONCE = 2000
"""In one transaction: SQLite has one writer, and a group commit must not wait long for it."""
UNCOUNTED = Q(ended_at__isnull=True) | ~Q(ended_at=F("counted_to"))
EVERYTHING = Q()

HARDWARE = (HardwareUse, HardwareShift)
HARDWARE_COLUMNS = ("day", "gpu_s", "energy_j", "is_host")
OWNER = ("team_id", "project_id", "user_id")


def closed_at(team_ids: Collection[int]) -> dict[int, datetime]:
    """Return for each team the first moment that is not in a closed period; none for payers that closed none."""
    return {pk: day_begin(day) for pk, day in usage_policy().closed_until(team_ids).items()}


def uncounted_intervals(scope: Q, after: int) -> QuerySet[TrackedInterval]:
    """Return what may have something new, in the order of keys, with ``heartbeat_at`` of its run."""
    heartbeat = Subquery(Pulse.objects.filter(run_id=OuterRef("run_id")).values("heartbeat_at"))
    rows = TrackedInterval.objects.filter(UNCOUNTED, scope, pk__gt=after)
    return rows.annotate(heartbeat_at=heartbeat).order_by("pk")


def count_intervals(sums: DaySums, scope: Q, now: datetime, after: int) -> int | None:
    """Count running time of up to INTERVALS_AT_ONCE intervals; return the last one's key, None when there are no more.

    Open intervals count to the last heartbeat. One whose run is changing its state just now is left for the next time.
    """
    locked = uncounted_intervals(scope, after).select_for_update(of=("self",), skip_locked=True)
    rows = list(locked[:INTERVALS_AT_ONCE])
    counted = [(row, until) for row in rows if (until := _known_until(row, now)) is not None]
    past = _move_out_of_closed([row for row, _ in counted])
    for row, until in counted:
        sums.add_time(_owner(row), row.counted_to, until, row.not_before)
        row.counted_to = until
    _store([row for row, _ in counted])
    TrackedInterval.objects.bulk_create(past)
    return rows[-1].pk if len(rows) == INTERVALS_AT_ONCE else None


def _owner(row: TrackedInterval) -> tuple[int, int, int | None]:
    return row.team_id, row.project_id, row.user_id


def _known_until(row: Any, now: datetime) -> datetime | None:
    """Return up to when an interval can be counted; None where nothing is new."""
    if row.ended_at is not None:
        ended: datetime = max(row.ended_at, row.counted_to)
        return ended
    until: datetime = min(row.heartbeat_at or row.counted_to, now)
    return until if until > row.counted_to else None


def _move_out_of_closed(rows: Sequence[TrackedInterval]) -> list[TrackedInterval]:
    """Move what would count in a closed period; return, as rows to add, the parts that were counted there before.

    The row that is there stays the one that goes on, and the part gets the new one: whoever ends the run now waits for
    the row that it has seen, and on PostgreSQL sees no other.
    """
    closed = closed_at({row.team_id for row in rows})
    past = []
    for row in rows:
        first_open = closed.get(row.team_id)
        if first_open is None or max(row.counted_to, row.not_before) >= first_open:
            continue
        if row.counted_to > row.began_at:
            part = TrackedInterval(
                team_id=row.team_id, project_id=row.project_id, user_id=row.user_id, run_id=row.run_id,
                began_at=row.began_at, ended_at=row.counted_to, not_before=row.not_before, counted_to=row.counted_to,
            )  # fmt: skip
            past.append(part)
            row.began_at = row.counted_to
        row.not_before = first_open
    return past


def _store(rows: Sequence[TrackedInterval]) -> None:
    moment = connection.ops.adapt_datetimefield_value
    execute_many(
        "UPDATE billing_trackedinterval SET began_at = %s, counted_to = %s, not_before = %s WHERE id = %s",
        [(moment(row.began_at), moment(row.counted_to), moment(row.not_before), row.pk) for row in rows],
    )


def _uncounted(model: type[Model], flag: str, scope: Q, *names: str) -> list[tuple[Any, ...]]:
    rows = model._default_manager.filter(scope, **{flag: False}).order_by(names[0], "pk")
    return list(rows.values_list("pk", *OWNER, *names)[:ENTRIES_AT_ONCE])


def _mark(model: type[Model], flag: str, rows: list[tuple[Any, ...]]) -> bool:
    """Note that rows are counted; say whether there may be more."""
    if rows:
        model._default_manager.filter(pk__in=[row[0] for row in rows]).update(**{flag: True})
    return len(rows) == ENTRIES_AT_ONCE


@dataclass(frozen=True, slots=True)
class DatedLedger:
    """A ledger whose entries have a time, ``at``, and an amount."""

    model: type[Model]
    flag: str
    amount: str
    add: Callable[[DaySums, Owner, datetime, int], None]

    def count(self, sums: DaySums, scope: Q, now: datetime) -> bool:
        """Count up to ENTRIES_AT_ONCE entries; say whether there may be more."""
        rows = _uncounted(self.model, self.flag, scope & Q(at__lte=now), "at", self.amount)
        closed = closed_at({row[1] for row in rows}) if rows else {}
        late: dict[datetime, list[int]] = {}
        for pk, team_id, project_id, user_id, at, value in rows:
            first_open = closed.get(team_id, at)
            if at < first_open:
                late.setdefault(first_open, []).append(pk)
            self.add(sums, (team_id, project_id, user_id), max(at, first_open), value)
        for first_open, pks in late.items():
            self.model._default_manager.filter(pk__in=pks).update(at=first_open)
        return _mark(self.model, self.flag, rows)


DATED_LEDGERS = (
    DatedLedger(ByteEntry, "is_metered", "delta_bytes", DaySums.add_bytes),
    DatedLedger(ReportedTime, "is_counted", "seconds", DaySums.add_reported),
    DatedLedger(IngestionEntry, "is_counted", "size_bytes", DaySums.add_ingested),
)


def count_hardware(sums: DaySums, scope: Q, _now: datetime) -> bool:
    """Count GPU time and energy, on the day of the samples: nothing is charged for it, so closing does not matter."""
    has_more = False
    for ledger in HARDWARE:
        rows = _uncounted(ledger, "is_counted", scope, *HARDWARE_COLUMNS)
        for _, team_id, project_id, user_id, day, gpu_s, energy_j, is_host in rows:
            sums.add_hardware((team_id, project_id, user_id), day, gpu_s, energy_j, is_host=is_host)
        has_more |= _mark(ledger, "is_counted", rows)
    return has_more


ENTRIES = (*(ledger.count for ledger in DATED_LEDGERS), count_hardware)
"""What counts entries: takes the sums, a condition on teams and the present; says whether there may be more."""


def count_all(scope: Q, now: datetime) -> None:
    """Count everything of some teams; part of the caller's transaction."""
    sums = begin_sums(now)
    for count in ENTRIES:
        while count(sums, scope, now):
            pass
    after: int | None = 0
    while after is not None:
        after = count_intervals(sums, scope, now, after)
    sums.write()
