"""How much of each limit is used, and what happens at it (BIL-2, BIL-3).

Limits of a plan inform; only with ``settings.ENFORCE_LIMITS`` is anything refused, and never a metric, a log, a config,
a summary or the end of a run.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum

from django.conf import settings
from django.db.models import Q, Sum
from django.utils import timezone

from billing.limits.seats import SeatsTaken, seats_taken
from billing.models import Subscription
from billing.plans.pricing import as_limit, usage_lines
from billing.subscriptions.selectors import payers_by_team
from billing.subscriptions.usage import use_by_payer
from storage.models import Holding
from usage.periods import Period, period_at
from usage.reports.usage_totals import UsageTotals

NEAR_PERCENT = 85
FULL_PERCENT = 100


class LimitKind(StrEnum):
    """What is limited."""

    SEATS = "seats"
    VIEW_ONLY_SEATS = "view_only_seats"
    HOURS = "hours"
    STORAGE = "storage"
    INGESTION = "ingestion"


SEATS = frozenset({LimitKind.SEATS, LimitKind.VIEW_ONLY_SEATS})


class LimitStatus(StrEnum):
    """How close something is to its limit."""

    WITHIN = "within"
    NEAR = "near"
    """From 85 % on."""
    FULL = "full"
    """From 100 % on."""


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit and what is used of it."""

    kind: LimitKind
    unit: str
    """"" for seats, h, GB."""
    used: Decimal
    included: Decimal | None
    """None: without limit."""
    price_usd: Decimal | None = None
    """For a unit above it; None: none is sold."""

    @property
    def percent(self) -> Decimal | None:
        """How much of it is used; None without a limit. A limit of 0 is full from the start."""
        if self.included is None:
            return None
        return self.used / self.included * 100 if self.included else Decimal(FULL_PERCENT)

    @property
    def status(self) -> LimitStatus:
        """How close it is."""
        percent = self.percent
        if percent is None or percent < NEAR_PERCENT:
            return LimitStatus.WITHIN
        return LimitStatus.NEAR if percent < FULL_PERCENT else LimitStatus.FULL

    @property
    def width(self) -> float:
        """How much of its bar is filled, in percent."""
        return min(float(FULL_PERCENT), round(float(self.percent or 0), 2))

    @property
    def is_exceeded(self) -> bool:
        """Whether more is used than the limit; all seats taken is not more."""
        return self.included is not None and self.used > self.included


@dataclass(frozen=True, slots=True)
class Limits:
    """All limits of a subscription at a moment."""

    subscription: Subscription
    period: Period
    all: tuple[Limit, ...]
    """In the order of `LimitKind`; personal entities have no seats."""

    def of(self, kind: LimitKind) -> Limit | None:
        """Return one of them."""
        return next((limit for limit in self.all if limit.kind is kind), None)

    @property
    def near(self) -> list[Limit]:
        """Those that are near or reached."""
        return [limit for limit in self.all if limit.status is not LimitStatus.WITHIN]


def refused_from(subscription: Subscription) -> datetime | None:
    """Return from when on uploads of files are refused, a time that may have passed; None: they are not.

    They are where limits are enforced, more is stored than the limit, and the plan sells nothing above it.
    """
    since, plan = subscription.over_storage_since, subscription.plan
    if not settings.ENFORCE_LIMITS or since is None or plan.storage_price_usd is not None:
        return None
    return None if subscription.storage_limit_gb is None else since + timedelta(days=plan.grace_days)


def limits_of(subscription: Subscription, now: datetime | None = None) -> Limits:
    """Return the limits of a subscription and what is used of each."""
    return limits_by_subscription([subscription], now)[subscription.pk]


def limits_by_subscription(
    subscriptions: Collection[Subscription], now: datetime | None = None
) -> dict[int, Limits]:
    """Return the limits of subscriptions by their keys: a fixed number of queries, one more for each anchor day.

    Args:
        subscriptions: With their plans.
        now: In which period.
    """
    now = now or timezone.now()
    taken = seats_taken([row.organization_id for row in subscriptions if row.organization_id is not None])
    stored = bytes_by_subscription(subscriptions)
    found = {}
    for anchor in sorted({row.anchor_day for row in subscriptions}):
        rows = [row for row in subscriptions if row.anchor_day == anchor]
        period = period_at(now, anchor)
        used = use_by_payer(rows, period)
        for row in rows:
            seats = taken.get(row.organization_id or 0, SeatsTaken())
            limits = _limits(row, period, seats, stored.get(row.pk, 0), used[row.pk])
            found[row.pk] = Limits(row, period, limits)
    return found


def has_limits() -> Q:
    """Return a condition on subscriptions: their plan limits anything."""
    names = ("seats", "view_only_seats", "included_hours", "included_storage_gb", "included_ingestion_gb")
    condition = Q()
    for name in names:
        condition |= Q(**{f"plan__{name}__isnull": False})
    return condition


def _limits(
    row: Subscription, period: Period, taken: SeatsTaken, stored_bytes: int, use: UsageTotals
) -> tuple[Limit, ...]:
    plan, kind = row.plan, LimitKind
    seats: tuple[Limit, ...] = ()
    if row.organization_id is not None:
        counted = taken.of(plan)
        seats = (Limit(kind.SEATS, "", Decimal(counted.full), _decimal(plan.seats)),)
        if plan.has_view_only_role:
            looking = Decimal(counted.view_only)
            seats += (Limit(kind.VIEW_ONLY_SEATS, "", looking, _decimal(plan.view_only_seats)),)
    limits = (as_limit(line, row, stored_bytes) for line in usage_lines(row, use.amounts, period))
    return (
        *seats,
        *(
            Limit(LimitKind(line.category.value), line.unit, line.used, line.included, line.price_usd)
            for line in limits
        ),
    )


def bytes_by_subscription(subscriptions: Collection[Subscription]) -> dict[int, int]:
    """Return how many bytes are stored now, by subscription."""
    payers, stored = payers_by_team(subscriptions), dict.fromkeys((row.pk for row in subscriptions), 0)
    rows = Holding.objects.filter(team_id__in=payers).values_list("team_id")
    for team, size_bytes in rows.annotate(total=Sum("size_bytes")).values_list("team_id", "total"):
        stored[payers[team]] += size_bytes
    return stored


def _decimal(value: int | None) -> Decimal | None:
    return None if value is None else Decimal(value)
