"""The end of what alerts keep: history after its days, and what is left of runs that are purged."""

from collections.abc import Iterable
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from alerts.models import Delivery, Event, Message, MessageState
from runs.lifecycle.purge import delete_rows
from runs.models import Run

ROWS_AT_ONCE = 500
"""In one transaction: SQLite has one writer, which runs that log must not wait for."""


def purge_history() -> int:
    """Forget messages that ended, and events that nothing waits for, ALERT_HISTORY_DAYS ago; returns how many."""
    before = timezone.now() - timedelta(days=settings.ALERT_HISTORY_DAYS)
    gone = 0
    ended = Message.objects.exclude(state=MessageState.WAITING).filter(ended_at__lt=before).order_by("pk")
    while keys := list(ended.values_list("pk", flat=True)[:ROWS_AT_ONCE]):
        gone += _forget_messages(keys)
    waiting = Delivery.objects.filter(message__state=MessageState.WAITING)
    old = Event.objects.filter(at__lt=before).exclude(pk__in=waiting.values("event")).order_by("pk")
    while keys := list(old.values_list("pk", flat=True)[:ROWS_AT_ONCE]):
        gone += _forget_events(keys)
    return gone


@transaction.atomic
def _forget_messages(keys: Iterable[int]) -> int:
    Delivery.objects.filter(message__in=keys)._raw_delete(Delivery.objects.db)
    return int(Message.objects.filter(pk__in=keys)._raw_delete(Message.objects.db))


@transaction.atomic
def _forget_events(keys: Iterable[int]) -> int:
    Delivery.objects.filter(event__in=keys)._raw_delete(Delivery.objects.db)
    return int(Event.objects.filter(pk__in=keys)._raw_delete(Event.objects.db))


def delete_batch_of_run(run: Run, limit: int) -> int:
    """Remove a purged run's events, and what was sent of them; part of `runs.lifecycle.purge`."""
    deliveries = Delivery.objects.filter(event__run=run).order_by("pk")
    rows = list(deliveries.values_list("pk", "message_id")[:limit])
    if rows:
        _forget_content({message_id for _, message_id in rows})
        Delivery.objects.filter(pk__in=[pk for pk, _ in rows])._raw_delete(Delivery.objects.db)
    gone = len(rows)
    if gone < limit:
        gone += delete_rows(Event.objects.filter(run=run), limit - gone)
    return gone


def _forget_content(message_ids: Iterable[int]) -> None:
    """Empty what was sent and answered; what waits is made anew of what is left when its turn comes."""
    Message.objects.filter(pk__in=message_ids).update(request="", response="")
