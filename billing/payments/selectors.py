"""What the page of payment shows (BIL-7)."""

from dataclasses import dataclass
from datetime import date

from django.conf import settings
from django.utils import timezone

from access.actor import Actor
from access.engine import visible
from billing.formatting import payment_name
from billing.gateways.base import BANK_TRANSFER
from billing.models import Invoice, InvoiceStatus, PaymentMethod, PaymentStatus, Subscription
from usage.access import BillingAction

SOON_DAYS = 45
"""So long before its end a card is marked."""


@dataclass(frozen=True, slots=True)
class MethodRow:
    """A way to pay and what is to be said of it."""

    method: PaymentMethod
    is_expired: bool
    expires_soon: bool

    @property
    def is_transfer(self) -> bool:
        """Whether it is no card."""
        return self.method.brand == BANK_TRANSFER

    @property
    def brand(self) -> str:
        """The brand as people write it."""
        return payment_name(self.method.brand, "")


@dataclass(frozen=True, slots=True)
class DueInvoice:
    """An open invoice, and what became of it so far."""

    invoice: Invoice
    is_under_way: bool
    is_overdue: bool


def method_rows(actor: Actor, subscription: Subscription) -> list[MethodRow]:
    """Return the ways to pay of an organization, the default first; one query."""
    rows = PaymentMethod.objects.filter(subscription=subscription, removed_at=None)
    today = timezone.now().date()
    return [
        method_row(row, today)
        for row in visible(actor, BillingAction.VIEW, rows).order_by("-is_default", "pk")
    ]


def method_row(method: PaymentMethod, today: date) -> MethodRow:
    """Return a way to pay with whether its card has ended or ends soon."""
    ends = _first_day_after(method)
    left = (ends - today).days if ends else None
    return MethodRow(method, left is not None and left <= 0, left is not None and 0 < left <= SOON_DAYS)


def _first_day_after(method: PaymentMethod) -> date | None:
    """Return the first day on which a card does not hold any more: it holds to the end of its month."""
    if not method.exp_year or not method.exp_month:
        return None
    ended = method.exp_month == 12
    return date(method.exp_year + ended, 1 if ended else method.exp_month + 1, 1)


def due_invoices(actor: Actor, subscription: Subscription) -> list[DueInvoice]:
    """Return the open invoices of an organization, the oldest first; two queries."""
    rows = Invoice.objects.filter(subscription=subscription, status=InvoiceStatus.OPEN)
    shown = list(visible(actor, BillingAction.VIEW, rows).order_by("pk")[:50].prefetch_related("payments"))
    now = timezone.now()
    return [
        DueInvoice(
            row,
            any(payment.status == PaymentStatus.PENDING for payment in row.payments.all()),
            row.by_transfer and row.due_at < now,
        )
        for row in shown
    ]


def bank_details() -> str:
    """Return where transfers go, in lines; "" where the operator has not said."""
    return str(settings.BILLING_BANK_DETAILS).replace("\\n", "\n")
