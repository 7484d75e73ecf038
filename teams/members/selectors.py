"""Where somebody belongs."""

from collections.abc import Iterable

from django.db.models import Count, OuterRef, QuerySet, Subquery

from access.actions import Preset
from access.actor import Actor
from access.engine import can
from teams.access import TeamAction
from teams.grants import within_access
from teams.models import Invitation, Membership, Organization, OrganizationMember, Team


def memberships_of(actor: Actor) -> "QuerySet[Membership]":
    """Return the actor's memberships of shared teams, by team, with how many are in each."""
    counts = (
        Membership.objects.filter(team=OuterRef("team_id"), user__kind="person").order_by().values("team")
    )
    rows = Membership.objects.filter(user=actor.lookup_id, team__in=Team.objects.shared())
    rows = rows.select_related("team__claim", "team__organization", "role").order_by("team__name")
    return rows.annotate(n_members=Subquery(counts.annotate(n=Count("pk")).values("n")))


def organization_memberships_of(actor: Actor) -> "QuerySet[OrganizationMember]":
    """Return the actor's places in organizations, by name."""
    rows = OrganizationMember.objects.filter(user=actor.lookup_id)
    return rows.select_related("organization__claim", "role").order_by("organization__name")


def teams_with_one_admin(actor: Actor, teams: Iterable[Team]) -> set[int]:
    """Return the keys of teams that would be left without an admin if the actor went."""
    admins: dict[int, list[int]] = {}
    for team_id, user_id in team_admins(teams).values_list("team_id", "user_id"):
        admins.setdefault(team_id, []).append(user_id)
    return _only_with(admins, actor)


def organizations_with_one_admin(actor: Actor, organization_ids: Iterable[int]) -> set[int]:
    """Return the keys of organizations that would be left without an admin if the actor went."""
    admins: dict[int, list[int]] = {}
    for organization_id, user_id in organization_admins(organization_ids).values_list(
        "organization_id", "user_id"
    ):
        admins.setdefault(organization_id, []).append(user_id)
    return _only_with(admins, actor)


def _only_with(admins: dict[int, list[int]], actor: Actor) -> set[int]:
    return {key for key, people in admins.items() if people == [actor.user_id]}


def team_admins(teams: Iterable[Team]) -> QuerySet[Membership]:
    """Return the memberships that keep teams in hands: of admins who can sign in and may act as such."""
    acting = within_access(TeamAction.MANAGE_MEMBERS, "user_id", "team__organization_id")
    return Membership.objects.filter(
        acting, team__in=teams, role__preset=Preset.ADMIN, user__kind="person", user__is_active=True
    )


def organization_admins(organization_ids: Iterable[int]) -> QuerySet[OrganizationMember]:
    """Return the places of the organizations' admins who can sign in."""
    return OrganizationMember.objects.filter(
        organization__in=organization_ids, role__preset=Preset.ORGANIZATION_ADMIN, user__is_active=True
    )


def lock_admins(organization_id: int) -> list[int]:
    """Lock the places of the organization's admins until the transaction ends; returns their keys."""
    return [admin.pk for admin in organization_admins([organization_id]).select_for_update(of=("self",))]


def admin_names(organization: Organization) -> list[str]:
    """Return the usernames of the organization's admins."""
    return sorted(organization_admins([organization.pk]).values_list("user__username", flat=True))


def pending_invitations(actor: Actor, team: Team) -> QuerySet[Invitation]:
    """Return the team's pending invitations, to those who may invite."""
    rows = Invitation.objects.pending().filter(team=team).select_related("team", "user", "role", "base_role")
    return rows if can(actor, TeamAction.INVITE, team) else rows.none()
