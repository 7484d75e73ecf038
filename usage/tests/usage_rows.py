"""Rows of `UsageDay` as the meter makes them: with the opening of each calendar month."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.db.models import Sum

from runs.models import Project
from teams.models import Team
from usage.models import SUMS, MeterState, TeamDay, UsageDay
from usage.periods import month_of
from usage.units import DAY_S, GB, HOUR_S


def used(
    team: Team, day: date, *, project: Project | None = None, user: Any = None, hours: float = 0, gb: float = 0,
    held_s: int = DAY_S, ingested_gb: float = 0, gpu_hours: float = 0, kwh: float = 0,
    host_gpu_hours: float = 0, host_kwh: float = 0,
) -> UsageDay:  # fmt: skip
    """Add use of a day; ``gb`` more are held since ``held_s`` before its end."""
    row, _ = UsageDay.objects.get_or_create(
        team_id=team.pk, project_id=project.pk if project else 0, user_id=user.pk if user else 0, day=day
    )
    delta = int(gb * GB)
    row.tracked_s += int(hours * HOUR_S)
    row.delta_bytes += delta
    row.byte_seconds += delta * held_s
    row.ingested_bytes += int(ingested_gb * GB)
    row.gpu_s += int(gpu_hours * HOUR_S)
    row.energy_j += int(kwh * 3_600_000)
    row.host_gpu_s += int(host_gpu_hours * HOUR_S)
    row.host_energy_j += int(host_kwh * 3_600_000)
    row.save()
    add_up(team.pk)
    return row


def add_up(*team_ids: int) -> None:
    """Write `TeamDay` of some teams, or of all, from `UsageDay`."""
    of = {"team_id__in": team_ids} if team_ids else {}
    TeamDay.objects.filter(**of).delete()
    rows = UsageDay.objects.filter(**of).values_list("team_id", "day").order_by()
    TeamDay.objects.bulk_create(
        TeamDay(team_id=team_id, day=day, **dict(zip(SUMS, sums, strict=True)))
        for team_id, day, *sums in rows.annotate(**{f"{name}_": Sum(name) for name in SUMS})
    )


def metered(at: datetime) -> None:
    """Let the meter have come to a time, and open every month until then."""
    MeterState.objects.update_or_create(pk=1, defaults={"metered_at": at})
    UsageDay.objects.update(opening_bytes=0)
    keys = list(UsageDay.objects.values("team_id", "project_id", "user_id").distinct().order_by())
    first = UsageDay.objects.order_by("day").values_list("day", flat=True)[0]
    for key in keys:
        month, held = month_of(first), 0
        while month.start <= at.date():
            rows = UsageDay.objects.filter(**key, day__gte=month.start, day__lt=month.end)
            if held:
                row, _ = UsageDay.objects.get_or_create(**key, day=month.start)
                row.opening_bytes = held
                row.save()
            held += sum(row.delta_bytes for row in rows)
            month = month.next(1)
    add_up()


def noon(day: date) -> datetime:
    """Return the middle of a day, UTC."""
    return datetime(day.year, day.month, day.day, 12, tzinfo=UTC)


def days(first: date, count: int) -> list[date]:
    """Return so many days."""
    return [first + timedelta(days=at) for at in range(count)]
