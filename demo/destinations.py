"""Where the demo's alerts go: channels and webhooks of a team, in every state, with what was sent lately."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from access.actor import SYSTEM
from alerts.destinations.services import create_slack_webhook, create_webhook
from alerts.models import Delivery, Destination, Event, EventKind, Message, MessageState
from alerts.secrets.services import store_secret
from teams.models import Team

_SENT = """POST https://chat.aurora-labs.example/…
Content-Type: application/json
User-Agent: Runyard (+webhooks)
X-Runyard-Delivery: 0b9f6f0e-6f0a-4c4f-9c77-6d7c1f6a7d11

{
  "username": "Runyard",
  "allowed_mentions": {"parse": []},
  "embeds": [{"title": "sweep-015 failed", "color": 14427686}]
}"""

SHOWN = 7001
"""The number of the one in `demo.pages`, whatever else an installation has."""


def make_destinations() -> None:
    """Make them for the team that the demo's pages show."""
    team = Team.objects.get(name="vision")
    for name in ("DEPLOY_TOKEN", "PAGERDUTY_ROUTING_KEY", "WEBHOOK_SIGNING_KEY"):
        store_secret(actor=SYSTEM, team=team, name=name, value="only-for-the-demo")
    now = timezone.now()
    given: dict[str, Any] = {"actor": SYSTEM, "team": team}
    hook = "https://chat.aurora-labs.example/api/webhooks/1/for-the-demo"
    discord = create_webhook(**given, name="Lab Discord", url=hook, preset="discord")
    Destination.objects.filter(pk=discord.pk).update(id=SHOWN)
    discord = Destination.objects.get(pk=SHOWN)
    _set(discord, last_sent_at=now - timedelta(hours=5), last_error="HTTP 503", last_error_at=now)
    slack = "https://hooks.slack.com/services/T0/B0/for-the-demo"
    channel = create_slack_webhook(**given, name="#vision-runs", url=slack, mention="here")
    _set(channel, place="#vision-runs · Aurora Labs", last_sent_at=now - timedelta(minutes=3))
    gone = create_slack_webhook(**given, name="#old-lab", url=slack)
    why = "HTTP 404: channel_not_found"
    _set(gone, place="#old-lab · Aurora Labs", is_on=False, off_reason=why, last_error=why, last_error_at=now)
    create_webhook(
        **given, name="Deploy the best model", url="https://ci.aurora-labs.example/hooks/deploy",
        access_token_name="DEPLOY_TOKEN", signing_secret_name="WEBHOOK_SIGNING_KEY",  # noqa: S106 - names of secrets
    )  # fmt: skip
    create_webhook(**given, name="On call", url="https://events.pagerduty.com/v2/enqueue", preset="pagerduty")
    failed = {"state": MessageState.FAILED, "status": 404, "error": why, "response": "channel_not_found"}
    _add_message(gone, now - timedelta(days=2), **failed)
    _add_message(channel, now - timedelta(minutes=3), state=MessageState.SENT, status=200, response="ok")
    _add_message(
        discord, now, state=MessageState.WAITING, status=503, error="HTTP 503", request=_SENT, attempt_count=2,
        response="upstream connect error or disconnect/reset before headers", ended_at=None,
    )  # fmt: skip


def _set(row: Destination, **fields: Any) -> None:
    Destination.objects.filter(pk=row.pk).update(**fields)


def _add_message(row: Destination, at: Any, **fields: Any) -> None:
    message = Message.objects.create(
        **{
            "recipient": f"destination:{row.pk}", "destination": row, "team": row.team, "is_open": False,
            "opened_at": at, "send_at": at + timedelta(minutes=10), "ended_at": at, "attempt_count": 1, **fields,
        }
    )  # fmt: skip
    for _ in range(3 if row.is_on else 1):
        event = Event.objects.create(kind=EventKind.RUN_STATE, team=row.team, at=at, routed_at=at)
        Delivery.objects.create(event=event, message=message, recipient=message.recipient)
