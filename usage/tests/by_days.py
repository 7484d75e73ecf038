"""Use added up day by day in Python: the plain arithmetic that `usage.reports.sums` is held against."""

from collections.abc import Collection
from datetime import UTC, datetime, time
from typing import Any

from django.db.models import Sum

from usage.models import SUMS, UsageDay
from usage.periods import Period, month_of
from usage.reports.usage_totals import UsageTotals, until_of
from usage.units import DAY_S


def _add(use: UsageTotals, row: dict[str, Any], period: Period, until: datetime) -> None:
    day = row["day"]
    if datetime.combine(day, time(), UTC) >= until:  # it only says what the day begins with
        row = dict.fromkeys(row, 0) | {"opening_bytes": row["opening_bytes"]}
    opening = row["opening_bytes"] if day == month_of(period.start).start else 0
    carried = opening + (row["delta_bytes"] if day < period.start else 0)
    use.held_bytes += opening + row["delta_bytes"]
    use.byte_seconds += carried * period.elapsed_s(until)
    if day < period.start:
        return
    day_end_s = ((day - period.start).days + 1) * DAY_S
    use.byte_seconds += row["byte_seconds"] + row["delta_bytes"] * (period.elapsed_s(until) - day_end_s)
    use.tracked_s += row["tracked_s"]
    use.ingested_bytes += row["ingested_bytes"]
    use.gpu_s += row["gpu_s"]
    use.energy_j += row["energy_j"]


def use_by(
    team_ids: Collection[int],
    period: Period,
    until: datetime | None = None,
    by: tuple[str, ...] = (),
) -> dict[tuple[Any, ...], UsageTotals]:
    """Return what teams used in a period, by any columns; day by day from the finest rows."""
    until = until or until_of(period)
    rows = UsageDay.objects.filter(
        team_id__in=team_ids, day__gte=month_of(period.start).start, day__lt=period.end
    )
    found: dict[tuple[Any, ...], UsageTotals] = {} if by else {(): UsageTotals()}
    for row in (
        rows.filter(day__lte=until.date())
        .values(*by, "day")
        .annotate(**{f"{name}_": Sum(name) for name in SUMS})
    ):
        sums = {name: row[f"{name}_"] for name in SUMS}
        use = found.setdefault(tuple(row[name] for name in by), UsageTotals())
        _add(use, {**sums, "day": row["day"]}, period, until)
    return found
