"""What of teams changes hands when two accounts become one (`accounts.lifecycle.account_merge`)."""

from collections.abc import Iterator
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone

from access.actions import Preset
from accounts.lifecycle.participants import MergeLine
from accounts.models import User
from teams.models import Invitation, InvitationState, Membership, OrganizationMember, Team

_THEIRS = "where both are, the account that stays keeps its role, or becomes an admin if the other was one"


def preview_merge(source: User, target: User) -> Iterator[MergeLine]:
    """Yield the places and invitations of the account that ends."""
    yield MergeLine("teams", _places(source).count(), _THEIRS)
    yield MergeLine("organizations", OrganizationMember.objects.filter(user=source).count(), _THEIRS)
    yield MergeLine("invitations", Invitation.objects.pending_for(source).count())


def merge(source: User, target: User) -> None:
    """Hand over places in organizations and teams, and what was asked of the account or by it."""
    # where runs go that name no entity stays the choice of the account that stays
    Membership.objects.filter(user=source, is_default=True).update(is_default=False)
    _move_places(
        OrganizationMember.objects.filter(user=source), target, "organization_id", Preset.ORGANIZATION_ADMIN
    )
    _move_places(_places(source), target, "team_id", Preset.ADMIN)
    Invitation.objects.filter(invited_by=source).update(invited_by=target)
    _move_invitations(source, target)


def personal_team(user: User) -> Team:
    """Return somebody's personal entity."""
    return Team.objects.get(claim=user.claim_id)


def _places(user: User) -> QuerySet[Membership]:
    return Membership.objects.filter(user=user).exclude(team__claim=user.claim_id)


def _move_places(rows: QuerySet[Any], target: User, where: str, admin: Preset) -> None:
    """Give places to the target; of two in the same team or organization the target's stays."""
    held = {
        getattr(row, where): row
        for row in rows.model._default_manager.filter(user=target).select_related("role")
    }
    for row in rows.select_related("role"):
        there = held.get(getattr(row, where))
        if there is None:
            row.user = target
            row.save(update_fields=["user", "updated_at"])
            continue
        if row.role.preset == admin and there.role.preset != admin:
            there.role = row.role
            there.save(update_fields=["role", "updated_at"])
        row.delete()


def _move_invitations(source: User, target: User) -> None:
    """Hand over what was asked by name; what the target was asked, too, or has, is closed."""
    asked = Invitation.objects.filter(user=source)
    pending = asked.filter(state=InvitationState.PENDING)
    known = Invitation.objects.pending().filter(user=target)
    also_asked = Q(team__in=known.values("team")) | Q(organization__in=known.values("organization"))
    teams = Membership.objects.filter(user=target).values("team")
    organizations = OrganizationMember.objects.filter(user=target).values("organization")
    belongs = Q(team__in=teams) | Q(organization__in=organizations)
    closed = {"state": InvitationState.ACCEPTED, "closed_at": timezone.now()}
    pending.filter(also_asked).update(state=InvitationState.REVOKED, closed_at=timezone.now())
    asked.update(user=target)
    Invitation.objects.pending_for(target).filter(belongs).update(**closed)
