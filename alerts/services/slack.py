"""Connecting a Slack channel by Slack's own page (ALR-4); without an app of Slack, addresses are pasted."""

from django.conf import settings

from access.actor import Actor
from alerts.models import Destination
from teams.models import Team


def is_available() -> bool:
    """Say whether the operator has set up an app of Slack."""
    return bool(settings.SLACK_CLIENT_ID and settings.SLACK_CLIENT_SECRET)


def install_url(*, actor: Actor, team: Team, redirect: str) -> str:
    raise NotImplementedError


def finish_install(*, actor: Actor, code: str, state: str) -> Destination:
    raise NotImplementedError
