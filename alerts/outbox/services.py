"""Messages that were given up, sent again by hand."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actor import Actor, ActorKind
from access.audit.log import record
from access.engine import can, require
from alerts.access import AlertAction
from alerts.automation_provider import automation_provider
from alerts.models import Message, MessageState
from alerts.outbox.schedule import schedule_delivery
from common.errors import Conflict


@transaction.atomic
def retry_message(*, actor: Actor, message: Message) -> Message:
    """Send a message again that was given up, with all its attempts anew.

    A person may do so with their own mail, and with what an automation did that they manage.

    Raises:
        Conflict: it waits, was sent, or nobody was left to be told.
    """
    if not _is_own(actor, message):
        _require_manager(actor, message)
    row = Message.objects.select_for_update(of=("self",)).select_related("team").get(pk=message.pk)
    if row.state != MessageState.FAILED:
        raise Conflict(
            _("Only failed messages can be resent; this one is: %(state)s.") % {"state": row.state_label}
        )
    now = timezone.now()
    row.state, row.send_at, row.attempt_count, row.ended_at = MessageState.WAITING, now, 0, None
    row.save(update_fields=["state", "send_at", "attempt_count", "ended_at"])
    team = row.team
    record(
        actor, "alert_message.retry", row, team_id=team.pk if team else None,
        organization_id=team.organization_id if team else None, after={"error": row.error},
    )  # fmt: skip
    schedule_delivery({now}, now)
    return row


def _require_manager(actor: Actor, message: Message) -> None:
    """Let pass who manages the team's alerts, and of what an automation did also who manages the automation."""
    if message.automation is None or can(actor, AlertAction.MANAGE, message):
        require(actor, AlertAction.MANAGE, message)
    else:
        automation_provider().require_manager(actor, message)


def _is_own(actor: Actor, message: Message) -> bool:
    return (
        actor.kind is ActorKind.PERSON
        and actor.user_id == message.user_id
        and actor.user_id is not None
        and actor.reaches(AlertAction.MANAGE)
    )
