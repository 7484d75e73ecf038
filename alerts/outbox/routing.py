"""From events to messages: each event becomes a delivery to each recipient, gathered in the recipient's open message.

A batch is one transaction, and one process routes at a time, so that nothing is told twice and no two open a message
for the same recipient. Why gathering works as it does: docs/develop/decisions/alerts.md.
"""

import logging
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from operator import attrgetter

from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection, transaction
from django.utils import timezone

from alerts.automation_provider import automation_provider
from alerts.events import with_runs
from alerts.models import Delivery, Event, Message, MessageState
from alerts.outbox.schedule import schedule_delivery
from alerts.recipients import PlannedDelivery, event_recipients

logger = logging.getLogger(__name__)

BATCH = 100
"""Events of one transaction; a large team makes as many deliveries of each as it has members."""
LONGEST_FACTOR = 6
"""So many times the time for gathering a message waits at most."""
WINDOW = timedelta(minutes=10)
MOST_IN_WINDOW = 5
"""After so many messages in that time a recipient's next one waits until the time is over (ALR-5)."""
_LOCK = 0x616C7274
"""The number of PostgreSQL's advisory lock that whoever routes holds."""
_ROWS_AT_ONCE = 1000


def route_pending() -> int:
    """Find the recipients of all events that have none yet; returns how many events there were."""
    routed = 0
    while count := _route_batch():
        routed += count
    return routed


def _route_batch() -> int:
    try:
        return _route(BATCH)
    except DatabaseError:
        raise
    except Exception:
        logger.exception("events could not be routed together; each is tried alone")
    return _route_alone()


def _route_alone() -> int:
    """Route one event; one that nothing can be made of is set aside, so that others come through."""
    try:
        return _route(1)
    except DatabaseError:
        raise
    except Exception:
        with transaction.atomic():
            _lock_routing()
            event = Event.objects.filter(routed_at=None).order_by("pk").first()
            if event is None:
                return 0
            logger.exception("event %s could not be routed, so nobody is told of it", event.pk)
            event.routed_at = timezone.now()
            event.save(update_fields=["routed_at"])
        return 1


@transaction.atomic
def _route(limit: int) -> int:
    _lock_routing()
    events = list(with_runs(Event.objects.filter(routed_at=None)).order_by("pk")[:limit])
    if not events:
        return 0
    now = timezone.now()
    planned = list(_planned_deliveries(events))
    _deliver(planned, now)
    Event.objects.filter(pk__in=[event.pk for event in events]).update(routed_at=now)
    return len(events)


def _lock_routing() -> None:
    """Wait until no other process routes, for this transaction; SQLite has one writer anyway."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])


def _planned_deliveries(events: Sequence[Event]) -> Iterable[PlannedDelivery]:
    for recipient in event_recipients(events):
        yield PlannedDelivery(
            recipient.event.pk,
            recipient.key,
            user_id=recipient.user_id,
            destination_id=recipient.destination_id,
            team_id=recipient.destination_team_id,
        )
    yield from automation_provider().planned_deliveries(events)


def _deliver(planned: Sequence[PlannedDelivery], now: datetime) -> None:
    """Put planned deliveries into messages: open ones, or new ones."""
    by_recipient = {
        name: list(some)
        for name, some in groupby(sorted(planned, key=attrgetter("recipient")), attrgetter("recipient"))
    }
    first = {name: some[0] for name, some in by_recipient.items()}
    gathering = [name for name, delivery in first.items() if delivery.gathers]
    messages = _open_messages(gathering)
    known = list(messages.values())
    fresh = [delivery.message(now) for name, delivery in first.items() if name not in messages]
    messages |= {message.recipient: message for message in fresh}
    _postpone([messages[name] for name in gathering], now)
    Message.objects.bulk_update(known, ["send_at"], batch_size=_ROWS_AT_ONCE)
    Message.objects.bulk_create(fresh, batch_size=_ROWS_AT_ONCE)
    rows = [
        Delivery(
            event_id=delivery.event_id, message=messages[delivery.recipient], recipient=delivery.recipient
        )
        for delivery in planned
    ]
    Delivery.objects.bulk_create(rows, batch_size=_ROWS_AT_ONCE, ignore_conflicts=True)
    schedule_delivery({message.send_at for message in messages.values()}, now)


def _open_messages(recipients: Sequence[str]) -> dict[str, Message]:
    """Return the open messages, locked: whoever would send one waits for what joins it."""
    rows = Message.objects.select_for_update().filter(recipient__in=recipients, is_open=True)
    return {row.recipient: row for row in rows.order_by("recipient")}


def _postpone(messages: Sequence[Message], now: datetime) -> None:
    """Put off messages that something has joined, until nothing more comes or they have waited long enough."""
    gather = timedelta(seconds=settings.ALERT_GATHER_S)
    paused = _paused_until([message.recipient for message in messages], now)
    for message in messages:
        turn = min(now + gather, message.opened_at + gather * LONGEST_FACTOR)
        message.send_at = max(turn, paused.get(message.recipient, turn))


def _paused_until(recipients: Sequence[str], now: datetime) -> dict[str, datetime]:
    """Return until when recipients that have had many messages lately are left in peace."""
    sent = Message.objects.filter(
        recipient__in=recipients, state=MessageState.SENT, ended_at__gt=now - WINDOW, ended_at__lte=now
    )
    times: dict[str, list[datetime]] = {}
    for recipient, ended_at in sent.order_by("-ended_at").values_list("recipient", "ended_at"):
        if ended_at is not None:
            times.setdefault(recipient, []).append(ended_at)
    return {
        recipient: ended[MOST_IN_WINDOW - 1] + WINDOW
        for recipient, ended in times.items()
        if len(ended) >= MOST_IN_WINDOW
    }
