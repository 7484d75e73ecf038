"""What explanations of access say of places and roles; `teams.grants` decides which of these is true."""

from django.db.models import Model
from django.utils.translation import gettext as _

from access.actions import Preset, spec_of
from access.actor import Actor, ActorKind
from access.grants import Reason, met, unmet
from access.resources.labels import kind_of
from teams.models import Organization, OrganizationMember, Role, Team
from teams.plan_policy import has_feature
from teams.roles.builtin import roles_for


def roles_with(action: str, organization: Organization | None) -> list[Role]:
    """Return the roles of teams that include the action and that the organization's plan lets its admins give."""
    roles = roles_for(organization.pk if organization else None).filter(grants__action=action)
    if organization is None:
        return [role for role in roles if not role.organization_id]
    has_custom = has_feature(organization, "custom_roles")
    has_view_only = has_feature(organization, "view_only_role")
    return [
        role
        for role in roles
        if (has_custom or not role.organization_id) and (has_view_only or role.preset != Preset.VIEW_ONLY)
    ]


def _by_a_role(actor: Actor, action: str, team: Team) -> str:
    """Return what would help who has no role that includes the action."""
    roles = roles_with(action, team.organization)
    names = {"who": actor.name, "team": team, "action": action, "organization": team.organization}
    if team.is_personal:
        return _("It belongs to %(team)s, and only they can do this.") % names
    if not roles:
        return (
            _("No team role includes it: only admins of the organization %(organization)s have it.") % names
        )
    labels = ", ".join(role.full_label for role in roles)
    help_ = _("An admin of the team %(team)s can give %(who)s a role that includes it: %(roles)s.")
    return help_ % {**names, "roles": labels}


def role_gives(actor: Actor, action: str, place: Team | Organization, role: Role) -> Reason:
    """Say that a role in a team or an organization includes the action."""
    names = {"who": actor.name, "role": role.full_label, "place": place, "action": action}
    if isinstance(place, Team):
        text = _("In the team %(place)s, %(who)s is %(role)s: this role includes %(action)s.")
        return met("team role", text % names)
    text = _(
        "In the organization %(place)s, %(who)s is %(role)s: this role includes %(action)s in all its teams."
    )
    return met("organization role", text % names)


def role_lacks(actor: Actor, action: str, place: Team | Organization, role: Role) -> Reason:
    """Say that a role in a team, or a service account's in its organization, does not include the action."""
    names = {"who": actor.name, "role": role.full_label, "place": place, "action": action}
    if isinstance(place, Team):
        text = _("In the team %(place)s, %(who)s is %(role)s: this role does not include %(action)s.")
        return unmet("team role", text % names, _by_a_role(actor, action, place))
    text = _("In the organization %(place)s, %(who)s is %(role)s: this role does not include %(action)s.")
    help_ = _("An admin of the organization %(place)s can give the service account another role.")
    if not roles_with(action, place):
        help_ = _("Service accounts cannot have it. Use the API key of a person who does.")
    return unmet("organization role", text % names, help_ % names)


def not_in_team(actor: Actor, action: str, team: Team) -> Reason:
    """Say that somebody is not in the team."""
    text = _("%(who)s is not in the team %(team)s.") % {"who": actor.name, "team": team}
    return unmet("team role", text, _by_a_role(actor, action, team))


def limited(actor: Actor, action: str, limit: OrganizationMember) -> Reason:
    """Say that the organization lets somebody do less than the role they hold (TEAM-1)."""
    names = {
        "who": actor.name,
        "organization": limit.organization,
        "action": action,
        "access": limit.get_models_access_display(),
    }
    if limit.role.preset == Preset.ORGANIZATION_VIEWER:
        text = _(
            "The role of %(who)s would include %(action)s, but %(who)s is a Viewer of the organization "
            "%(organization)s and can only read in its teams."
        )
        help_ = _(
            "An admin of the organization %(organization)s can make %(who)s a Member of it, with full access."
        )
    else:
        text = _(
            "The role of %(who)s would include %(action)s, but the organization %(organization)s limits "
            "%(who)s’s access to Models: %(access)s."
        )
        help_ = _("An admin of the organization %(organization)s can extend %(who)s’s access to Models.")
    return unmet("product access", text % names, help_ % names)


def organization_role_lacks(
    actor: Actor, action: str, organization: Organization, role: Role | None
) -> Reason:
    """Say that somebody's place in the organization does not give them the action."""
    names = {"who": actor.name, "organization": organization, "role": role.label if role else ""}
    if role is None:
        text = _("%(who)s does not belong to the organization %(organization)s.")
    else:
        text = _("In the organization %(organization)s, %(who)s is %(role)s, which does not include it.")
    help_ = ""
    if roles_with(action, organization):
        pass  # what a role of the team gives, the organization need not
    elif actor.kind is ActorKind.SERVICE:
        help_ = _("Service accounts cannot have it. Use the API key of a person who does.")
    elif Preset.ORGANIZATION_ADMIN in spec_of(action).roles:
        help_ = _("An admin of the organization %(organization)s can make %(who)s an admin of it.")
    return unmet("organization role", text % names, help_ % names)


def withheld(row: Model) -> Reason:
    """Say that roles do not reach the row (TEAM-24)."""
    text = _("The %(kind)s %(name)s is restricted: team and organization roles do not apply to it.")
    return unmet("restricted", text % {"kind": kind_of(row), "name": row})


def invite_switch(actor: Actor, team: Team, *, holds: bool, is_member: bool) -> Reason:
    """Say what the switch “Every member may invite” does for somebody (TEAM-4)."""
    names = {"who": actor.name, "team": team, "organization": team.organization}
    if holds:
        text = _("Every member of %(team)s can invite, and %(who)s is one.")
        return met("invite switch", text % names)
    if team.members_may_invite:
        text = _("Every member of %(team)s can invite, but %(who)s doesn’t have full access.")
        return unmet("invite switch", text % names)
    text = _("Only admins of %(team)s can invite: “Every member can invite” is off.")
    help_ = _("An admin of the organization %(organization)s can turn on “Every member can invite”.")
    return unmet("invite switch", text % names, help_ % names if is_member else "")
