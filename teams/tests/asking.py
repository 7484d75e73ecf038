"""What the tests of invitations share: a team, and a function that asks somebody into it by mail."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.core import mail
from django.utils import timezone

from access.actions import Preset
from access.actor import SYSTEM
from teams.invitations.services import invite
from teams.models import Invitation, Team
from teams.roles.builtin import built_in
from tests.factories import PASSWORD, TeamFactory

ADDRESS = "new@example.com"
SIGN_UP = {"username": "newcomer", "email": ADDRESS, "password1": PASSWORD}
Asked = tuple[Invitation, str]


@pytest.fixture
def team() -> Team:
    return TeamFactory(name="vision")


@pytest.fixture
def ask(team: Team, django_capture_on_commit_callbacks: Any) -> Callable[..., Asked]:
    """Give a function that invites; it returns the invitation and the token of the mailed link."""

    def ask(**given: Any) -> Asked:
        wanted = {"actor": SYSTEM, "team": team, "role": built_in(Preset.MEMBER), **given}
        with django_capture_on_commit_callbacks(execute=True):
            row = invite(**(wanted if "username" in wanted else {"email": ADDRESS, **wanted}))
        return Invitation.objects.get(pk=row.pk), mailed_token()

    return ask


def mailed_token() -> str:
    found = re.search(r"/invitations/(\w+)", str(mail.outbox[-1].body))
    assert found is not None
    return found[1]


def members_of(team: Team) -> dict[str, str]:
    return dict(team.memberships.values_list("user__username", "role__name"))


def in_days(days: float) -> Any:
    return time_machine.travel(timezone.now() + timedelta(days=days), tick=True)
