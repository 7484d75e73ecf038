"""Usage as programs read it: rows by team, project, person, day or month, and their sum."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from access.actor import Actor
from usage.periods import Period, month_of, months_between
from usage.reports import sums
from usage.reports.filters import MONTHS
from usage.reports.names import RowName, names_of
from usage.reports.usage_totals import UsageTotals, metered_at, until_between
from usage.units import GB, HOUR_S, KWH_J

BY = ("team", "project", "user", "day", "month")


@dataclass(frozen=True, slots=True)
class UsageReport:
    """An answer."""

    period: Period
    metered_at: datetime | None
    count: int
    total: dict[str, float]
    rows: list[dict[str, Any]]


def usage_report(
    actor: Actor, team_ids: sums.TeamIds, *, by: str, period: Period, now: datetime, limit: int
) -> UsageReport:
    """Read usage; two to four queries.

    Args:
        actor: Who asks: names of restricted projects are left out where they may not see them.
        team_ids: Whose.
        by: One of `BY`; by month are the last twelve calendar months, whatever the period.
        period: Which.
        now: The present.
        limit: At most so many rows by team, project or person, those with most tracked hours first.
    """
    over, counted = sums.LedgerFilter(team_ids), metered_at()
    if by == "month":
        return _by_month(over, counted, now)
    until = until_between(period, counted)
    total = sums.use_by_key(over, period, until).get((), UsageTotals())
    if by == "day":
        days = sums.use_by_day(over, period, until)
        rows = [{"day": day} | amounts(use, _elapsed_s(day, until)) for day, use in days.items()]
        count = len(rows)
    else:
        column, seconds = f"{by}_id", period.elapsed_s(until)
        uses = {
            pk: use
            for (pk,), use in sums.use_by_key(over, period, until, column).items()
            if use != UsageTotals()
        }
        ranked = sorted(uses, key=lambda pk: (-uses[pk].tracked_s, -uses[pk].byte_seconds, pk))[:limit]
        names, count = names_of(actor, column, ranked), len(uses)
        rows = [_name_to_dict(by, pk, names) | amounts(uses[pk], seconds) for pk in ranked]
    return UsageReport(period, counted, count, amounts(total, period.elapsed_s(until)), rows)


def _by_month(over: sums.LedgerFilter, counted: datetime | None, now: datetime) -> UsageReport:
    present = month_of((counted or now).date())
    first = present
    for _step in range(MONTHS - 1):
        first = first.previous(1)
    months = list(months_between(first.start, present.start))
    span = Period(first.start, present.end)
    until = until_between(span, counted)
    found = sums.use_by_month(over, months, until)
    uses = {month: found.get((month.start,), UsageTotals()) for month in months}
    rows = [
        {"month": f"{month.start:%Y-%m}"} | amounts(use, month.elapsed_s(until))
        for month, use in uses.items()
    ]
    whole = UsageTotals(
        sum(use.tracked_s for use in uses.values()), sum(use.byte_seconds for use in uses.values()),
        uses[months[-1]].held_bytes, sum(use.ingested_bytes for use in uses.values()),
        sum(use.gpu_s for use in uses.values()), sum(use.energy_j for use in uses.values()),
        sum(use.host_gpu_s for use in uses.values()), sum(use.host_energy_j for use in uses.values()),
    )  # fmt: skip
    return UsageReport(span, counted, len(rows), amounts(whole, span.elapsed_s(until)), rows)


def _elapsed_s(day: date, until: datetime) -> int:
    return Period(day, date.fromordinal(day.toordinal() + 1)).elapsed_s(until)


def _name_to_dict(by: str, pk: int, names: Mapping[int, RowName]) -> dict[str, Any]:
    name = names[pk]
    shown = name.text if name.is_given else None
    row: dict[str, Any] = {by: shown, "is_deleted": name.is_gone}
    if by == "project":
        row |= {"project_id": pk or None, "team": name.team or None}
    return row


def amounts(use: UsageTotals, seconds: int) -> dict[str, float]:
    """Return what was used in units, with six decimals."""
    return {
        "tracked_hours": round(use.tracked_s / HOUR_S, 6),
        "storage_average_gb": round(use.mean_bytes(seconds) / GB, 6),
        "storage_end_gb": round(use.held_bytes / GB, 6),
        "ingested_gb": round(use.ingested_bytes / GB, 6),
        "gpu_hours": round(use.gpu_s / HOUR_S, 6),
        "energy_kwh": round(use.energy_j / KWH_J, 6),
        "host_gpu_hours": round(use.host_gpu_s / HOUR_S, 6),
        "host_energy_kwh": round(use.host_energy_j / KWH_J, 6),
    }
