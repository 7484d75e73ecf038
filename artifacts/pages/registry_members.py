"""Who is in a registry, and who may be added, as its page lists them."""

from dataclasses import dataclass
from enum import StrEnum

from django.db.models import F, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from artifacts.access import ArtifactAction, RegistryAction
from artifacts.models import Registry, RegistryMember, RegistryRole
from artifacts.registries.members import candidate_teams, candidates
from artifacts.registries.roles import roles_with
from teams.members.people import MemberFilter, matches_text
from teams.models import Team

MOST_FOUND = 20
_ABILITIES: tuple[tuple[Promise, StrEnum], ...] = (
    (_("See collections, versions, lineage and members"), ArtifactAction.VIEW),
    (_("Download files, and use versions in runs"), ArtifactAction.DOWNLOAD),
    (_("Link and unlink versions"), ArtifactAction.CREATE),
    (_("Set aliases and tags, edit and delete collections"), ArtifactAction.UPDATE),
    (_("Add and remove protected aliases"), RegistryAction.PROTECT_ALIASES),
    (_("Manage members, settings and visibility"), RegistryAction.UPDATE),
    (_("Delete and restore the registry"), RegistryAction.DELETE),
)
"""What roles are told apart by, in the order in which they come to it, and the action that stands for it."""


@dataclass(frozen=True, slots=True)
class Found:
    """People and teams that can be added, by what was typed."""

    people: list[User]
    teams: list[Team]
    more: int
    """How many match beyond those."""


def abilities() -> list[tuple[Promise, list[bool]]]:
    """Return what each role may: rows of a table with a column for each role, the least first."""
    return [(label, [role in roles_with(action) for role in RegistryRole]) for label, action in _ABILITIES]


def last_admin(rows: list[RegistryMember]) -> int:
    """Return the key of the one registry admin, who cannot be removed; 0 where there are several."""
    admins = [row.pk for row in rows if row.role == RegistryRole.ADMIN]
    return admins[0] if len(admins) == 1 else 0


def members_of(registry: Registry) -> QuerySet[RegistryMember]:
    """Return the members of a registry: teams first, then people by name."""
    rows = RegistryMember.objects.filter(registry=registry)
    rows = rows.select_related("user__claim", "team__claim")
    return rows.order_by(F("team__name").asc(nulls_last=True), "user__username", "pk")


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
