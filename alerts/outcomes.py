"""What becomes of a message after an attempt: sent, tried again, given up, or its destination turned off (ALR-5)."""

import random
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actor import SYSTEM
from access.audit import record
from access.engine import who_may
from accounts import mails
from accounts.models import User, UserKind
from alerts.access import AlertAction
from alerts.measures import MESSAGES, kind_of
from alerts.models import Destination, Message, MessageState
from alerts.transports.base import Outcome

PAUSES_S = (30, 120, 600, 3600, 6 * 3600)
"""Before the second attempt and those that follow; then a message is given up."""
_JITTER = 0.2
MOST_RETRY_AFTER_S = 3600.0
"""What peers ask for beyond this is not waited for."""


def note(message: Message, outcome: Outcome) -> None:
    """Write down what an attempt led to, unless another worker has sent the message meanwhile."""
    with transaction.atomic():
        row = Message.objects.select_for_update(of=("self",)).select_related("destination").get(pk=message.pk)
        if row.state != MessageState.WAITING or (
            row.attempt_count != message.attempt_count and not outcome.is_ok
        ):
            return
        row.request, row.response, row.status = outcome.request, outcome.response, outcome.status
        row.error, row.claimed_until = outcome.error, None
        now = timezone.now()
        if outcome.is_ok:
            row.state, row.ended_at = MessageState.SENT, now
        elif outcome.is_permanent or outcome.is_gone or row.attempt_count > len(PAUSES_S):
            row.state, row.ended_at = MessageState.FAILED, now
        else:
            row.send_at = now + pause_after(row.attempt_count, outcome.retry_after_s)
            _put_off_others(row, outcome, now)
        row.save()
        _count(row)
        if row.destination is not None:
            _note_on(row.destination, outcome, now)


def drop(message: Message, why: str) -> None:
    """End a message that nobody is to be told any more."""
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


def _put_off_others(row: Message, outcome: Outcome, now: datetime) -> None:
    """Leave a peer in peace that asked for it: what else waits for the destination comes no sooner."""
    if outcome.retry_after_s is not None and row.destination_id is not None:
        others = Message.objects.filter(destination=row.destination_id, state=MessageState.WAITING)
        others.filter(send_at__lt=row.send_at, claimed_until=None).exclude(pk=row.pk).update(
            send_at=row.send_at
        )


def _count(message: Message) -> None:
    """Count an attempt's outcome, once it is committed."""
    outcome = "retried" if message.state == MessageState.WAITING else str(message.state)
    kind = kind_of(message)
    transaction.on_commit(lambda: MESSAGES.labels(kind, outcome).inc(), robust=True)


def _note_on(destination: Destination, outcome: Outcome, now: datetime) -> None:
    rows = Destination.objects.filter(pk=destination.pk)
    if outcome.is_ok:
        rows.update(last_sent_at=now, last_error="")
        return
    rows.update(last_error=outcome.error, last_error_at=now)
    if outcome.is_gone and rows.filter(is_on=True).update(is_on=False, off_reason=outcome.error):
        _tell_owner(destination, outcome.error)


def _tell_owner(destination: Destination, reason: str) -> None:
    """Mail whoever made a destination that it was turned off, or else the admins of its team (ALR-4)."""
    team = destination.team
    record(
        SYSTEM, "destination.turn_off", destination, organization_id=team.organization_id, team_id=team.pk,
        after={"reason": reason},
    )  # fmt: skip
    admins = who_may(AlertAction.MANAGE, team).filter(kind=UserKind.PERSON).exclude(email="")
    maker = admins.filter(pk=destination.created_by_id)
    told = {"destination": destination, "team": team, "reason": reason, "page": _page_of(destination)}
    for user in User.objects.filter(pk__in=(maker if maker.exists() else admins).values("pk")):
        mails.send("alerts/email/destination_off", user, told)


def _page_of(destination: Destination) -> str:
    team = destination.team
    return "/settings/alerts" if team.is_personal else f"/teams/{team.name}/destinations"


def nobody_left() -> str:
    """Return why a message was dropped that had something to tell when it was made."""
    return _(
        "Its recipient may not see these runs any more, does not want to be told, or the runs were deleted."
    )
