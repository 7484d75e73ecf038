"""Creating and changing organizations, and who belongs to them (TEAM-1)."""

from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actions import Preset
from access.actor import Actor, ActorKind
from access.audit.log import record
from access.engine import require
from accounts.lifecycle.services import claim_name
from accounts.models import User
from accounts.profile.services import delete_profile
from common.errors import Conflict, Forbidden, Invalid, NotFound
from teams.access import OrganizationAction
from teams.members.mail import mail_removed
from teams.members.selectors import lock_admins
from teams.members.services import accept_pending, close_pending, require_a_team_admin
from teams.members.suspension import suspend_given_teams
from teams.models import (
    Invitation,
    InvitationState,
    Membership,
    Organization,
    OrganizationMember,
    ProductAccess,
    Role,
    RoleLevel,
    ServiceAccount,
    Team,
    TeamKind,
)
from teams.organizations.participants import organization_participants
from teams.plan_policy import plan_policy, require_seat, seat_for, seat_of
from teams.roles.builtin import built_in
from teams.roles.signals import send_rights_changed
from teams.service_accounts.services import end_service_accounts

MAX_KEY_DAYS = 3650


def _require_an_admin(member: OrganizationMember) -> None:
    """Refuse to lose the last admin of the organization; the rows are locked until the transaction ends."""
    if lock_admins(member.organization_id) == [member.pk]:
        message = _("%(who)s is the last admin of %(organization)s. Make another member an admin first.")
        raise Conflict(message % {"who": member.user, "organization": member.organization})


def _require_team_admins(member: OrganizationMember) -> list[Membership]:
    """Return the member's places in the organization's teams, unless one of these would be left without an admin."""
    places = Membership.objects.select_related("team", "user", "role").filter(
        user=member.user_id, team__organization=member.organization_id
    )
    for place in places:
        if place.role.preset == Preset.ADMIN:
            require_a_team_admin(place)
    return list(places)


def _audit_snapshot(member: OrganizationMember) -> dict[str, Any]:
    return {
        "role": member.role.name, "models_access": member.models_access, "weave_access": member.weave_access
    }  # fmt: skip


@transaction.atomic
def change_organization_member(
    *,
    actor: Actor,
    member: OrganizationMember,
    role: Role | None = None,
    models_access: str | None = None,
    weave_access: str | None = None,
) -> OrganizationMember:
    """Change somebody's role in an organization, or how far they reach into its products; None leaves a thing.

    Raises:
        Conflict: the last admin of the organization, or of one of its teams, would no longer be one; or they would
            take a seat that the plan does not have.
        Invalid: a role of teams, or no such access.
    """
    require(actor, OrganizationAction.MANAGE_MEMBERS, member.organization)
    before, had = _audit_snapshot(member), seat_of(member)
    if role is not None and role.pk != member.role_id:
        if role.level != RoleLevel.ORGANIZATION:
            raise Invalid(_("%(role)s is a team role, not an organization role.") % {"role": role})
        if role.preset != Preset.ORGANIZATION_ADMIN:
            _require_an_admin(member)
            plan_policy().guard_admin(actor, member)
        if role.preset == Preset.ORGANIZATION_VIEWER:
            _require_team_admins(member)
        member.role = role
    for name, access in (("models_access", models_access), ("weave_access", weave_access)):
        if access is not None:
            if access not in ProductAccess.values:
                raise Invalid(_("Access must be one of %(all)s.") % {"all": ", ".join(ProductAccess.values)})
            setattr(member, name, access)
    if _audit_snapshot(member) != before:
        require_seat(member.organization, seat_of(member), had=had)
        member.save(update_fields=["role", "models_access", "weave_access", "updated_at"])
        _record(actor, "organization.change_member", member, before=before, after=_audit_snapshot(member))
        send_rights_changed()
    return member


