"""What was paid in advance: plans and bought storage, by the invoices that charged them."""

from datetime import date
from decimal import Decimal

from django.db.models import Q

from billing.invoices.drafts import CREDIT, EXTRA_STORAGE, PLAN
from billing.models import InvoiceKind, InvoiceLine, InvoiceStatus, Subscription
from billing.plans.pricing import recurring_usd
from usage.periods import Period
from usage.units import ZERO, to_cents


def unused_usd(subscription: Subscription, period: Period, day: date) -> Decimal:
    """Return what was charged in advance for a period's days from ``day`` on; one query.

    Where the period before is not closed, its closing charges this one before anything else happens; the subscription
    is given as of then (`billing.changes.preview.as_of`).

    A period's own invoice, made when the one before ended, covers all its days, a change's those that were left.
    Void invoices cover nothing, and what an operator gave was not charged.
    """
    left = (period.end - day).days
    if subscription.is_behind(period):
        return to_cents(recurring_usd(subscription) * left / period.days)
    of_period = Q(invoice__kind=InvoiceKind.PERIOD, invoice__period_end=period.start)
    of_change = Q(invoice__kind=InvoiceKind.CHANGE, invoice__period_start=period.start)
    lines = InvoiceLine.objects.filter(
        of_period | of_change,
        invoice__subscription=subscription,
        category__in=[PLAN, EXTRA_STORAGE, CREDIT],
    ).exclude(invoice__status=InvoiceStatus.VOID)
    total = ZERO
    for amount, kind, issued_at in lines.values_list("amount_usd", "invoice__kind", "invoice__issued_at"):
        covered = period.days if kind == InvoiceKind.PERIOD else (period.end - issued_at.date()).days
        total += amount * left / covered
    return to_cents(max(ZERO, total))
