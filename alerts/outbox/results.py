"""What becomes of a message after an attempt: sent, tried again, given up, or its destination turned off (ALR-5)."""

import random
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_noop

from access.actor import SYSTEM
from access.audit.log import record
from access.engine import who_may
from accounts.mail import sending
from accounts.models import User, UserKind
from alerts.access import AlertAction
from alerts.models import Destination, Message, MessageState
from alerts.outbox.instrumentation import MESSAGES, kind_of
from alerts.transports.result import SendResult
from common.database.commits import after_commit

PAUSES_S = (30, 120, 600, 3600, 6 * 3600)
"""Before the second attempt and those that follow; then a message is given up."""
_JITTER = 0.2
NO_RECIPIENT = gettext_noop(
    "The recipient can no longer see these runs or turned off notifications, or the runs were deleted."
)
"""Why a message is dropped that had recipients when it was created."""
DESTINATION_OFF = gettext_noop("The destination is off.")
MOST_RETRY_AFTER_S = 3600.0
"""What peers ask for beyond this is not waited for."""


@transaction.atomic
def record_result(message: Message, result: SendResult) -> None:
    """Store the result of an attempt, unless another worker has sent the message in the meantime."""
    now, waiting = timezone.now(), Message.objects.filter(pk=message.pk, state=MessageState.WAITING)
    exchange = {"request": result.request, "response": result.response, "status": result.status}
    known: dict[str, Any] = {**exchange, "error": result.error, "claimed_until": None}
    state = _state_after(message, result)
    if state == MessageState.WAITING:
        message.send_at = now + pause_after(message.attempt_count, result.retry_after_s)
        known["send_at"] = message.send_at
    else:
        known |= {"state": state, "ended_at": now}
    # who was so slow that another took it knows nothing newer, but that the peer has taken it
    mine = waiting if result.is_ok else waiting.filter(attempt_count=message.attempt_count)
    if not mine.update(**known):
        return
    message.state = state
    if state == MessageState.WAITING:
        _postpone_others(message, result)
    _count(message)
    if message.destination is not None:
        _record_on_destination(message.destination, result, now)


def _state_after(message: Message, result: SendResult) -> MessageState:
    if result.is_ok:
        return MessageState.SENT
    is_over = result.is_permanent or result.is_gone or message.attempt_count > len(PAUSES_S)
    return MessageState.FAILED if is_over else MessageState.WAITING


def drop(message: Message, why: str) -> None:
    """End a message that no longer has a recipient.

    Args:
        why: In the source language: pages translate it for each reader.
    """
    waiting = Message.objects.filter(pk=message.pk, state=MessageState.WAITING)
    now = timezone.now()
    if waiting.update(state=MessageState.DROPPED, error=why, claimed_until=None, ended_at=now, is_open=False):
        message.state = MessageState.DROPPED
        _count(message)


def pause_after(attempt_count: int, retry_after_s: float | None = None) -> timedelta:
    """Return how long to wait after so many attempts; what the peer asked for counts more than our own pauses."""
    if retry_after_s is not None:
        return timedelta(seconds=min(max(retry_after_s, 1.0), MOST_RETRY_AFTER_S))
    pause_s = PAUSES_S[min(attempt_count, len(PAUSES_S)) - 1]
    return timedelta(seconds=pause_s * random.uniform(1, 1 + _JITTER))  # noqa: S311 - spreads load, hides nothing


def _postpone_others(message: Message, result: SendResult) -> None:
    """Leave a peer in peace that asked for it: what else waits for the destination comes no sooner."""
    if result.retry_after_s is not None and message.destination_id is not None:
        others = Message.objects.filter(destination=message.destination_id, state=MessageState.WAITING)
        sooner = others.filter(send_at__lt=message.send_at, claimed_until=None).exclude(pk=message.pk)
        sooner.update(send_at=message.send_at)


def _count(message: Message) -> None:
    """Count an attempt's outcome, once it is committed."""
    outcome = "retried" if message.state == MessageState.WAITING else str(message.state)
    kind = kind_of(message)
    after_commit(MESSAGES.labels(kind, outcome).inc)


def _record_on_destination(destination: Destination, result: SendResult, now: datetime) -> None:
    rows = Destination.objects.filter(pk=destination.pk)
    if result.is_ok:
        rows.update(last_sent_at=now, last_error="")
        return
    rows.update(last_error=result.error, last_error_at=now)
    if result.is_gone and rows.filter(is_on=True).update(is_on=False, off_reason=result.error):
        _mail_managers(destination, result.error)


def _mail_managers(destination: Destination, reason: str) -> None:
    """Mail whoever created a destination that it was turned off, or else the admins of its team (ALR-4)."""
    team = destination.team
    record(
        SYSTEM, "destination.turn_off", destination, organization_id=team.organization_id, team_id=team.pk,
        after={"reason": reason},
    )  # fmt: skip
    admins = who_may(AlertAction.MANAGE, team).filter(kind=UserKind.PERSON).exclude(email="")
    maker = admins.filter(pk=destination.created_by_id)
    context = {"destination": destination, "team": team, "reason": reason, "page": _page_of(destination)}
    for user in User.objects.filter(pk__in=(maker if maker.exists() else admins).values("pk")):
        sending.send("alerts/email/destination_off", user, context)


def _page_of(destination: Destination) -> str:
    team = destination.team
    return "/settings/alerts" if team.is_personal else f"/teams/{team.name}/destinations"