def _record(actor: Actor, action: str, member: OrganizationMember, **snapshots: dict[str, Any]) -> None:
    named = {key: {"user": member.user.username, **values} for key, values in snapshots.items()}
    record(actor, action, member.organization, organization_id=member.organization_id, **named)  # type: ignore[arg-type]


@transaction.atomic
def add_to_organization(
    *,
    actor: Actor,
    organization: Organization,
    user: User,
    role: Role,
    models_access: str = ProductAccess.FULL,
) -> OrganizationMember:
    """Put somebody into an organization, without a team.

    Raises:
        Conflict: they belong to it, or its plan has no seat left.
    """
    require(actor, OrganizationAction.MANAGE_MEMBERS, organization)
    if OrganizationMember.objects.filter(organization=organization, user=user).exists():
        names = {"who": user, "organization": organization}
        raise Conflict(_("%(who)s already belongs to %(organization)s.") % names)
    require_seat(organization, seat_for(role, models_access))
    member = OrganizationMember.objects.create(
        organization=organization, user=user, role=role, models_access=models_access
    )
    accept_pending(organization, user)
    _record(actor, "organization.add_member", member, after=_audit_snapshot(member))
    send_rights_changed()
    return member


def _remove_member(actor: Actor, member: OrganizationMember, action: str) -> None:
    """Take somebody out of the organization and all its teams; what they were invited to there is taken back."""
    _require_an_admin(member)
    plan_policy().guard_admin(actor, member)
    places = _require_team_admins(member)
    invited = Invitation.objects.pending_for(member.user).filter(
        pk__in=Invitation.objects.within(member.organization).values("pk")
    )
    close_pending(invited, InvitationState.REVOKED)
    suspend_given_teams(member)
    _record(
        actor,
        action,
        member,
        before={**_audit_snapshot(member), "teams": [place.team.name for place in places]},
    )
    Membership.objects.filter(pk__in=[place.pk for place in places]).delete()
    member.delete()
    send_rights_changed()


@transaction.atomic
def remove_from_organization(*, actor: Actor, member: OrganizationMember) -> None:
    """Take somebody out, who is told by mail; the runs they logged stay.

    Raises:
        Conflict: they are the last admin of the organization or of one of its teams.
    """
    require(actor, OrganizationAction.MANAGE_MEMBERS, member.organization)
    _remove_member(actor, member, "organization.remove_member")
    if member.user_id != actor.user_id:
        mail_removed(user=member.user, place=member.organization.name, actor=actor)


@transaction.atomic
def leave_organization(*, actor: Actor, organization: Organization) -> None:
    """Take oneself out of an organization and all its teams; the runs one logged stay.

    Raises:
        NotFound: the actor does not belong to it.
        Conflict: they are the last admin of the organization or of one of its teams.
    """
    rows = OrganizationMember.objects.select_related("organization", "user", "role")
    member = rows.filter(organization=organization, user=actor.lookup_id).first()
    if member is None:
        raise NotFound(_("You do not belong to %(organization)s.") % {"organization": organization})
    _remove_member(actor, member, "organization.leave")


@transaction.atomic
def delete_organization(*, actor: Actor, organization: Organization, typed: str) -> None:
    """Delete an organization that has no teams any more, for good: its people, roles and settings go, its name stays.

    Raises:
        Invalid: another name than the organization's was typed.
        Conflict: it has teams, whose own deletion can be undone, as this cannot; or something is not settled.
    """
    require(actor, OrganizationAction.DELETE, organization)
    organization = Organization.objects.select_for_update(no_key=True).get(pk=organization.pk)
    if typed.strip() != organization.name:
        message = _("Type the organization’s name, %(organization)s, to delete it.")
        raise Invalid(message % {"organization": organization})
    left = list(Team.objects.live().filter(organization=organization).values_list("name", flat=True)[:5])
    if left:
        message = _("%(organization)s still has teams: %(teams)s. Delete them first.")
        raise Conflict(message % {"organization": organization, "teams": ", ".join(left)})
    plan_policy().before_organization_end(actor, organization)
    people = list(organization.members.order_by("pk").values_list("user__username", flat=True))
    record(
        actor, OrganizationAction.DELETE, organization, organization_id=organization.pk,
        before={"members": people},
    )  # fmt: skip
    Team.objects.filter(organization=organization, kind=TeamKind.ORGANIZATION).update(
        deleted_at=timezone.now()
    )
    end_service_accounts(ServiceAccount.objects.filter(organization=organization))
    close_pending(Invitation.objects.within(organization), InvitationState.REVOKED)
    organization.members.all().delete()
    organization.deleted_at = timezone.now()
    organization.save(update_fields=["deleted_at", "updated_at"])
    delete_profile(organization.claim)
    send_rights_changed()


