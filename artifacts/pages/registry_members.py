"""Who is in a registry, and who may be added, as its page lists them."""

from dataclasses import dataclass

from django.db.models import QuerySet

from accounts.models import User
from artifacts.models import Registry, RegistryMember
from artifacts.registries.members import candidate_teams, candidates
from teams.members.people import MemberFilter, matches_text
from teams.models import Team

MOST_FOUND = 20


@dataclass(frozen=True, slots=True)
class Found:
    """People and teams that can be added, by what was typed."""

    people: list[User]
    teams: list[Team]
    more: int
    """How many match beyond those."""


def members_of(registry: Registry) -> QuerySet[RegistryMember]:
    """Return the members of a registry: teams first, then people by name."""
    rows = RegistryMember.objects.filter(registry=registry)
    return rows.select_related("user__claim", "team__claim").order_by("team__name", "user__username", "pk")


def addable(registry: Registry, wanted: MemberFilter) -> Found:
    """Return who can be added, in a fixed number of queries."""
    inside = RegistryMember.objects.filter(registry=registry)
    people = candidates(registry).exclude(pk__in=inside.filter(user__isnull=False).values("user"))
    people = people.filter(matches_text(wanted, "username", "display_name")).select_related("claim")
    teams = candidate_teams(registry).exclude(pk__in=inside.filter(team__isnull=False).values("team"))
    teams = teams.filter(matches_text(wanted, "name", "display_name")).select_related("claim")
    shown_people = list(people.order_by("username")[:MOST_FOUND])
    shown_teams = list(teams.order_by("name")[:MOST_FOUND])
    more = people.count() + teams.count() - len(shown_people) - len(shown_teams)
    return Found(shown_people, shown_teams, more)
