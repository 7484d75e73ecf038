"""What was used, read from `UsageDay`: a query for any grouping, whose rows are those that are drawn."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import Any

from django.db.models import QuerySet, Sum

from billing.charges import Amounts
from billing.models import MeterState, Subscription, UsageDay
from billing.periods import Period, month_of
from billing.subscriptions import teams_of
from billing.units import DAY_S

_SUMS = ("tracked_s", "opening_bytes", "delta_bytes", "byte_seconds", "ingested_bytes", "gpu_s", "energy_j")


@dataclass(slots=True)
class Use:
    """What somebody used in a period, up to a moment."""

    tracked_s: int = 0
    byte_seconds: int = 0
    """Bytes held, times the seconds they were held within the period."""
    held_bytes: int = 0
    """At that moment."""
    ingested_bytes: int = 0
    gpu_s: int = 0
    energy_j: int = 0

    @property
    def amounts(self) -> Amounts:
        """What charges are made of."""
        return Amounts(self.tracked_s, self.byte_seconds, self.ingested_bytes)

    def mean_bytes(self, elapsed_s: int) -> int:
        """Return what was held on average in so many seconds."""
        return self.byte_seconds // elapsed_s if elapsed_s else 0


def metered_at() -> datetime | None:
    """Return up to when everything is counted; None before the meter first ran."""
    return MeterState.objects.values_list("metered_at", flat=True).first()


def until_of(period: Period) -> datetime:
    """Return up to when use of a period is known: its end, or how far the meter came."""
    return until_between(period, metered_at())


def until_between(period: Period, counted: datetime | None) -> datetime:
    """Return the same of a meter that came to ``counted``."""
    return max(period.starts_at, min(period.ends_at, counted or period.starts_at))


def _add(use: Use, row: dict[str, Any], period: Period, until: datetime) -> None:
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
    team_ids: Collection[int] | QuerySet[Any, Any],
    period: Period,
    until: datetime | None = None,
    by: tuple[str, ...] = (),
    **only: Any,
) -> dict[tuple[Any, ...], Use]:
    """Return what teams used in a period, one query.

    Args:
        team_ids: Keys of teams.
        period: Any days; storage is held from what there was at its begin.
        until: Up to when, at most the period's end: the begin of a day, or by default how far the meter came. Of a day
            that it is in the middle of, everything counts that was metered.
        by: Any of team_id, project_id, user_id, in the order of the answer's keys; () for one sum under ``()``.
        only: More conditions on `UsageDay`.
    """
    until = until or until_of(period)
    rows = UsageDay.objects.filter(
        team_id__in=team_ids, day__gte=month_of(period.start).start, day__lt=period.end, **only
    )
    found: dict[tuple[Any, ...], Use] = {} if by else {(): Use()}
    for row in (
        rows.filter(day__lte=until.date())
        .values(*by, "day")
        .annotate(**{f"{name}_": Sum(name) for name in _SUMS})
    ):
        sums = {name: row[f"{name}_"] for name in _SUMS}
        use = found.setdefault(tuple(row[name] for name in by), Use())
        _add(use, {**sums, "day": row["day"]}, period, until)
    return found


def use_of(subscription: Subscription, period: Period, until: datetime | None = None) -> Use:
    """Return what all teams of a payer used in a period."""
    return use_by(teams_of(subscription).values("pk"), period, until)[()]
