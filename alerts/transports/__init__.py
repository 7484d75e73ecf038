"""The ways out: each takes a destination and a notice, and returns a result."""

from alerts.models import Destination, DestinationKind
from alerts.notices.notice import Notice, NoticeLine
from alerts.transports import slack, webhook
from alerts.transports.result import SendResult

__all__ = ["Notice", "NoticeLine", "SendResult", "send"]

_SENDERS = {
    DestinationKind.SLACK: slack.send,
    DestinationKind.SLACK_WEBHOOK: slack.send,
    DestinationKind.WEBHOOK: webhook.send,
}


def send(destination: Destination, notice: Notice) -> SendResult:
    """Send a notice; a peer's fault is a result, never an exception. Takes 10 s at most; call in no transaction."""
    return _SENDERS[DestinationKind(destination.kind)](destination, notice)
