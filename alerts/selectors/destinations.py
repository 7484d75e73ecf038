"""Reads about destinations and secrets, for who manages them."""

import operator
from dataclasses import dataclass
from functools import reduce

from django.db.models import Count, Q, QuerySet

from access.actor import Actor
from access.engine import visible
from alerts.access import AlertAction
from alerts.models import Automation, Destination, Message, Secret
from alerts.templating import names_in
from teams.models import Team

SHOWN_MESSAGES = 20


def managed_destinations(actor: Actor) -> QuerySet[Destination]:
    """Return the destinations that the actor manages, by name, with how many routes and automations lead there."""
    rows = Destination.objects.select_related("team", "created_by").annotate(
        route_count=Count("routes", distinct=True), automation_count=Count("automations", distinct=True)
    )
    return visible(actor, AlertAction.MANAGE, rows).order_by("team__name", "name", "pk")


def managed_secrets(actor: Actor) -> QuerySet[Secret]:
    """Return the secrets that the actor manages, by name."""
    rows = Secret.objects.select_related("team", "created_by").defer("sealed")
    return visible(actor, AlertAction.MANAGE_SECRETS, rows).order_by("team__name", "name")


def messages_to(actor: Actor, team: Team, destination: Destination | None = None) -> list[Message]:
    """Return the newest messages to the destinations of a team, or to one of them."""
    rows = visible(actor, AlertAction.MANAGE, Message.objects.filter(destination__team=team))
    if destination is not None:
        rows = rows.filter(destination=destination)
    counted = rows.select_related("destination", "automation").annotate(event_count=Count("deliveries"))
    return list(counted.order_by("-pk")[:SHOWN_MESSAGES])


def secret_names(team: Team) -> list[str]:
    """Return the names of a team's secrets; ask first whether the reader may see them."""
    return list(Secret.objects.filter(team=team).order_by("name").values_list("name", flat=True))


@dataclass(frozen=True, slots=True)
class Used:
    """A secret, and what uses it."""

    secret: Secret
    destinations: list[Destination]
    automations: list[Automation]


def secrets_in_use(actor: Actor, team: Team) -> list[Used]:
    """Return a team's secrets with their users."""
    secrets = list(managed_secrets(actor).filter(team=team))
    if not secrets:
        return []
    named = [Q(template__contains=f"${{{secret.name}}}") for secret in secrets]
    in_payload = [Q(payload__contains=f"${{{secret.name}}}") for secret in secrets]
    rows = Destination.objects.filter(team=team).filter(
        reduce(operator.or_, named) | ~Q(access_token_name="") | ~Q(signing_secret_name="") | ~Q(preset="")
    )
    destinations = list(rows.order_by("name"))
    automations = list(Automation.objects.filter(team=team).filter(reduce(operator.or_, in_payload)))
    return [
        Used(
            secret,
            [row for row in destinations if secret.name in names_of(row)],
            [row for row in automations if secret.name in names_in(row.payload)],
        )
        for secret in secrets
    ]


def names_of(destination: Destination) -> set[str]:
    """Return all names that a destination uses: of secrets, and of variables."""
    from alerts.presets import preset_of

    used = {destination.access_token_name, destination.signing_secret_name}
    if not destination.is_slack:
        used |= names_in(destination.template or preset_of(destination).template)
    return used - {""}
