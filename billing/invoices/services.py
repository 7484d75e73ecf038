"""What becomes of invoices: paid, failed, void. Their numbers, lines and addresses never change (BIL-10)."""

import logging
from datetime import datetime, timedelta

from celery import signature
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actor import SYSTEM, Actor, ActorKind
from access.audit import log
from access.engine import require_operator
from billing import gateways
from billing.invoices import mails as invoice_mails
from billing.models import Invoice, InvoiceStatus, Payment, PaymentStatus
from common.database.commits import after_commit
from common.errors import Conflict, Invalid

logger = logging.getLogger(__name__)

REMINDED_EVERY = timedelta(days=7)
REMINDERS = 3
"""Of each invoice; then people write to people."""
_WITH = ("subscription__organization", "subscription__team", "subscription__plan")


@transaction.atomic
def mark_paid(*, invoice: Invoice, payment_ref: str, at: datetime, actor: Actor = SYSTEM) -> Invoice:
    """Record that an invoice was paid, and mail the receipt; a paid one is left alone.

    Args:
        invoice: An open one.
        payment_ref: What the gateway, or the bank, calls the payment.
        at: When the money came.
        actor: The gateway's word is the system's; that a bank transfer arrived is an operator's.

    Raises:
        Forbidden: neither the system nor an operator says so.
        Conflict: nothing is owed by the invoice, or an operator says so while a charge is under way.
    """
    require_operator(actor, action="invoice.settle")
    row = _locked(invoice)
    if row.status == InvoiceStatus.PAID:
        return row
    _require_open(row)
    _require_no_pending_charge(actor, row)
    before = row.status
    row.status, row.paid_at, row.failure, row.next_attempt_at = InvoiceStatus.PAID, at, "", None
    row.ref = payment_ref or row.ref
    row.save(update_fields=["status", "paid_at", "failure", "next_attempt_at", "ref", "updated_at"])
    _record_payment(row, payment_ref)
    after = {"status": row.status, "payment": payment_ref, "total_usd": str(row.total_usd)}
    _record(actor, "invoice.pay", row, before, after)
    invoice_mails.mail_paid(row)
    return row


@transaction.atomic
def mark_failed(
    *,
    invoice: Invoice,
    reason: str,
    at: datetime,
    payment_ref: str = "",
    next_attempt_at: datetime | None = None,
) -> Invoice:
    """Record that an attempt to collect failed, and mail what to do; the same attempt again changes nothing.

    Args:
        invoice: An open one; others are left alone.
        reason: The gateway's, for people.
        at: When; without a reference it tells attempts apart.
        payment_ref: What the gateway calls the attempt.
        next_attempt_at: When it is tried again; None: not by itself.
    """
    row = _locked(invoice)
    reason = reason[:300]
    failed = row.payments.filter(status=PaymentStatus.FAILED)
    known = failed.filter(ref=payment_ref) if payment_ref else failed.filter(created_at=at)
    if row.status != InvoiceStatus.OPEN or known.exists():
        return row
    row.failure, row.next_attempt_at = reason, next_attempt_at
    row.attempts += 1
    row.save(update_fields=["failure", "next_attempt_at", "attempts", "updated_at"])
    pending = row.payments.filter(ref=payment_ref, status=PaymentStatus.PENDING) if payment_ref else None
    if pending is None or not pending.update(status=PaymentStatus.FAILED, failure=reason, updated_at=at):
        row.payments.create(
            gateway=row.gateway, ref=payment_ref, amount_usd=row.total_usd, status=PaymentStatus.FAILED,
            failure=reason, created_at=at,
        )  # fmt: skip
    _record(SYSTEM, "invoice.payment_failed", row, row.status, {"status": row.status, "reason": reason})
    invoice_mails.mail_failed(row, next_attempt_at)
    return row


@transaction.atomic
def mark_void(*, actor: Actor, invoice: Invoice, reason: str = "") -> Invoice:
    """Declare that an invoice need not be paid; its number stays taken. One that is void is left alone.

    Raises:
        Forbidden: neither the system nor an operator asks.
        Invalid: an operator gave no reason.
        Conflict: it is paid, another invoice charges it, or an operator asks while a charge is under way.
    """
    require_operator(actor, action="invoice.settle")
    reason = reason.strip()
    if not reason and actor.kind is not ActorKind.SYSTEM:
        raise Invalid(
            _(
                "Enter why the invoice is void; the reason is sent to the customer and recorded in the audit "
                "log."
            )
        )
    row = _locked(invoice)
    if row.status == InvoiceStatus.VOID:
        return row
    if row.status == InvoiceStatus.PAID:
        message = _("The invoice %(number)s is paid. Refund the payment at the gateway or the bank.")
        raise Conflict(message % {"number": row.number})
    _require_open(row)
    _require_no_pending_charge(actor, row)
    before = row.status
    row.status, row.next_attempt_at = InvoiceStatus.VOID, None
    row.save(update_fields=["status", "next_attempt_at", "updated_at"])
    row.carries.update(carried_to=None, updated_at=timezone.now())  # the next one charges them again
    _record(actor, "invoice.void", row, before, {"status": row.status, "reason": reason})
    invoice_mails.mail_void(row, reason)
    return row


