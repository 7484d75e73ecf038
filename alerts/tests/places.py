"""Destinations for tests that send nothing."""

from accounts.models import User
from alerts.models import Destination, DestinationKind
from teams.models import Team


def a_place(team: Team, name: str = "#runs") -> Destination:
    """Return a Slack channel of the team, whose address nobody calls."""
    return Destination.objects.create(team=team, name=name, kind=DestinationKind.SLACK_WEBHOOK)


def personal(user: User) -> Team:
    """Return somebody's personal entity."""
    return Team.objects.get(claim=user.claim_id)
