"""From messages to people and programs: one worker makes each attempt, and its result is stored (ALR-5).

Mail is handed to the outbox of `accounts` in the transaction that marks the message sent: exactly once. Elsewhere the
message is sent first and marked then, so one that was sent when its worker was killed is sent again, under the same id.
"""

import logging
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from django.db import connection, transaction
from django.utils import timezone

from accounts.credentials import address_claims
from accounts.models import UserKind
from accounts.settings.preferences import in_language_of
from alerts import transports
from alerts.automation_provider import automation_provider
from alerts.content import render
from alerts.content.mail import mail_message, mail_of_automation
from alerts.events import with_runs
from alerts.models import Event, Message, MessageState
from alerts.outbox import results
from alerts.outbox.leases import claim, is_due, lock_in_process
from alerts.recipients import EventRecipient, event_recipients, live_sweeps
from alerts.transports.result import SendResult
from runs.models import Run

logger = logging.getLogger(__name__)

THREADS = 8
MOST_FOR_ONE = 2
"""Threads that one destination may hold: one that answers slowly must not keep others waiting (wish 82)."""
BUDGET_S = 60.0
_AT_ONCE = 500


def send_due(*, budget_s: float = BUDGET_S) -> int:
    """Send what is due, for about so long; returns how many attempts were made."""
    threads = 1 if connection.in_atomic_block else THREADS  # others would not see what is not committed
    until, attempts = time.monotonic() + budget_s, 0
    tried: set[int] = set()
    while time.monotonic() < until:
        due = [key for key in _due() if key[0] not in tried]
        if not due:
            break
        tried |= {pk for pk, _ in due}
        attempts += _send_all(due, threads, until)
    return attempts


def _due() -> list[tuple[int, int | None]]:
    """Return keys of what is due with their destinations: first attempts first, so that failures delay nobody."""
    rows = Message.objects.filter(is_due(timezone.now())).order_by("attempt_count", "send_at", "pk")
    return list(rows.values_list("pk", "destination_id")[:_AT_ONCE])


def _send_all(due: list[tuple[int, int | None]], threads: int, until: float) -> int:
    queue = _SendQueue(due, until)
    if threads == 1:
        return queue.work()
    with ThreadPoolExecutor(threads, thread_name_prefix="alerts") as pool:
        return sum(future.result() for future in [pool.submit(_work, queue) for _ in range(threads)])


class _SendQueue:
    """Messages that are due, handed out to threads one by one."""

    def __init__(self, due: list[tuple[int, int | None]], until: float) -> None:
        self._due, self._until = due, until
        self._busy = Counter[int]()
        self._changed = threading.Condition()

    def work(self) -> int:
        """Send until nothing is left; returns how many attempts were made."""
        attempts = 0
        while (key := self._next()) is not None:
            try:
                attempts += send_message(key[0])
            finally:
                self._done(key[1])
        return attempts

    def _next(self) -> tuple[int, int | None] | None:
        """Return the first whose destination has a thread left, waiting for one if need be."""
        with self._changed:
            while self._due and time.monotonic() < self._until:
                for number, (pk, destination_id) in enumerate(self._due):
                    if destination_id is None or self._busy[destination_id] < MOST_FOR_ONE:
                        del self._due[number]
                        if destination_id is not None:
                            self._busy[destination_id] += 1
                        return pk, destination_id
                self._changed.wait(timeout=1.0)
        return None

    def _done(self, destination_id: int | None) -> None:
        with self._changed:
            if destination_id is not None:
                self._busy[destination_id] -= 1
            self._changed.notify_all()


def _work(queue: _SendQueue) -> int:
    try:
        return queue.work()
    finally:
        connection.close()  # the thread's own


