"""Celery tasks of billing: closing periods, payments, reminders, trials, limits."""

import logging

from celery import shared_task

from billing.changes import trials
from billing.invoices import closing
from billing.invoices import services as invoices
from billing.limits import warnings
from billing.payments import collecting, webhooks
from billing.payments import services as payment_methods
from billing.usage_alerts import services as usage_alerts
from common.errors import Unavailable

logger = logging.getLogger(__name__)

# Closing periods, invoices and usage alerts


@shared_task(acks_late=True, expires=3600, time_limit=3000)
def close_billing() -> int:
    """Close the periods that ended; scheduled every hour."""
    return closing.close_due()


@shared_task(acks_late=True, expires=3600, time_limit=600)
def remind_overdue() -> int:
    """Remind of bank transfers that are overdue; scheduled every hour."""
    return invoices.remind_overdue()


@shared_task(acks_late=True, expires=300, time_limit=600)
def check_usage() -> int:
    """Tell of limits that come near and charges that grow; scheduled every 300 s."""
    return usage_alerts.check_usage()


@shared_task(acks_late=True, expires=3600, time_limit=600)
def tend_trials() -> int:
    """End trials that are over, and mail of those that will be; scheduled every 10 minutes."""
    return trials.process_due()


# Payment methods, and what is paid with them


@shared_task(acks_late=True, autoretry_for=(Unavailable,), retry_backoff=30, max_retries=3, time_limit=300)
def collect_invoice(invoice_id: int) -> None:
    """Take the money for an invoice if an attempt is due; the sweep goes on with what could not be done."""
    collecting.collect(invoice_id)


@shared_task(acks_late=True, autoretry_for=(Unavailable,), retry_backoff=30, max_retries=3, time_limit=300)
def handle_event(event_id: int) -> None:
    """Do what an event of a gateway asks for; one that was handled is left alone."""
    webhooks.handle(event_id)


@shared_task(acks_late=True, autoretry_for=(Unavailable,), retry_backoff=60, max_retries=8, time_limit=300)
def forget_method(method_id: int) -> None:
    """Tell the gateway that a payment method was removed; the sweep goes on with what could not be done."""
    payment_methods.detach_at_gateway(method_id)


@shared_task(acks_late=True, expires=300, time_limit=600)
def sweep_payments() -> None:
    """Do what a lost task left: events, invoices, and cards that were removed; scheduled every 300 s.

    None waits for another to succeed: what fails is logged, and the next time comes.
    """
    for sweep in (webhooks.sweep, collecting.sweep, payment_methods.sweep):
        try:
            sweep()
        except Exception:
            logger.exception("a sweep of payments broke off: %s", sweep.__module__)


# Limits


@shared_task(acks_late=True, expires=280, time_limit=280)
def note_limits() -> int:
    """Find which limits are near or reached, and since when; scheduled every 300 s."""
    return warnings.refresh_all()
