"""Who may make teams, and making one with a new organization along the way (TEAM-2)."""

from dataclasses import dataclass

from django.db import transaction

from access.actor import Actor
from access.engine import visible
from accounts.models import User
from teams.access import OrganizationAction
from teams.members.services import create_organization, create_team
from teams.models import Organization, OrganizationMember, Team
from teams.organizations.key_policy import chiefs_of


@dataclass(frozen=True, slots=True)
class Rights:
    """Whether somebody makes teams, where, and else whom to ask."""

    organizations: list[Organization]
    """Where they may."""
    belongs: list[tuple[Organization, list[str]]]
    """Organizations whose admins alone may, and who these are; empty for who may."""

    @property
    def may(self) -> bool:
        """In an organization they administer; who belongs to none makes one along the way."""
        return bool(self.organizations) or not self.belongs


def rights_of(actor: Actor) -> Rights:
    """Say whether the actor makes teams."""
    where = list(visible(actor, OrganizationAction.CREATE_TEAM, Organization.objects.all())[:500])
    if where:
        return Rights(where, [])
    places = OrganizationMember.objects.filter(user=actor.lookup_id).select_related("organization")
    return Rights([], [(place.organization, chiefs_of(place.organization)) for place in places])


@transaction.atomic
def found_team(
    *,
    actor: Actor,
    name: str,
    kind: str,
    organization: Organization | None,
    new_organization: str,
    user: User,
) -> Team:
    """Make a team of an organization, or of a new one, which is made with it or not at all."""
    if organization is None:
        organization = create_organization(actor=actor, name=new_organization, admin=user)
    return create_team(actor=actor, name=name, organization=organization, admin=user, kind=kind)
