"""What use costs under a plan's terms. Pure arithmetic: exact until each line is rounded to the cent, once.

A line's amount is quantity times price, rounded half up; totals add up rounded lines, so what is printed adds up.
"""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from billing.models import Plan, Subscription
from billing.models.usage import UsageCategory
from billing.units import CENT, GB, HOUR_S

ZERO = Decimal(0)


def to_cents(amount: Decimal) -> Decimal:
    """Round to the cent, half up."""
    return amount.quantize(CENT, ROUND_HALF_UP)


@dataclass(frozen=True, slots=True)
class Amounts:
    """What was used in (a part of) a period."""

    tracked_s: int = 0
    byte_seconds: int = 0
    """Bytes held, times the seconds they were held."""
    ingested_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """One category: what was used, how much of that is included, and what the rest costs."""

    category: UsageCategory
    unit: str
    """h, GB."""
    used: Decimal
    included: Decimal | None
    """None: without limit."""
    price_usd: Decimal | None
    """For a unit above; None: nothing above is billed."""

    @property
    def above(self) -> Decimal:
        """How much goes beyond what is included."""
        return ZERO if self.included is None else max(ZERO, self.used - self.included)

    @property
    def amount_usd(self) -> Decimal:
        """What that costs, to the cent."""
        return ZERO if self.price_usd is None else to_cents(self.above * self.price_usd)

    @property
    def percent(self) -> Decimal | None:
        """How much of the limit is used; None without one. A limit of 0 is full from the start."""
        if self.included is None:
            return None
        return self.used / self.included * 100 if self.included else Decimal(100)


def lines_of(subscription: Subscription, amounts: Amounts, period_s: int) -> list[Line]:
    """Return a line for each category: hours, storage, ingestion.

    Args:
        subscription: Whose plan and bought storage are the terms.
        amounts: Of the period, or of what has passed of it.
        period_s: The whole period's length: storage is the mean over all of it.
    """
    plan = subscription.plan
    mean_gb = Decimal(amounts.byte_seconds) / period_s / GB
    return [
        Line(
            UsageCategory.HOURS, "h", Decimal(amounts.tracked_s) / HOUR_S, _decimal(plan.included_hours),
            plan.hour_price_usd,
        ),
        Line(
            UsageCategory.STORAGE, "GB", mean_gb, _decimal(subscription.storage_limit_gb), plan.storage_price_usd
        ),
        Line(
            UsageCategory.INGESTION, "GB", Decimal(amounts.ingested_bytes) / GB,
            _decimal(plan.included_ingestion_gb), plan.ingestion_price_usd,
        ),
    ]  # fmt: skip


def overage_usd(lines: list[Line]) -> Decimal:
    """Return what use beyond the plan costs, all categories together."""
    return sum((line.amount_usd for line in lines), ZERO)


def standing_usd(
    subscription: Subscription, plan: Plan | None = None, extra_gb: int | None = None
) -> Decimal:
    """Return what a whole period costs without use beyond the plan; another plan or storage as asked."""
    plan = plan or subscription.plan
    gb = subscription.extra_storage_gb if extra_gb is None else extra_gb
    return to_cents(plan.price_usd) + to_cents(gb * (plan.extra_storage_price_usd or ZERO))


def _decimal(value: int | None) -> Decimal | None:
    return None if value is None else Decimal(value)
