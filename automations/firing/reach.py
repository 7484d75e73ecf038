"""What an automation may send to, and whom it may mail: its team's; of an organization's registry more than one team's.

Whoever sets a team's automation up may let it call a webhook of their own, too, as long as they are in the team. The
team sees its name and owner, and its admins can choose another.

An organization has no destinations of its own. An automation of its registries sends to those of its teams in which
whoever sets that up may create automations; and it mails people who see the registry.
"""

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from access.actor import Actor
from access.engine import visible, who_may
from accounts.models import User, UserKind
from alerts.access import AlertAction
from alerts.models import Destination, DestinationKind
from artifacts.access import ArtifactAction
from automations.access import AutomationAction
from automations.models import Automation
from runs.models import Project
from teams.models import Membership, Team, TeamKind


def is_of_organization(team: Team) -> bool:
    """Say whether it is the entity of an organization, which owns registries only."""
    return team.kind == TeamKind.ORGANIZATION


def destinations_of(actor: Actor, team: Team) -> QuerySet[Destination]:
    """Return where the actor may let automations of a team send, what is off last.

    Who may make an automation in a team chooses among all of its destinations, and the webhooks that are their own.
    """
    entity = Membership.objects.filter(user=actor.lookup_id or 0, team__kind=TeamKind.PERSONAL)
    own = Destination.objects.filter(team__in=entity.values("team"), kind=DestinationKind.WEBHOOK)
    mine = visible(actor, AlertAction.MANAGE, own)
    rows = Destination.objects.filter(Q(team=team) | Q(pk__in=mine.values("pk")))
    if is_of_organization(team):
        teams = Team.objects.live().filter(organization=team.organization_id)
        theirs = visible(actor, AutomationAction.CREATE, teams)
        rows = Destination.objects.filter(team__in=theirs.values("pk"))
    return rows.select_related("team").order_by("-is_on", "name", "pk")


def still_allowed() -> Q:
    """Return a condition on automations: they send to no webhook of a person who has left the team."""
    of_person = Q(destination__team__kind=TeamKind.PERSONAL) & ~Q(destination__team=F("team"))
    owner = Membership.objects.filter(
        team=OuterRef("team"), user__memberships__team=OuterRef("destination__team"), user__is_active=True
    )
    return Q(destination__isnull=True) | ~of_person | Q(Exists(owner))


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
