"""What a plan's terms include, and what use beyond it costs. Pure arithmetic: exact until each line is rounded, once.

A line's amount is quantity times price, rounded half up to the cent; totals add up rounded lines, so what is printed
adds up.

Where a payer went to more within a period, its days count by the terms that they had. So the price of the days that are
left buys what is included on these days: whoever buys on the last day has bought a day. What an operator sets counts
for the whole period.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from decimal import ROUND_HALF_UP, Decimal

from billing.models import Plan, Subscription
from billing.models.usage import UsageCategory
from billing.periods import Period
from billing.units import CENT, GB, HOUR_S

ZERO = Decimal(0)
_NAMES = ("hours", "storage_gb", "ingestion_gb")
"""Of what is included."""


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


@dataclass(frozen=True, slots=True)
class Included:
    """Hours, mean GB and GB of a period before anything is charged above; None: without limit."""

    hours: Decimal | None
    storage_gb: Decimal | None
    ingestion_gb: Decimal | None


def included_in(subscription: Subscription, period: Period) -> Included:
    """Return what is included in a period: days by their terms, rounded to hundredths.

    Days that had no limit count as the present terms do.
    """
    now, spans = _terms(subscription), list(_earlier(subscription, period))

    def mean(name: str) -> Decimal | None:
        present = now[name]
        if present is None or not spans:
            return None if present is None else Decimal(present)
        rest = period.days - sum(days for days, _terms_then in spans)
        whole = present * rest
        for days, then in spans:
            whole += days * (present if then[name] is None else then[name] or 0)
        return to_cents(Decimal(whole) / period.days)

    return Included(*(mean(name) for name in _NAMES))


def keep_terms(subscription: Subscription, day: date) -> None:
    """Note what is included until a day on which other terms begin; call before they do, and save the row."""
    told = {"until": day.isoformat(), **_terms(subscription)}
    subscription.earlier_terms = [*subscription.earlier_terms, told]


def _terms(subscription: Subscription) -> dict[str, int | None]:
    plan = subscription.plan
    amounts = (plan.included_hours, subscription.storage_limit_gb, plan.included_ingestion_gb)
    return dict(zip(_NAMES, amounts, strict=True))


def _earlier(subscription: Subscription, period: Period) -> Iterator[tuple[int, dict[str, int | None]]]:
    """Yield how many of the period's days had which terms, without the last."""
    begin = period.start
    for told in subscription.earlier_terms:
        until = min(max(date.fromisoformat(told["until"]), begin), period.end)
        yield (until - begin).days, told
        begin = until


def lines_of(subscription: Subscription, amounts: Amounts, period: Period) -> list[Line]:
    """Return a line for each category: hours, storage, ingestion.

    Args:
        subscription: Whose plan and bought storage are the terms.
        amounts: Of the period, or of what has passed of it.
        period: The whole of it: storage is the mean over all of it.
    """
    plan, included = subscription.plan, included_in(subscription, period)
    mean_gb = Decimal(amounts.byte_seconds) / period.seconds / GB
    hours, taken_in = Decimal(amounts.tracked_s) / HOUR_S, Decimal(amounts.ingested_bytes) / GB
    return [
        Line(UsageCategory.HOURS, "h", hours, included.hours, plan.hour_price_usd),
        Line(UsageCategory.STORAGE, "GB", mean_gb, included.storage_gb, plan.storage_price_usd),
        Line(UsageCategory.INGESTION, "GB", taken_in, included.ingestion_gb, plan.ingestion_price_usd),
    ]


def as_limit(line: Line, subscription: Subscription, held_bytes: int) -> Line:
    """Return a line as its limit counts: of storage what is held now, not the mean, and what may be held now."""
    if line.category != UsageCategory.STORAGE:
        return line
    limit = subscription.storage_limit_gb
    return replace(line, used=Decimal(held_bytes) / GB, included=None if limit is None else Decimal(limit))


def overage_usd(lines: list[Line]) -> Decimal:
    """Return what use beyond the plan costs, all categories together."""
    return sum((line.amount_usd for line in lines), ZERO)


def price_of(plan: Plan, extra_gb: int) -> Decimal:
    """Return what a whole period of a plan costs with so much bought storage, without use beyond them."""
    return to_cents(plan.price_usd) + to_cents(extra_gb * (plan.extra_storage_price_usd or ZERO))


def standing_usd(subscription: Subscription) -> Decimal:
    """Return what a whole period costs by a payer's present terms."""
    return price_of(subscription.plan, subscription.extra_storage_gb)
