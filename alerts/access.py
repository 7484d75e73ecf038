"""Actions on alerts, destinations and secrets; the rows of the matrix in TEAM-21 that concern them."""

from enum import StrEnum

from django.utils.translation import gettext_lazy as _

from access.actions import ActionSpec, presets, register_actions
from access.resources.registry import Resource, register_resource

TEAM = ("teams.Team",)


class AlertAction(StrEnum):
    """What is done with a team's alerts, destinations and secrets."""

    MANAGE = "team.manage_alerts"
    MANAGE_SECRETS = "team.manage_secrets"


def register() -> None:
    """Tell the engine."""
    register_actions(_of_alerts(), group=_("Alerts and automations"))
    for model in ("alerts.Destination", "alerts.Message"):
        register_resource(
            Resource(model, view=AlertAction.MANAGE, team="team", organization="team__organization")
        )
    register_resource(
        Resource(
            "alerts.Secret", view=AlertAction.MANAGE_SECRETS, team="team", organization="team__organization"
        )
    )


def _of_alerts() -> dict[StrEnum, ActionSpec]:
    admins = presets("A O")
    return {
        AlertAction.MANAGE: ActionSpec(
            (*TEAM, "alerts.Destination", "alerts.Message"), admins, label=_("Manage alerts and destinations"),
            help=_("Choose what the team is notified about, and set up its Slack channels and webhooks."),
        ),
        AlertAction.MANAGE_SECRETS: ActionSpec(
            (*TEAM, "alerts.Secret"), admins, label=_("Manage webhook secrets"),
            help=_("Store, replace and delete secrets used by webhooks. They are never shown again."),
        ),
    }  # fmt: skip
