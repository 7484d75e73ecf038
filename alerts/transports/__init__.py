"""The ways out: each takes a destination and a notice, and returns a result."""

from alerts.models import Destination, DestinationKind
from alerts.notices.notice import Notice, NoticeLine
from alerts.transports import webhook
from alerts.transports.result import SendResult

__all__ = ["Notice", "NoticeLine", "SendResult", "send"]


def send(destination: Destination, notice: Notice) -> SendResult:
    """Send a notice; a peer's fault is a result, never an exception. Takes 10 s at most; call in no transaction."""
    if DestinationKind(destination.kind) is DestinationKind.WEBHOOK:
        return webhook.send(destination, notice)
    from alerts.transports import slack  # Slack's library takes 6 MB

    return slack.send(destination, notice)
