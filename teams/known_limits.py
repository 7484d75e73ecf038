"""What is limited for teams and their organizations."""

from django.utils.translation import gettext_lazy as _

from access.actor import Actor
from access.engine import can
from access.limits.registry import REFUSED, Limit, LimitGroup, Used, length_limit, register_limits
from teams.access import OrganizationAction
from teams.invitations import bulk
from teams.models import Role, Team
from teams.roles import custom


def _roles(actor: Actor, team: Team | None) -> Used | None:
    organization = team.organization if team else None
    if organization is None or not can(actor, OrganizationAction.VIEW, organization):
        return None
    return Used(Role.objects.filter(organization=organization).count(), organization.name)


def register() -> None:
    """Tell the page of limits."""
    register_limits(
        Limit(
            "team.invited_at_once", LimitGroup.TEAM, _("People invited at once"), lambda: bulk.MOST,
            _("No one is invited; invite them in smaller groups."),
        ),
        Limit(
            "organization.roles", LimitGroup.TEAM, _("Custom roles of an organization"),
            lambda: custom.MOST_ROLES, REFUSED, measure=_roles,
        ),
        length_limit("role", _("Name of a custom role"), lambda: custom.MAX_NAME),
    )  # fmt: skip
