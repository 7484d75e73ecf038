"""What of alerts goes with an account, or with a team that nobody can restore any more (ACC-9, TEAM-21)."""

from accounts.models import User
from alerts.automation_provider import automation_provider
from alerts.models import AlertSettings, Destination, Event, Message, Mute, Secret
from teams.models import Team


def forget_person(user: User) -> None:
    """Take away what somebody was told, chose and muted; call in the deleting transaction."""
    Message.objects.filter(user=user).delete()
    Mute.objects.filter(user=user).delete()
    AlertSettings.objects.filter(user=user).delete()


def forget_team(team: Team) -> None:
    """Take away addresses and secrets of a team, what it was told of, and what would use them."""
    automation_provider().forget_team(team)
    Destination.objects.filter(team=team).delete()
    Secret.objects.filter(team=team).delete()
    AlertSettings.objects.filter(team=team).delete()
    Mute.objects.filter(team=team).delete()
    Message.objects.filter(team=team).delete()
    Event.objects.filter(team=team).delete()
