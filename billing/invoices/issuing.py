"""Making an invoice: a number without gaps, lines that add up, and both sides as they were on that day (BIL-10)."""

import itertools
from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from access.actor import SYSTEM
from access.audit import log
from billing.formatting import payment_name
from billing.gateways import gateway_and_method
from billing.gateways.base import BANK_TRANSFER, Gateway
from billing.invoices import mails as invoice_mails
from billing.invoices.drafts import LineDraft, carried_drafts
from billing.models import Invoice, InvoiceKind, InvoiceLine, InvoiceStatus, PaymentMethod, Subscription
from billing.subscriptions.selectors import locked
from usage.periods import Period
from usage.units import ZERO, to_cents

DUE_DAYS = 14
"""For bank transfers; cards are charged at once."""
_PREFIX_LENGTH = 32
_QUANTITY = Decimal("0.000001")


def issue(
    subscription: Subscription,
    kind: InvoiceKind,
    period: Period,
    drafts: Sequence[LineDraft],
    at: datetime,
) -> Invoice | None:
    """Make an invoice, in the caller's transaction; None where nothing is to be paid, which uses up no number.

    The number comes from the subscription's row, which is locked until the caller commits: whoever rolls back gives it
    back, so there are no gaps. Credits never exceed what the same invoice charges; nothing of them is carried on. By an
    invoice below the gateway's minimum nothing is due: the next period's charges it.

    Args:
        subscription: Who pays. Its numbers are brought up to date.
        kind: Why.
        period: What it is for; of kind PERIOD there is one invoice for each.
        drafts: Its lines, in the order in which they are printed.
        at: When it is issued.
    """
    row = locked(subscription)
    gateway, method = gateway_and_method(row)
    carried = list(_carried_invoices(row)) if kind == InvoiceKind.PERIOD else []
    lines = _lines([*drafts, *carried_drafts(carried)])
    total = sum((line.amount_usd for line in lines), ZERO)
    own = total - sum((small.total_usd for small in carried), ZERO)
    if total <= ZERO or (own <= ZERO and total < gateway.minimum_usd):
        return None
    _number(row, subscription)
    invoice = _create_invoice(
        row, kind=kind, period=period, total=total, at=at, gateway=gateway, method=method
    )
    for line in lines:
        line.invoice = invoice
    InvoiceLine.objects.bulk_create(lines)
    for small in carried:
        small.carried_to = invoice
        small.save(update_fields=["carried_to", "updated_at"])
    log.record(
        SYSTEM, "invoice.issue", invoice, organization_id=row.organization_id,
        after={"total_usd": str(total), "period_start": str(period.start), "kind": str(kind)},
    )  # fmt: skip
    if invoice.status == InvoiceStatus.CARRIED:
        after = {"status": invoice.status, "total_usd": str(total), "minimum_usd": str(gateway.minimum_usd)}
        log.record(SYSTEM, "invoice.carry", invoice, organization_id=row.organization_id, after=after)
    else:
        invoice_mails.mail_issued(invoice)
    return invoice


def _carried_invoices(row: Subscription) -> QuerySet[Invoice]:
    """Return the invoices that were too small to be charged, and that none charges yet."""
    return row.invoices.filter(status=InvoiceStatus.CARRIED, carried_to=None).order_by("sequence")


def _lines(drafts: Sequence[LineDraft]) -> list[InvoiceLine]:
    return [
        InvoiceLine(
            position=position,
            category=draft.category,
            description=draft.description[:300],
            quantity=draft.quantity.quantize(_QUANTITY),
            unit=draft.unit,
            unit_price_usd=draft.unit_price_usd,
            amount_usd=to_cents(draft.amount_usd),
            days=draft.days,
            of_days=draft.of_days,
        )
        for position, draft in enumerate(drafts, start=1)
    ]


def _number(row: Subscription, subscription: Subscription) -> None:
    """Take the next number from the locked row, and tell the caller's copy."""
    row.invoice_prefix = row.invoice_prefix or _prefix_of(row)
    row.invoices_made += 1
    row.save(update_fields=["invoice_prefix", "invoices_made", "updated_at"])
    subscription.invoice_prefix, subscription.invoices_made = row.invoice_prefix, row.invoices_made


def _prefix_of(row: Subscription) -> str:
    """Return the payer's name in capitals; long names are cut, and one that is taken gets a number."""
    base = row.payer.name.upper()[:_PREFIX_LENGTH]
    taken = set(
        Subscription.objects.filter(invoice_prefix__startswith=base).values_list("invoice_prefix", flat=True)
    )
    candidates = itertools.chain([base], (f"{base}-{number}" for number in itertools.count(row.pk)))
    return next(candidate for candidate in candidates if candidate not in taken)


def _create_invoice(
    row: Subscription,
    *,
    kind: InvoiceKind,
    period: Period,
    total: Decimal,
    at: datetime,
    gateway: Gateway,
    method: PaymentMethod | None,
) -> Invoice:
    due_at = at if gateway.is_automatic else at + timedelta(days=DUE_DAYS)
    return Invoice.objects.create(
        subscription=row,
        sequence=row.invoices_made,
        number=f"{row.invoice_prefix}-{row.invoices_made:04}",
        kind=kind,
        period_start=period.start,
        period_end=period.end,
        issued_at=at,
        due_at=due_at,
        total_usd=total,
        status=InvoiceStatus.OPEN if total >= gateway.minimum_usd else InvoiceStatus.CARRIED,
        details=_details(row, method, by_transfer=not gateway.is_automatic),
        gateway=gateway.key,
        next_attempt_at=None if gateway.is_automatic else due_at,
    )


def _details(row: Subscription, method: PaymentMethod | None, *, by_transfer: bool) -> dict[str, Any]:
    """Return both sides as they are now; invoices never change."""
    payer = row.payer
    shown = getattr(payer, "display_name", "") or payer.name
    return {
        "seller": settings.BILLING_SELLER.replace("\\n", "\n"),
        "buyer": {
            "name": row.billing_name or shown,
            "payer": payer.name,
            "address": row.billing_address,
            "tax_id": row.tax_id,
            "purchase_order": row.purchase_order,
        },
        "plan": row.plan.name,
        "payment": payment_name(BANK_TRANSFER, "") if by_transfer else str(method or ""),
        "bank_details": settings.BILLING_BANK_DETAILS.replace("\\n", "\n") if by_transfer else "",
    }
