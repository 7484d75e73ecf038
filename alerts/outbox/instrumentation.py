"""What alerts tell of themselves: outcomes are counted where they happen, what waits is read when somebody asks."""

from collections.abc import Iterator

from django.db.models import Count, Min
from django.utils import timezone
from prometheus_client import Counter, Metric
from prometheus_client.core import GaugeMetricFamily

from alerts.models import DestinationKind, Event, Message, MessageState
from common.telemetry.definitions import REGISTRY

KINDS = ("email", *DestinationKind.values, "none")
OUTCOMES = ("sent", "retried", "failed", "dropped")

MESSAGES = Counter(
    "runyard_alert_messages_total",
    "Attempts to send alerts and what automations send, by way and outcome.",
    ["kind", "outcome"],
    registry=REGISTRY,
)
for _kind in KINDS:
    for _outcome in OUTCOMES:
        MESSAGES.labels(_kind, _outcome)


def kind_of(message: Message) -> str:
    """Return the way a message goes; "none" where an automation only keeps a record."""
    if message.user_id is not None:
        return "email"
    return str(message.destination.kind) if message.destination is not None else "none"


def waiting() -> Iterator[Metric]:
    """Yield what waits: two queries, each over the rows that wait."""
    now = timezone.now()
    events = Event.objects.filter(routed_at=None).order_by().aggregate(count=Count("pk"), oldest=Min("at"))
    messages = Message.objects.filter(state=MessageState.WAITING).order_by()
    due = messages.aggregate(count=Count("pk"), oldest=Min("send_at"))
    yield GaugeMetricFamily(
        "runyard_alert_events_waiting", "Events whose recipients were not found yet.", events["count"]
    )
    yield GaugeMetricFamily(
        "runyard_alert_messages_waiting",
        "Messages that gather, or wait for their next attempt.",
        due["count"],
    )
    late = [0.0, *((now - at).total_seconds() for at in (events["oldest"], due["oldest"]) if at is not None)]
    yield GaugeMetricFamily(
        "runyard_alert_oldest_waiting_seconds",
        "How long the oldest event waits for its recipients, or a message has been due.",
        max(late),
    )