@transaction.atomic
def change_organization(
    *,
    actor: Actor,
    organization: Organization,
    display_name: str,
    api_keys_allowed: bool,
    api_key_max_days: int | None,
    api_keys_limited: bool | None = None,
) -> Organization:
    """Change what an organization is called and which API keys its members make; keys there are go on working.

    Args:
        actor: An admin of the organization.
        organization: Which one.
        display_name: Shown beside its name.
        api_keys_allowed: Whether members make API keys.
        api_key_max_days: How long a new one may live; None is for ever.
        api_keys_limited: Whether a new one must be limited to some actions; None leaves it as it is.

    Raises:
        Invalid: the longest life is no number of days from 1 to ten years.
    """
    require(actor, OrganizationAction.MANAGE_SETTINGS, organization)
    if api_key_max_days is not None and not 1 <= api_key_max_days <= MAX_KEY_DAYS:
        raise Invalid(
            _("A key’s lifetime must be 1 to %(most)d days, or unlimited.") % {"most": MAX_KEY_DAYS}
        )
    after: dict[str, Any] = {
        "display_name": display_name.strip()[:120], "api_keys_allowed": api_keys_allowed,
        "api_key_max_days": api_key_max_days,
        "api_keys_limited": organization.api_keys_limited if api_keys_limited is None else api_keys_limited,
    }  # fmt: skip
    before = {name: getattr(organization, name) for name in after}
    if after != before:
        for name, value in after.items():
            setattr(organization, name, value)
        organization.save(update_fields=[*after, "updated_at"])
        record(
            actor, "organization.change_settings", organization, organization_id=organization.pk,
            before=before, after=after,
        )  # fmt: skip
    return organization


@transaction.atomic
def create_organization(*, actor: Actor, name: str, admin: User) -> Organization:
    """Make an organization with its first admin (TEAM-2, TEAM-12).

    Raises:
        Forbidden: somebody else than the first admin asks, or a key whose scopes do not reach to teams.
        Conflict: the name is taken.
    """
    if actor.kind is not ActorKind.SYSTEM and not actor.elevated and actor.user_id != admin.pk:
        raise Forbidden(_("You can create an organization only for yourself."), action="organization.create")
    if not actor.reaches(OrganizationAction.CREATE_TEAM):
        message = _("The scopes of the API key do not include %(action)s.")
        remedy = _("Use a key with this scope, or an unrestricted key.")
        denied = f"{message % {'action': OrganizationAction.CREATE_TEAM.value}} {remedy}"
        raise Forbidden(denied, action=OrganizationAction.CREATE_TEAM)
    organization = Organization.objects.create(claim=claim_name(name), name=name)
    OrganizationMember.objects.create(
        organization=organization, user=admin, role=built_in(Preset.ORGANIZATION_ADMIN)
    )
    record(
        actor,
        "organization.create",
        organization,
        organization_id=organization.pk,
        after={"admin": admin.username},
    )
    plan_policy().on_organization_created(organization, admin)
    for participant in organization_participants():
        participant.create(organization, admin)
    send_rights_changed()
    return organization
