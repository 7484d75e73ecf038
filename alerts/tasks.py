"""Celery tasks of alerts: routing events, sending messages, purging history."""

from celery import shared_task
from django.core.cache import cache

from alerts.events import ROUTE_REQUESTED
from alerts.outbox import retention, routing, sending


@shared_task(acks_late=True, expires=60, time_limit=300)
def route_events() -> int:
    """Find the recipients of events; scheduled every 15 s, and requested after each event."""
    cache.delete(ROUTE_REQUESTED)  # before the look, so that what is committed during it is asked for again
    return routing.route_pending()


@shared_task(acks_late=True, expires=60, time_limit=300)
def send_due() -> int:
    """Send what is due; scheduled every 15 s, and asked for when a message's turn comes."""
    return sending.send_due()


@shared_task(time_limit=600)
def purge_history() -> int:
    """Forget old events and messages; scheduled every hour."""
    return retention.purge_history()