def record_surplus(*, invoice: Invoice, payment: Payment) -> None:
    """Record money that came for an invoice on which nothing was owed: an operator refunds it at the gateway."""
    message = "payment %s of %s came although the invoice is %s: give it back"
    logger.error(message, payment.ref, invoice.number, invoice.status)
    after = {"status": invoice.status, "payment": payment.ref, "amount_usd": str(payment.amount_usd)}
    _record(SYSTEM, "invoice.surplus_payment", invoice, invoice.status, after)


def is_under_way(invoice: Invoice) -> bool:
    """Say whether a charge of an invoice has begun whose end is not known; one at a gateway that is gone has none."""
    keys = [gateway.key for gateway in gateways.automatic_gateways()]
    return invoice.payments.filter(status=PaymentStatus.PENDING, gateway__in=keys).exists()


def remind_overdue(now: datetime | None = None) -> int:
    """Mail a reminder of bank transfers that are overdue, at most `REMINDERS` of each; returns how many.

    One that fails is logged and holds up no other.
    """
    now = now or timezone.now()
    due = Invoice.objects.filter(
        status=InvoiceStatus.OPEN, gateway=gateways.MANUAL.key, due_at__lte=now, next_attempt_at__lte=now
    )
    reminded = 0
    for invoice in due.order_by("pk"):
        try:
            reminded += _remind(invoice, now)
        except Exception:
            logger.exception("invoice %s could not be reminded of", invoice.number)
    return reminded


@transaction.atomic
def _remind(invoice: Invoice, now: datetime) -> bool:
    row = _locked(invoice)
    if row.status != InvoiceStatus.OPEN or row.next_attempt_at is None or row.next_attempt_at > now:
        return False
    row.reminders += 1
    row.next_attempt_at = now + REMINDED_EVERY if row.reminders < REMINDERS else None
    row.save(update_fields=["reminders", "next_attempt_at", "updated_at"])
    invoice_mails.mail_overdue(row)
    return True


def _locked(invoice: Invoice) -> Invoice:
    rows = Invoice.objects.select_related(*_WITH).select_for_update(of=("self",), no_key=True)
    return rows.get(pk=invoice.pk)


def _require_open(row: Invoice) -> None:
    if row.status != InvoiceStatus.OPEN:
        raise Conflict(_("The invoice %(number)s is not open; nothing is due.") % {"number": row.number})


def _require_no_pending_charge(actor: Actor, row: Invoice) -> None:
    """Let operators wait for a charge: what they say of an invoice would make its money a surplus."""
    if actor.kind is not ActorKind.SYSTEM and is_under_way(row):
        raise Conflict(_("A payment for invoice %(number)s is in progress.") % {"number": row.number})


def _record_payment(invoice: Invoice, payment_ref: str) -> None:
    """Store one row of how it was paid: the gateway's, where it wrote one, else a new one."""
    if invoice.payments.filter(status=PaymentStatus.SUCCEEDED).exists():
        return
    pending = invoice.payments.filter(ref=payment_ref, status=PaymentStatus.PENDING).first()
    payment = pending or Payment(
        invoice=invoice, gateway=invoice.gateway, ref=payment_ref, amount_usd=invoice.total_usd
    )
    payment.status, payment.failure = PaymentStatus.SUCCEEDED, ""
    payment.save()


def _record(actor: Actor, action: str, row: Invoice, before: str, after: dict[str, str]) -> None:
    log.record(
        actor, action, row, organization_id=row.subscription.organization_id,
        before={"status": before}, after=after,
    )  # fmt: skip


def schedule_collection(invoice: Invoice) -> None:
    """Ask for an open invoice's money once the transaction is committed; the sweep finds it if this is lost."""
    # by its name: tasks import what asks for money
    after_commit(signature("billing.tasks.collect_invoice").delay, invoice.pk)
