"""Lines of invoices before they have a number: what is charged, made of a plan's terms and of what was used.

Invoices are in English with days as 2026-11-30: they go to book-keepers, and are kept as they were written.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from billing.formatting import plain
from billing.models import Invoice, InvoiceLine, Subscription, UsageCategory
from billing.plans.pricing import UsageLine
from usage.periods import Period
from usage.units import ZERO, to_cents

PLAN, EXTRA_STORAGE, CREDIT, CARRIED = "plan", "extra_storage", "credit", "carried"
"""Categories of lines besides those of use."""

_TWO_PLACES = Decimal("0.01")
_WHAT = {
    UsageCategory.HOURS: "Tracked hours",
    UsageCategory.STORAGE: "Storage",
    UsageCategory.INGESTION: "Trace data",
}


@dataclass(frozen=True, slots=True)
class LineDraft:
    """One line of an invoice to be made."""

    category: str
    """plan, extra_storage, hours, storage, ingestion, credit or carried."""
    description: str
    """English, at most 300 characters."""
    quantity: Decimal
    unit: str
    unit_price_usd: Decimal
    amount_usd: Decimal
    """Quantity times price, to the cent; negative for credits."""
    days: int | None = None
    """Where a part of a period is charged: so many days of it, by which the quantity was taken."""
    of_days: int | None = None


def days_of(period: Period) -> str:
    """Return a period's first and last day: "2026-11-01 to 2026-11-30"."""
    return f"{period.start} to {period.last_day}"


def quantity_text(line: InvoiceLine) -> str:
    """Return how a line's quantity came about: "200 GB × 8 of 30 days", "8,420 h".

    It has two decimals, and more only where the price times two would not be the amount that stands beside it.
    """
    if line.days is None or line.of_days is None:
        return f"{plain(_shown_quantity(line))} {line.unit}"
    part = f"{line.days} of {line.of_days} days"
    if line.category == PLAN:
        return part
    whole = (line.quantity * line.of_days / line.days).quantize(Decimal(1))  # storage is bought in whole GB
    return f"{plain(whole)} {line.unit} × {part}"


def _shown_quantity(line: InvoiceLine) -> Decimal:
    places = (_TWO_PLACES.scaleb(-more) for more in range(4))
    shown = (line.quantity.quantize(place, ROUND_HALF_UP) for place in places)
    amounts_to = (at for at in shown if to_cents(at * line.unit_price_usd) == line.amount_usd)
    return next(amounts_to, line.quantity)


def overage_drafts(lines: Iterable[UsageLine], period: Period) -> list[LineDraft]:
    """Return a line for each category whose use beyond the plan costs something."""
    return [
        LineDraft(
            category=str(line.category.value),
            description=f"{_WHAT[line.category]} above {plain(line.included or ZERO)} {line.unit}, {days_of(period)}",
            quantity=line.above,
            unit=line.unit,
            unit_price_usd=line.price_usd or ZERO,
            amount_usd=line.amount_usd,
        )
        for line in lines
        if line.amount_usd
    ]


def carried_drafts(invoices: Iterable[Invoice]) -> list[LineDraft]:
    """Return a line for each invoice that was too small to be charged by itself."""
    return [
        LineDraft(CARRIED, f"Carried from {row.number}", Decimal(1), "invoice", row.total_usd, row.total_usd)
        for row in invoices
    ]


def recurring_drafts(subscription: Subscription, period: Period) -> list[LineDraft]:
    """Return what a whole period costs in advance: the plan, and storage that was bought; a trial costs nothing."""
    if subscription.is_trial:
        return []
    plan, gb = subscription.plan, subscription.extra_storage_gb
    price = plan.extra_storage_price_usd or ZERO
    drafts = [
        LineDraft(
            PLAN, f"{plan.name} plan, {days_of(period)}", Decimal(1), "period", plan.price_usd,
            to_cents(plan.price_usd),
        ),
        LineDraft(
            EXTRA_STORAGE, f"Extra storage, {days_of(period)}", Decimal(gb), "GB", price, to_cents(gb * price)
        ),
    ]  # fmt: skip
    return [draft for draft in drafts if draft.amount_usd]
