"""The ways out: each takes a destination and a notice, and answers with an outcome."""

from alerts.models import Destination, DestinationKind
from alerts.notices.notice import Line, Notice
from alerts.transports import slack, webhook
from alerts.transports.outcome import Outcome

__all__ = ["Line", "Notice", "Outcome", "send"]

_WAYS = {
    DestinationKind.SLACK: slack.send,
    DestinationKind.SLACK_WEBHOOK: slack.send,
    DestinationKind.WEBHOOK: webhook.send,
}


def send(destination: Destination, notice: Notice) -> Outcome:
    """Send a notice; a peer's fault is an outcome, never an exception. Takes 10 s at most; call in no transaction."""
    return _WAYS[DestinationKind(destination.kind)](destination, notice)
