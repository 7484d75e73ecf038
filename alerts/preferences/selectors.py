"""What pages and the API show of the alerts that people and teams chose."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from access.actor import Actor
from access.engine import visible
from alerts.access import AlertAction
from alerts.models import AlertSettings, Destination, Mute, Route
from alerts.preferences.services import own_mutes
from common.errors import Invalid
from runs.access import ProjectAction
from runs.models import Project
from teams.access import TeamAction
from teams.models import Membership, Team
from teams.teams.selectors import teams_of

_ANY_ON = (
    Q(on_finished=True) | Q(on_crashed=True) | Q(on_killed=True) | Q(on_sweeps=True) | Q(on_scripted=True)
)
_PROPOSED = 200
"""Projects that a field proposes; others can be typed."""


def managed_teams(actor: Actor) -> QuerySet[Team]:
    """Return the teams whose alerts the actor chooses; a personal entity stands for its person's own."""
    return visible(actor, AlertAction.MANAGE, Team.objects.live())


def owner_of_settings(team: Team) -> dict[str, Any]:
    """Return whose settings they are, as services take it: the team's, or of the person whose entity it is."""
    return {"user": getattr(team.claim, "user", None)} if team.is_personal else {"team": team}


def with_settings(teams: QuerySet[Team]) -> QuerySet[Team]:
    """Read with each team what is chosen there."""
    return teams.select_related("alert_settings", "claim__user__alert_settings", "organization")


def team_settings(team: Team) -> AlertSettings:
    """Return what is chosen there."""
    owner = owner_of_settings(team)
    found: AlertSettings | None = getattr(next(iter(owner.values())), "alert_settings", None)
    return found or AlertSettings(**owner)


def team_routes(team: Team) -> QuerySet[Route]:
    """Return where the alerts of a team go besides mail, the oldest first."""
    rows = Route.objects.filter(destination__team=team).order_by("pk")
    return rows.select_related("destination", "project__team", "settings")


def managed_routes(actor: Actor) -> QuerySet[Route]:
    """Return the routes of all teams whose alerts the actor chooses."""
    rows = Route.objects.filter(destination__team__in=managed_teams(actor).values("pk"))
    return rows.select_related("destination__team", "project__team", "settings__user", "settings__team")


def team_destinations(team: Team) -> QuerySet[Destination]:
    """Return the Slack channels and webhooks of a team."""
    return Destination.objects.filter(team=team).order_by("name")


def notifying_projects(actor: Actor, team: Team) -> QuerySet[Project]:
    """Return the projects that alerts of the team can be about: the team's, for a person all that they see."""
    seen = visible(actor, ProjectAction.VIEW, Project.objects.live()).select_related("team")
    return seen if team.is_personal else seen.filter(team=team)


def project_paths(actor: Actor, team: Team) -> list[str]:
    """Return what a field proposes as projects; a person's are their own and those of their teams."""
    rows = notifying_projects(actor, team)
    if team.is_personal:
        rows = rows.filter(Q(team=team) | Q(team__in=teams_of(actor).values("pk")))
    paths = rows.order_by("-last_active_at").values_list("team__name", "name")[:_PROPOSED]
    return [f"{entity}/{name}" for entity, name in paths]


def find_project(actor: Actor, team: Team, path: str) -> Project:
    """Return the project that somebody named, ``team/project``, or its name alone in the team's own.

    Raises:
        Invalid: there is none, or the actor may not see it.
    """
    entity, _slash, name = path.strip().rpartition("/")
    found = notifying_projects(actor, team).filter(team__name=entity or team.name, name=name).first()
    if found is None:
        raise Invalid(_("This project doesn’t exist here, or you don’t have access to it."))
    return found


@dataclass(frozen=True, slots=True)
class TeamMail:
    """A team whose settings mail its members."""

    team: Team
    is_muted: bool


def mailing_teams(actor: Actor) -> list[TeamMail]:
    """Return the actor's teams that mail their members, and whether the actor muted them."""
    muted = set(own_mutes(actor).filter(team__isnull=False).values_list("team_id", flat=True))
    mailing = AlertSettings.objects.filter(_ANY_ON, by_email=True, team__isnull=False).values("team_id")
    teams = teams_of(actor).filter(Q(pk__in=mailing) | Q(pk__in=muted))
    return [TeamMail(team, team.pk in muted) for team in teams.order_by("name")]


def mailed_count(team: Team) -> int:
    """Return how many people mail of a team's settings reaches at most."""
    people = Membership.objects.filter(team=team, user__is_active=True, user__kind="person")
    return people.exclude(user__in=Mute.objects.filter(team=team).values("user_id")).count()


def has_chosen(actor: Actor) -> bool:
    """Say whether a person has chosen anything for themselves, were it nothing, or a team of theirs tells them."""
    of_teams = _ANY_ON & Q(team__in=teams_of(actor).values("pk"))
    return AlertSettings.objects.filter(Q(user_id=actor.lookup_id) | of_teams).exists()


def is_muted(actor: Actor, project: Project) -> bool:
    """Say whether the actor muted the project."""
    return Mute.objects.filter(user_id=actor.lookup_id, project=project).exists()


def seen_teams(actor: Actor) -> QuerySet[Team]:
    """Return the shared teams that the actor may see, which are those they can mute."""
    return visible(actor, TeamAction.VIEW, Team.objects.shared())
