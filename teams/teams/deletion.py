"""Deleting teams, undoing that while it can be (TEAM-21), and what of teams goes with an account (ACC-9).

A deleted team is seen by nobody; its row stays, since the ledger of bytes and the audit log speak of it.
`teams.teams.participants` have their own part in it.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actions import Preset
from access.actor import Actor
from access.audit.log import record
from access.engine import require, visible
from access.signals import rights_changed
from accounts.lifecycle.participants import Obstacle
from accounts.models import User
from accounts.profile.services import delete_profile
from common.errors import Conflict, Gone, Invalid
from teams.access import TeamAction
from teams.models import (
    SHARED_KINDS,
    Invitation,
    InvitationState,
    Membership,
    Organization,
    OrganizationMember,
    ServiceAccount,
    Team,
)
from teams.service_accounts.services import end_service_accounts
from teams.teams.participants import team_participants


def restorable_until(team: Team) -> datetime:
    """Return until when a deleted team can be restored."""
    return (team.deleted_at or timezone.now()) + timedelta(days=settings.DELETED_KEPT_DAYS)


def deleted_teams_of(actor: Actor, organization: Organization) -> QuerySet[Team]:
    """Return the organization's teams that the actor can restore, last deleted first."""
    since = timezone.now() - timedelta(days=settings.DELETED_KEPT_DAYS)
    gone = Team.objects.filter(
        organization=organization, kind__in=SHARED_KINDS, deleted_at__gt=since
    ).select_related("claim")
    return visible(actor, TeamAction.DELETE, gone).order_by("-deleted_at")


def _record(actor: Actor, team: Team, action: str) -> None:
    record(actor, action, team, organization_id=team.organization_id, team_id=team.pk)
    transaction.on_commit(partial(rights_changed.send, Team))


def _hide(team: Team) -> None:
    team.deleted_at = timezone.now()
    for participant in team_participants():
        participant.hide(team, team.deleted_at)
    team.save(update_fields=["deleted_at", "updated_at"])
    Invitation.objects.pending().filter(team=team).update(
        state=InvitationState.REVOKED, closed_at=team.deleted_at
    )


@transaction.atomic
def delete_team(*, actor: Actor, team: Team, typed: str) -> Team:
    """Hide a team with all it owns and take its invitations back; it can be restored for some days.

    Raises:
        Invalid: another name than the team's was typed.
        Conflict: it is the entity of a person or an organization, or holds what is protected.
    """
    require(actor, TeamAction.DELETE, team)
    team = Team.objects.select_for_update(no_key=True).get(pk=team.pk)
    if not team.is_shared:
        raise Conflict(
            _("%(team)s is the entity of a person or an organization; it is deleted with its owner.")
            % {"team": team}
        )
    if typed.strip() != team.name:
        raise Invalid(_("Type the team’s name, %(team)s, to delete it.") % {"team": team})
    if team.deleted_at is not None:
        return team
    for participant in team_participants():
        participant.guard(team)
    _hide(team)
    _record(actor, team, TeamAction.DELETE)
    return team


@transaction.atomic
def restore_team(*, actor: Actor, team: Team) -> Team:
    """Bring a deleted team back with all that went with it; invitations stay revoked.

    Raises:
        Gone: too late.
    """
    require(actor, TeamAction.DELETE, team)
    team = Team.objects.select_for_update(no_key=True).get(pk=team.pk)
    if team.deleted_at is None:
        return team
    if not team.is_shared or restorable_until(team) <= timezone.now():
        raise Gone(_("%(team)s can no longer be restored.") % {"team": team})
    for participant in team_participants():
        participant.show(team, team.deleted_at)
    team.deleted_at = None
    team.save(update_fields=["deleted_at", "updated_at"])
    _record(actor, team, "team.restore")
    return team


@transaction.atomic
def forget_teams() -> int:
    """Take people and service accounts out of teams that nobody can restore; returns how many people left."""
    over = Team.objects.filter(deleted_at__lte=timezone.now() - timedelta(days=settings.DELETED_KEPT_DAYS))
    end_service_accounts(ServiceAccount.objects.filter(team__in=over))
    for team in over.filter(memberships__isnull=False).select_related("claim").distinct():
        delete_profile(team.claim)
        for participant in team_participants():
            participant.forget(team)
    left, _rows = Membership.objects.filter(team__in=over).delete()
    return left


# What of teams goes with an account


def obstacles_of(user: User) -> Iterator[Obstacle]:
    """Yield the teams and organizations that would be left without an admin (ACC-9)."""
    others = Membership.objects.filter(
        team=OuterRef("pk"), role__preset=Preset.ADMIN, user__kind="person", user__is_active=True
    ).exclude(user=user)
    administered = Team.objects.shared().filter(
        memberships__user=user, memberships__role__preset=Preset.ADMIN
    )
    for team in administered.filter(~Exists(others)):
        yield Obstacle(
            _(
                "You are the last admin of the team %(team)s. Make another member an admin, or delete the team."
            )
            % {"team": team},
            reverse("teams:members", args=[team.name]),
        )
    admins = OrganizationMember.objects.filter(
        organization=OuterRef("pk"), role__preset=Preset.ORGANIZATION_ADMIN, user__is_active=True
    ).exclude(user=user)
    led = Organization.objects.filter(members__user=user, members__role__preset=Preset.ORGANIZATION_ADMIN)
    # one that nobody else is in, and that has no team, goes as quietly as it came
    others_in = OrganizationMember.objects.filter(organization=OuterRef("pk")).exclude(user=user)
    teams_of = Team.objects.live().filter(organization=OuterRef("pk"))
    for organization in led.filter(~Exists(admins), Q(Exists(others_in)) | Q(Exists(teams_of))):
        yield Obstacle(
            _("You are the last admin of the organization %(organization)s. Make another member an admin.")
            % {"organization": organization},
            reverse("teams:organization", args=[organization.name]),
        )


def erase_person(user: User) -> None:
    """Delete a person's personal entity for good, and take them out of every team and organization."""
    personal = Team.objects.live().filter(claim=user.claim_id).first()
    if personal is not None:
        _hide(personal)
        for participant in team_participants():
            participant.give_up(personal)
            participant.forget(personal)
    Membership.objects.filter(user=user).delete()
    OrganizationMember.objects.filter(user=user).delete()
    Invitation.objects.pending_for(user).update(state=InvitationState.DECLINED, closed_at=timezone.now())
