"""The page of a person or team: what of it the viewer may see (ACC-3, TEAM-10)."""

from dataclasses import dataclass, field

from django.db.models import F, QuerySet
from django.utils.translation import gettext as _

from access.actor import Actor
from access.engine import can, visible
from accounts.models import Profile, ProfileAudience, User
from accounts.profile.services import Named, profile_action
from common.errors import NotFound
from runs import selectors
from runs.access import ProjectAction, RunAction
from runs.entity_pages.project_list import ProjectFilter, ProjectList, project_list
from runs.highlights.newest import newest_runs
from runs.highlights.selectors import Highlight, highlights
from runs.models import Run
from teams.access import TeamAction
from teams.models import Membership, Team
from teams.teams.selectors import profiles_shown_to

_RECENT = 8
_MOST_MEMBERS = 30
"""The page of members shows all."""


@dataclass(frozen=True, slots=True)
class EntityPage:
    """Everything that the page shows."""

    team: Team
    person: User | None
    profile: Profile
    projects: ProjectList
    project_count: int
    """All that the viewer may see."""
    recent_runs: list[Highlight]
    can_edit: bool
    can_pin: bool
    can_create: bool
    teams: "list[Team]" = field(default_factory=list)
    """Of a person: those that the viewer may see, too."""
    members: "list[Membership]" = field(default_factory=list)
    """Of a team, for those who may see them: the first of them; empty for everybody else."""
    member_count: int = 0
    is_inside: bool = False
    """Whether the viewer may see the team itself, not only what of it is public."""

    @property
    def entity(self) -> Named:
        """Whose picture and name the page bears."""
        return self.person or self.team


def entity_page(actor: Actor, name: str, wanted: ProjectFilter) -> EntityPage:
    """Collect the page of an entity, with those projects that are wanted, in a fixed number of queries.

    Raises:
        NotFound: there is none, or nothing of it may be seen.
    """
    team = _shown_team(actor, name)
    person = _person_of(team)
    is_inside = can(actor, TeamAction.VIEW, team)
    can_manage = can(actor, TeamAction.MANAGE_SETTINGS, team)
    can_edit = can(actor, profile_action(person), person) if person else can_manage
    projects = selectors.projects_of(actor, team).order_by(
        F("pinned_at").asc(nulls_last=True), "-last_active_at", "pk"
    )
    listed = project_list(projects, wanted)
    everybody = _members_of(team) if is_inside and not person else Membership.objects.none()
    members = list(everybody[: _MOST_MEMBERS + 1])
    return EntityPage(
        team=team,
        person=person,
        profile=getattr(team.claim, "profile", None) or Profile(claim=team.claim),
        projects=listed,
        project_count=projects.count() if wanted.text else listed.found,
        recent_runs=highlights(_runs_of(actor, person) if person else newest_runs(actor, projects, _RECENT)),
        can_edit=can_edit,
        can_pin=can_manage,
        can_create=can(actor, ProjectAction.CREATE, team),
        teams=list(_teams_of(actor, person)) if person else [],
        members=members[:_MOST_MEMBERS],
        member_count=len(members) if len(members) <= _MOST_MEMBERS else everybody.count(),
        is_inside=is_inside,
    )


def _runs_of(actor: Actor, person: User) -> "QuerySet[Run]":
    runs = Run.objects.listed().filter(is_host=False, user=person)
    related = runs.select_related("project__team", "pulse", "user").order_by("-created_at", "-pk")
    return visible(actor, RunAction.VIEW, related)[:_RECENT]


def _person_of(team: Team) -> User | None:
    """Return whose personal entity it is."""
    return getattr(team.claim, "user", None) if team.is_personal else None


def _shown_team(actor: Actor, name: str) -> Team:
    """Return the team behind the page, if the actor may see anything there.

    Everybody signed in may see a person's page; visitors may when the person told something there, or has a public
    project: a page that nobody filled would only tell who has an account. A person can hide it from either.
    """
    related = ("organization", "claim__user__claim", "claim__profile")
    team = Team.objects.select_related(*related).filter(name=name).first()
    person = _person_of(team) if team else None
    if person and person.profile_visible_to != ProfileAudience.EVERYONE and not _shows(actor, person):
        raise NotFound(
            _("The entity “%(name)s” doesn’t exist, or you don’t have access to it.") % {"name": name}
        )
    if team and person and person.is_active and (actor.is_signed_in or hasattr(team.claim, "profile")):
        return team
    allowed = selectors.get_team(actor, name)
    return team or allowed


def _shows(actor: Actor, person: User) -> bool:
    return profiles_shown_to(actor).filter(pk=person.pk).exists()


def _teams_of(actor: Actor, person: User) -> "QuerySet[Team]":
    theirs = Membership.objects.filter(user=person).values("team_id")
    teams = Team.objects.shared().filter(pk__in=theirs).select_related("claim")
    return visible(actor, TeamAction.VIEW, teams)


def _members_of(team: Team) -> "QuerySet[Membership]":
    members = Membership.objects.filter(team=team, user__is_active=True)
    return members.select_related("user__claim", "role").order_by("user__username")
