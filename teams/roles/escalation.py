"""Nobody gives a role above their own, nor takes one away (TEAM-4): custom roles may hold some of an admin's rights."""

from django.utils.translation import gettext as _

from access.actions import with_own
from access.actor import Actor
from access.engine import has_operator_rights
from common.errors import Forbidden
from teams.access import TeamAction
from teams.models import Membership, OrganizationMember, Role, RoleGrant, ServiceAccount, Team


def check_rank(actor: Actor, team: Team, *roles: Role, action: str = TeamAction.INVITE) -> None:
    """Refuse roles that grant what the actor's own roles in the team do not.

    Raises:
        Forbidden: the first role that is above their own.
    """
    if has_operator_rights(actor):
        return
    places = (
        Membership.objects.filter(team=team),
        OrganizationMember.objects.filter(organization=team.organization_id),
        ServiceAccount.objects.filter(organization=team.organization_id),
    )
    mine = [pk for rows in places for pk in rows.filter(user=actor.lookup_id).values_list("role", flat=True)]
    own = with_own(RoleGrant.objects.filter(role__in=mine).values_list("action", flat=True))
    for role in roles:
        if not own.issuperset(role.grants.values_list("action", flat=True)):
            message = _("The role %(role)s is above your own in %(team)s. Ask a team admin.")
            raise Forbidden(message % {"role": role, "team": team}, action=action, thing=team)
