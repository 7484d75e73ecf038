"""Where somebody belongs."""

from collections.abc import Iterable

from django.db.models import Count, OuterRef, QuerySet, Subquery

from access.actor import Actor
from teams.members.services import admins_of
from teams.models import Membership, OrganizationMember, Team
from teams.organizations.services import chiefs_in


def places_of(actor: Actor) -> "QuerySet[Membership]":
    """Return the actor's memberships of shared teams, by team, with how many are in each."""
    counts = (
        Membership.objects.filter(team=OuterRef("team_id"), user__kind="person").order_by().values("team")
    )
    rows = Membership.objects.filter(user=actor.lookup_id, team__in=Team.objects.shared())
    rows = rows.select_related("team__claim", "team__organization", "role").order_by("team__name")
    return rows.annotate(n_members=Subquery(counts.annotate(n=Count("pk")).values("n")))


def organizations_of(actor: Actor) -> "QuerySet[OrganizationMember]":
    """Return the actor's places in organizations, by name."""
    rows = OrganizationMember.objects.filter(user=actor.lookup_id)
    return rows.select_related("organization__claim", "role").order_by("organization__name")


def sole_admin_of(actor: Actor, teams: Iterable[Team]) -> set[int]:
    """Return the keys of teams that would be left without an admin if the actor went."""
    held: dict[int, list[int]] = {}
    for team_id, user_id in admins_of(teams).values_list("team_id", "user_id"):
        held.setdefault(team_id, []).append(user_id)
    return _held_alone(held, actor)


def led_alone_by(actor: Actor, organization_ids: Iterable[int]) -> set[int]:
    """Return the keys of organizations that would be left without an admin if the actor went."""
    held: dict[int, list[int]] = {}
    for organization_id, user_id in chiefs_in(organization_ids).values_list("organization_id", "user_id"):
        held.setdefault(organization_id, []).append(user_id)
    return _held_alone(held, actor)


def _held_alone(held: dict[int, list[int]], actor: Actor) -> set[int]:
    return {key for key, people in held.items() if people == [actor.user_id]}
