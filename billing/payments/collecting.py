"""Taking the money for open invoices (BIL-7): nothing is forgotten, and nothing is charged twice.

An attempt is a `Payment`. It is stored before the gateway hears of it, what the gateway calls it is stored before
anything is charged, and what became of it is asked again until it is known. An invoice has one attempt at a time.
"""

import logging
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from billing import gateways
from billing.gateways.base import ChargeResult, ChargeState
from billing.invoices import services as invoices
from billing.models import Invoice, InvoiceStatus, Payment, PaymentMethod, PaymentStatus
from common.errors import Invalid, Unavailable

logger = logging.getLogger(__name__)

RETRY_DAYS = (3, 5, 7)
"""How long after each failure it is tried again; after the last one, whoever pays asks for it."""
SWEEP_DELAY = timedelta(minutes=1)
"""The sweep leaves to tasks what began more recently than this."""
BATCH_SIZE = 500
_FAILURE_LENGTH = 300


def collect(invoice_id: int) -> None:
    """Make an attempt at an invoice if one is due, or bring the one that was started to its end.

    Raises:
        Unavailable: the gateway does not answer; the attempt is kept, and calling again goes on with it.
    """
    payment = _attempt_at(invoice_id, timezone.now())
    if payment is not None:
        settle(payment)


def settle(payment: Payment) -> None:
    """Bring an attempt to its end, as far as the gateway lets it; raises as `collect`."""
    gateway = gateways.gateway_named(payment.gateway)
    if not gateway.is_automatic:
        return  # it was switched off, and goes on when it is back
    try:
        if not payment.ref:
            ref = gateway.prepare(payment)
            Payment.objects.filter(pk=payment.pk, ref="").update(
                ref=ref
            )  # of two at once, the first one's counts
        payment = Payment.objects.select_related("invoice__subscription", "method").get(pk=payment.pk)
        is_open = payment.invoice.status == InvoiceStatus.OPEN
        result = gateway.charge(payment) if is_open else gateway.drop(payment)
    except Invalid as error:
        result = ChargeResult(ChargeState.FAILED, error.message)
    record_result(payment, result)


def refresh(payment: Payment) -> None:
    """Record what the gateway says about an attempt now; nothing is charged. Raises as `collect`."""
    gateway = gateways.gateway_named(payment.gateway)
    if payment.ref and gateway.is_automatic:
        record_result(payment, gateway.look_up(payment))


@transaction.atomic
def record_result(payment: Payment, result: ChargeResult) -> None:
    """Record the result of an attempt; a known one changes nothing."""
    invoice = Invoice.objects.select_for_update().get(pk=payment.invoice_id)
    payment = Payment.objects.select_for_update().get(pk=payment.pk)
    if result.state == ChargeState.SUCCEEDED and payment.status != PaymentStatus.SUCCEEDED:
        _close(payment, PaymentStatus.SUCCEEDED)
        _mark_paid(invoice, payment)
    elif result.state == ChargeState.FAILED and payment.status == PaymentStatus.PENDING:
        if invoice.status == InvoiceStatus.OPEN:
            _mark_failed(invoice, payment, result.failure)
        else:
            _close(payment, PaymentStatus.FAILED, result.failure)


def _close(payment: Payment, status: PaymentStatus, failure: str = "") -> None:
    payment.status, payment.failure = status, failure[:_FAILURE_LENGTH]
    payment.save(update_fields=["status", "failure", "updated_at"])


def _mark_paid(invoice: Invoice, payment: Payment) -> None:
    if invoice.status == InvoiceStatus.OPEN:
        invoices.mark_paid(invoice=invoice, payment_ref=payment.ref, at=timezone.now())
    else:
        invoices.record_surplus(invoice=invoice, payment=payment)


def _mark_failed(invoice: Invoice, payment: Payment, reason: str) -> None:
    now = timezone.now()
    if not payment.ref:  # the gateway would not even begin it
        payment.ref = f"attempt-{payment.pk}"
        payment.save(update_fields=["ref"])
    invoices.mark_failed(
        invoice=invoice, reason=reason[:_FAILURE_LENGTH], at=now, payment_ref=payment.ref,
        next_attempt_at=next_attempt(invoice.attempts + 1, now),
    )  # fmt: skip


def next_attempt(attempts: int, failed_at: datetime) -> datetime | None:
    """Return when an invoice is tried again by itself, given how often it was."""
    if not 1 <= attempts <= len(RETRY_DAYS):
        return None
    return failed_at + timedelta(days=RETRY_DAYS[attempts - 1])


def sweep(now: datetime | None = None) -> int:
    """Go on with every attempt that was started, and begin those that are due; returns how many were looked at.

    A gateway that does not answer ends the sweep: the next one comes. An invoice that fails holds up no other.
    """
    now = now or timezone.now()
    started = Payment.objects.filter(status=PaymentStatus.PENDING, updated_at__lte=now - SWEEP_DELAY)
    under_way = started.order_by("pk").values_list("invoice_id", flat=True)[:BATCH_SIZE]
    numbers = list(dict.fromkeys([*under_way, *_due(now)]))
    for looked_at, number in enumerate(numbers):
        try:
            collect(number)
        except Unavailable:
            logger.warning("the payment gateway does not answer; %s invoices wait", len(numbers) - looked_at)
            return looked_at
        except Exception:
            logger.exception("invoice %s could not be collected", number)
    return len(numbers)


def _due(now: datetime) -> list[int]:
    keys = [gateway.key for gateway in gateways.automatic_gateways()]
    payers = PaymentMethod.objects.filter(gateway__in=keys, is_default=True, removed_at=None)
    first = Q(attempts=0, next_attempt_at=None, issued_at__lte=now - SWEEP_DELAY)
    rows = Invoice.objects.filter(
        first | Q(next_attempt_at__lte=now),
        status=InvoiceStatus.OPEN,
        total_usd__gt=0,
        gateway__in=keys,
        subscription__in=payers.values("subscription"),
    )
    return list(rows.order_by("pk").values_list("pk", flat=True)[:BATCH_SIZE])


@transaction.atomic
def _attempt_at(invoice_id: int, now: datetime) -> Payment | None:
    """Return the attempt to go on with, a new one where one is due; None where there is nothing to do."""
    rows = Invoice.objects.select_for_update(of=("self",)).select_related("subscription")
    invoice = rows.filter(pk=invoice_id).first()
    if invoice is None:
        return None
    started = invoice.payments.select_related("method").filter(status=PaymentStatus.PENDING).first()
    if started is not None:
        started.invoice = invoice
        return started
    method = gateways.card_of(invoice.subscription)
    if method is None or not is_due(invoice, now):
        return None
    return Payment.objects.create(
        invoice=invoice, method=method, gateway=method.gateway, amount_usd=invoice.total_usd
    )


def is_due(invoice: Invoice, now: datetime) -> bool:
    """Say whether money is to be asked for now; bank transfers come by themselves."""
    is_collected = gateways.gateway_named(invoice.gateway).is_automatic
    if invoice.status != InvoiceStatus.OPEN or invoice.total_usd <= 0 or not is_collected:
        return False
    return invoice.attempts == 0 if invoice.next_attempt_at is None else invoice.next_attempt_at <= now
