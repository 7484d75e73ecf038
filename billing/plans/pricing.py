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
from decimal import Decimal
from typing import Any

from billing.models import Plan, Subscription, UsageCategory
from usage.periods import Period
from usage.reports.usage_totals import Amounts
from usage.units import GB, HOUR_S, ZERO, to_cents


@dataclass(frozen=True, slots=True)
class UsageLine:
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


def included_in(subscription: Subscription, period: Period) -> dict[UsageCategory, Decimal | None]:
    """Return the hours, mean GB and GB that are included in a period; None: without limit.

    Days count by their terms, rounded to hundredths; those that had no limit as the present terms do.
    """
    spans, now = list(_earlier(subscription, period)), _terms(subscription)
    rest = period.days - sum(days for days, _then in spans)

    def mean(category: UsageCategory, present: int | None) -> Decimal | None:
        if present is None or not spans:
            return None if present is None else Decimal(present)
        amounts = ((days, then[category.value]) for days, then in spans)
        whole = present * rest + sum(
            days * (present if amount is None else amount) for days, amount in amounts
        )
        return to_cents(Decimal(whole) / period.days)

    return {category: mean(category, present) for category, present in now.items()}


def store_earlier_terms(subscription: Subscription, day: date) -> None:
    """Store what is included until a day on which other terms begin; call before they do, and save the row."""
    earlier = {category.value: amount for category, amount in _terms(subscription).items()}
    subscription.earlier_terms = [*subscription.earlier_terms, {"until": day.isoformat(), **earlier}]


def _terms(subscription: Subscription) -> dict[UsageCategory, int | None]:
    return {
        UsageCategory.HOURS: subscription.plan.included_hours,
        UsageCategory.STORAGE: subscription.storage_limit_gb,
        UsageCategory.INGESTION: subscription.plan.included_ingestion_gb,
    }


def _earlier(subscription: Subscription, period: Period) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield how many of the period's days had which terms, without the last."""
    begin = period.start
    for earlier in subscription.earlier_terms:
        until = min(max(date.fromisoformat(earlier["until"]), begin), period.end)
        yield (until - begin).days, earlier
        begin = until


def usage_lines(subscription: Subscription, amounts: Amounts, period: Period) -> list[UsageLine]:
    """Return a line for each category: hours, storage, ingestion.

    Args:
        subscription: Whose plan and bought storage are the terms.
        amounts: Of the period, or of what has passed of it.
        period: The whole of it: storage is the mean over all of it.

    Nothing above the plan is charged in a trial.
    """
    plan, included = subscription.plan, included_in(subscription, period)
    mean_gb = Decimal(amounts.byte_seconds) / period.seconds / GB
    prices = (plan.hour_price_usd, plan.storage_price_usd, plan.ingestion_price_usd)
    of_hours, of_storage, of_traces = (None, None, None) if subscription.is_trial else prices
    hours, taken_in = Decimal(amounts.tracked_s) / HOUR_S, Decimal(amounts.ingested_bytes) / GB
    return [
        UsageLine(UsageCategory.HOURS, "h", hours, included[UsageCategory.HOURS], of_hours),
        UsageLine(UsageCategory.STORAGE, "GB", mean_gb, included[UsageCategory.STORAGE], of_storage),
        UsageLine(UsageCategory.INGESTION, "GB", taken_in, included[UsageCategory.INGESTION], of_traces),
    ]


def by_days(line: UsageLine, subscription: Subscription) -> Decimal | None:
    """Return what a line includes where that is not what the present terms say: terms changed within the period."""
    return None if line.included == _terms(subscription)[line.category] else line.included


def as_limit(line: UsageLine, subscription: Subscription, stored_bytes: int) -> UsageLine:
    """Return a line as its limit counts: of storage what is held now, not the mean, and what may be held now."""
    if line.category != UsageCategory.STORAGE:
        return line
    limit = subscription.storage_limit_gb
    return replace(line, used=Decimal(stored_bytes) / GB, included=None if limit is None else Decimal(limit))


def overage_usd(lines: list[UsageLine]) -> Decimal:
    """Return what use beyond the plan costs, all categories together."""
    return sum((line.amount_usd for line in lines), ZERO)


def terms_usd(plan: Plan, extra_gb: int) -> Decimal:
    """Return what a whole period of a plan costs with so much bought storage, without use beyond them."""
    return to_cents(plan.price_usd) + to_cents(extra_gb * (plan.extra_storage_price_usd or ZERO))


def recurring_usd(subscription: Subscription) -> Decimal:
    """Return what a whole period costs by a payer's present terms; a trial costs nothing."""
    return ZERO if subscription.is_trial else terms_usd(subscription.plan, subscription.extra_storage_gb)


MOST_EXTRA_GB = 1_000_000
