"""Who may create teams, and creating one together with a new organization (TEAM-2)."""

from collections.abc import Callable
from dataclasses import dataclass

from django.db import transaction

from access.actor import Actor
from access.engine import visible
from accounts.models import User
from teams.access import OrganizationAction
from teams.members.selectors import admin_names
from teams.models import Organization, OrganizationMember, Team
from teams.organizations.services import create_organization
from teams.teams.services import create_team


@dataclass(frozen=True, slots=True)
class CreationRights:
    """Whether and where somebody may create teams, or who else can."""

    organizations: list[Organization]
    """Where they may."""
    belongs: list[tuple[Organization, list[str]]]
    """Organizations whose admins alone may, and who these are; empty for who may."""

    @property
    def may(self) -> bool:
        """In an organization they administer; who belongs to none makes one along the way."""
        return bool(self.organizations) or not self.belongs


def creation_rights(actor: Actor) -> CreationRights:
    """Say whether the actor makes teams."""
    where = list(visible(actor, OrganizationAction.CREATE_TEAM, Organization.objects.all())[:500])
    if where:
        return CreationRights(where, [])
    places = OrganizationMember.objects.filter(user=actor.lookup_id).select_related("organization")
    return CreationRights([], [(place.organization, admin_names(place.organization)) for place in places])


@transaction.atomic
def create_team_with_organization(
    *,
    actor: Actor,
    name: str,
    kind: str,
    organization: Organization | None,
    new_organization: str,
    user: User,
    give_bucket: Callable[[Team], None] | None = None,
) -> Team:
    """Make a team of an organization, or of a new one, which is made with it or not at all."""
    if organization is None:
        organization = create_organization(actor=actor, name=new_organization, admin=user)
    return create_team(
        actor=actor, name=name, organization=organization, admin=user, kind=kind, give_bucket=give_bucket
    )
