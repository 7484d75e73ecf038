"""What an automation may send to, and whom it may mail: its team's; of an organization's registry more than one team's.

An organization has no destinations of its own. An automation of its registries sends to those of its teams in which
whoever sets that up may create automations; and it mails people who see the registry.
"""

from django.db.models import Q, QuerySet

from access.actor import Actor
from access.engine import visible, who_may
from accounts.models import User, UserKind
from alerts.models import Destination
from artifacts.access import ArtifactAction
from automations.access import AutomationAction
from automations.models import Automation
from runs.models import Project
from teams.models import Team, TeamKind


def is_of_organization(team: Team) -> bool:
    """Say whether it is the entity of an organization, which owns registries only."""
    return team.kind == TeamKind.ORGANIZATION


def destinations_of(actor: Actor, team: Team) -> QuerySet[Destination]:
    """Return where the actor may let automations of a team send, what is off last.

    Who may make an automation in a team chooses among all of its destinations.
    """
    rows = Destination.objects.filter(team=team)
    if is_of_organization(team):
        teams = Team.objects.live().filter(organization=team.organization_id)
        theirs = visible(actor, AutomationAction.CREATE, teams)
        rows = Destination.objects.filter(team__in=theirs.values("pk"))
    return rows.select_related("team").order_by("-is_on", "name", "pk")


def recipients_of(team: Team, project: Project | None = None) -> QuerySet[User]:
    """Return the people whom automations can mail: the team's members, or who sees the organization's registry."""
    people = User.objects.filter(memberships__team=team)
    if is_of_organization(team):
        seen = who_may(ArtifactAction.VIEW, project) if project is not None else User.objects.none()
        people = User.objects.filter(pk__in=seen.values("pk"))
    return people.filter(is_active=True, kind=UserKind.PERSON).exclude(email="").order_by("username")


def secrets_team(automation: Automation) -> Team:
    """Return the team whose secrets its payload may name: that of the webhook, which is told them."""
    destination = automation.destination
    return automation.team if destination is None else destination.team


def concerning(team: Team) -> Q:
    """Return a condition on automations: they are the team's, or send to one of its destinations."""
    return Q(team=team) | Q(destination__team=team)
