"""Which messages are due, and taking one so that no other worker sends it too.

A lease ends by itself, so that a worker that was killed holds nothing for ever. Clocks may jump: times further ahead
than any that is ever written are taken for past, and what this process is sending it does not take again.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.db.models import F, Q

from alerts.models import Message, MessageState

LEASE = timedelta(minutes=2)
"""Several times what an attempt takes (10 s, and some for the database)."""
FIRST_WITHIN = timedelta(minutes=11)
"""No first attempt is put off for longer than `alerts.outbox.routing.WINDOW`."""
AGAIN_WITHIN = timedelta(hours=8)
"""Nor any later one for longer than the longest pause of `alerts.outbox.results`."""

_lock = threading.Lock()
_under_way: set[int] = set()


def is_due(now: datetime) -> Q:
    """Return the condition on messages whose turn has come and that nobody has."""
    turn = Q(send_at__lte=now) | Q(send_at__gt=now + AGAIN_WITHIN)
    turn |= Q(send_at__gt=now + FIRST_WITHIN, attempt_count=0)
    free = Q(claimed_until=None) | Q(claimed_until__lte=now) | Q(claimed_until__gt=now + 2 * LEASE)
    return Q(state=MessageState.WAITING) & turn & free


def claim(message: Message, now: datetime) -> bool:
    """Take a message, if it is still as it was read; from now on nothing joins it."""
    as_read = Message.objects.filter(is_due(now), pk=message.pk, attempt_count=message.attempt_count)
    taken = as_read.update(is_open=False, claimed_until=now + LEASE, attempt_count=F("attempt_count") + 1)
    message.attempt_count += taken
    return bool(taken)


@contextmanager
def lock_in_process(message_id: int) -> Iterator[bool]:
    """Keep other threads of this process from a message, whatever the clock says; yields whether it was free."""
    with _lock:
        is_free = message_id not in _under_way
        if is_free:
            _under_way.add(message_id)
    try:
        yield is_free
    finally:
        if is_free:
            with _lock:
                _under_way.discard(message_id)
