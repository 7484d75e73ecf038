"""Invoices as pages, REST and downloads read them."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actor import Actor
from access.engine import visible
from billing.models import Invoice, InvoiceStatus, Payment, PaymentStatus
from common.errors import NotFound
from teams.models import Organization
from usage.access import BillingAction


@dataclass(frozen=True, slots=True)
class StatusLabel:
    """What became of an invoice, in a word."""

    label: str
    tone: str = ""
    """success, warning or danger."""


def invoices_of(actor: Actor, organization: Organization) -> QuerySet[Invoice]:
    """Return an organization's invoices that the actor may see, the newest first."""
    rows = Invoice.objects.filter(subscription__organization=organization)
    return visible(actor, BillingAction.VIEW, rows).order_by("-sequence")


def invoice_of(actor: Actor, organization: Organization, number: str) -> Invoice:
    """Return one with its lines.

    Raises:
        NotFound: the organization has none of this number.
    """
    rows = invoices_of(actor, organization).select_related("subscription__organization", "carried_to")
    found = rows.prefetch_related("lines").filter(number=number[:60]).first()
    if found is None:
        raise NotFound(_("This invoice doesn’t exist in %(organization)s.") % {"organization": organization})
    return found


def payments_of(invoice: Invoice) -> QuerySet[Payment]:
    """Return the attempts at an invoice that came to an end, the first one first."""
    ended = invoice.payments.exclude(status=PaymentStatus.PENDING)
    return ended.select_related("method").order_by("pk")


def status_label_of(invoice: Invoice, now: datetime | None = None) -> StatusLabel:
    """Say what became of an invoice: what is late or failed stands out."""
    if invoice.status == InvoiceStatus.PAID:
        return StatusLabel(_("Paid"), "success")
    if invoice.status == InvoiceStatus.VOID:
        return StatusLabel(_("Void"))
    if invoice.status == InvoiceStatus.CARRIED:
        return StatusLabel(_("On the next invoice"))
    if invoice.failure:
        return StatusLabel(_("Payment failed"), "danger")
    if invoice.by_transfer and invoice.due_at < (now or timezone.now()):
        return StatusLabel(_("Overdue"), "danger")
    return StatusLabel(_("Open"), "warning")
