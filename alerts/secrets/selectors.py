"""Reads about secrets, for who manages them."""

from dataclasses import dataclass

from django.db.models import QuerySet

from access.actor import Actor
from access.engine import visible
from alerts.access import AlertAction
from alerts.automation_provider import automation_provider
from alerts.models import Destination, Secret
from alerts.payloads.presets import names_used_by
from alerts.payloads.templating import names_in
from teams.models import Team


def managed_secrets(actor: Actor) -> QuerySet[Secret]:
    """Return the secrets that the actor manages, by name."""
    rows = Secret.objects.select_related("team", "created_by").defer("sealed")
    return visible(actor, AlertAction.MANAGE_SECRETS, rows).order_by("team__name", "name")


@dataclass(frozen=True, slots=True)
class SecretUsage:
    """A secret, and what uses it."""

    secret: Secret
    destinations: list[Destination]
    automations: list[str]
    """Their names."""

    @property
    def names(self) -> str:
        """The names of all that uses it."""
        return ", ".join(map(str, [*self.destinations, *self.automations]))


def secret_usages(actor: Actor, team: Team) -> list[SecretUsage]:
    """Return a team's secrets with their users."""
    secrets = list(managed_secrets(actor).filter(team=team))
    destinations = [
        (row, names_used_by(row)) for row in Destination.objects.filter(team=team).order_by("name")
    ]
    payloads = [(name, names_in(payload)) for name, payload in automation_provider().with_variables(team)]
    return [
        SecretUsage(
            secret,
            [row for row, names in destinations if secret.name in names],
            [name for name, names in payloads if secret.name in names],
        )
        for secret in secrets
    ]
