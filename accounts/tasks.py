"""Celery tasks of accounts: delivering mail, mail before API keys expire, and unproven addresses."""

from celery import shared_task

from accounts.api_keys import expiry
from accounts.credentials import address_claims
from accounts.mail import outbox


@shared_task(acks_late=True, time_limit=120)
def deliver_mail(address: str) -> None:
    """Send what waits for an address, in order; the schedule tries again what failed."""
    outbox.deliver_to(address)


@shared_task(acks_late=True, expires=30)
def deliver_waiting() -> None:
    """Send what waits; scheduled every 30 s."""
    outbox.deliver_waiting()


@shared_task(acks_late=True, expires=3600)
def expire_unproven_addresses() -> None:
    """Remove addresses that were entered and never verified; scheduled every hour."""
    address_claims.expire()


@shared_task(acks_late=True, expires=3600)
def tell_of_ending_keys() -> None:
    """Mail before API keys end; scheduled every hour."""
    expiry.mail_before_expiry()