def send_message(message_id: int) -> bool:
    """Make one attempt; returns False where another worker has the message or it is not its turn."""
    rows = Message.objects.select_related("user", "destination__team", "automation__team")
    with lock_in_process(message_id) as is_free:
        message = rows.filter(pk=message_id).order_by().first()
        if not is_free or message is None:
            return False
        may_repeat = message.claimed_until is not None or (
            message.attempt_count > 0 and message.status is None
        )
        if not claim(message, timezone.now()):
            return False
        try:
            _attempt(message, is_repeat=may_repeat)
        except Exception as error:
            logger.exception("message %s could not be sent", message.uid)
            results.record_result(
                message, SendResult(is_ok=False, error=f"{type(error).__name__} in this server; see its log")
            )
        return True


def _attempt(message: Message, *, is_repeat: bool) -> None:
    if message.user_id is not None:
        _mail(message)
    elif message.automation is not None and automation_provider().mails_people(message):
        _mail_of_automation(message)
    elif message.destination is not None and not message.destination.is_on:
        results.drop(message, results.DESTINATION_OFF)
    else:
        _send_to_destination(message, is_repeat=is_repeat)


def _events_of(message: Message) -> list[Event]:
    return list(with_runs(Event.objects.filter(deliveries__message=message)).order_by("at", "pk"))


@transaction.atomic
def _mail(message: Message) -> None:
    """Hand a mail over and mark the message sent, or do neither."""
    row = Message.objects.select_for_update(of=("self",)).get(pk=message.pk)
    user = message.user
    if row.state != MessageState.WAITING or row.attempt_count != message.attempt_count or user is None:
        return
    recipients: list[EventRecipient] = []
    if (
        user.is_active
        and user.kind == UserKind.PERSON
        and user.email
        and address_claims.can_mail(user, user.email)
    ):
        recipients = event_recipients(_events_of(message), user_id=user.pk)
        recipients = [recipient for recipient in recipients if recipient.user_id == user.pk]
    if not recipients:
        results.drop(message, results.NO_RECIPIENT)
        return
    mail = mail_message(message, user, recipients)
    Message.objects.filter(pk=message.pk).update(mail=mail)
    results.record_result(message, SendResult(is_ok=True))


@transaction.atomic
def _mail_of_automation(message: Message) -> None:
    """Hand over the mails of an automation and mark the message sent, or do neither."""
    row = Message.objects.select_for_update(of=("self",)).get(pk=message.pk)
    if row.state != MessageState.WAITING or row.attempt_count != message.attempt_count:
        return
    addressed = automation_provider().recipients_of(message, _current_events(message, _events_of(message)))
    if not addressed:
        results.drop(message, results.NO_RECIPIENT)
        return
    for user, events in addressed:
        mail_of_automation(message, user, events)
    results.record_result(
        message, SendResult(is_ok=True, request="\n".join(user.email for user, _events in addressed))
    )


def _send_to_destination(message: Message, *, is_repeat: bool) -> None:
    events = _current_events(message, _events_of(message))
    if not events:
        results.drop(message, results.NO_RECIPIENT)
        return
    result = SendResult(is_ok=True)
    if message.destination is not None:
        with in_language_of(None):
            notice = replace(render.notice_from(message, events), uid=str(message.uid), is_repeat=is_repeat)
        result = transports.send(message.destination, notice)
    results.record_result(message, result)


def _current_events(message: Message, events: list[Event]) -> list[Event]:
    """Return the events that are still to be sent, without those of runs and sweeps deleted in the meantime."""
    if message.automation is None:
        recipients = event_recipients(events, destination_id=message.destination_id)
        return [
            recipient.event for recipient in recipients if recipient.destination_id == message.destination_id
        ]
    if not message.automation.is_on:
        return []
    live = Run.objects.live().filter(project__deleted_at=None, pk__in={event.run_id for event in events})
    runs = {None, *live.values_list("pk", flat=True)}
    sweeps = {None, *live_sweeps(events).values_list("pk", flat=True)}
    return [event for event in events if event.run_id in runs and event.sweep_id in sweeps]
