"""Names on the command line to rows."""

from django.core.management.base import CommandError

from accounts.models import User
from teams.models import Organization, Team


def user_named(name: str) -> User:
    """Return the user; CommandError when there is none."""
    user = User.objects.filter(username__iexact=name).first()
    if user is None:
        raise CommandError(f"User “{name}” doesn’t exist.")
    return user


def team_named(name: str) -> Team:
    """Return the team; CommandError when there is none."""
    team = Team.objects.live().filter(name__iexact=name).first()
    if team is None:
        raise CommandError(f"Team “{name}” doesn’t exist.")
    return team


def organization_named(name: str) -> Organization:
    """Return the organization; CommandError when there is none."""
    organization = Organization.objects.filter(name__iexact=name).first()
    if organization is None:
        raise CommandError(f"Organization “{name}” doesn’t exist.")
    return organization
