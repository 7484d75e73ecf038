"""Reads about destinations, for who manages them."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery

from access.actor import Actor
from access.engine import visible
from alerts.access import AlertAction
from alerts.models import Delivery, Destination, EventKind, Message
from teams.models import Team

SHOWN_MESSAGES = 20


def managed_destinations(actor: Actor) -> QuerySet[Destination]:
    """Return the destinations that the actor manages, by name, with how many routes and automations lead there."""
    rows = Destination.objects.select_related("team", "created_by").annotate(
        route_count=Count("routes", distinct=True), automation_count=Count("automations", distinct=True)
    )
    return visible(actor, AlertAction.MANAGE, rows).order_by("team__name", "name", "pk")


@dataclass(frozen=True, slots=True)
class DestinationMessage:
    """A message, and what it is about."""

    message: Message
    about: str
    more_count: int
    """How many more events it is about."""


def messages_to(actor: Actor, team: Team, destination: Destination | None = None) -> list[DestinationMessage]:
    """Return the newest messages to the destinations of a team, or to one of them."""
    rows = visible(actor, AlertAction.MANAGE, Message.objects.filter(destination__team=team))
    if destination is not None:
        rows = rows.filter(destination=destination)
    first = Delivery.objects.filter(message=OuterRef("pk")).order_by("pk")
    rows = rows.select_related("destination", "automation").annotate(
        event_count=Count("deliveries"),
        first_run=Subquery(first.values("event__run__display_name")[:1]),
        first_kind=Subquery(first.values("event__kind")[:1]),
    )
    return [_destination_message(row) for row in rows.order_by("-pk")[:SHOWN_MESSAGES]]


def _destination_message(row: Any) -> DestinationMessage:
    kind = EventKind(row.first_kind).label if row.first_kind else ""
    about = row.automation.name if row.automation else ": ".join(filter(None, [str(kind), row.first_run]))
    return DestinationMessage(row, about, max(0, row.event_count - 1))
