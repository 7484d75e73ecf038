"""What the tests of pages share: an organization with a team, and a function that visits a page as somebody."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from teams.models import Membership, Organization, Team
from tests.factories import (
    OrganizationFactory,
    TeamFactory,
    UserFactory,
)

HTML = {"Accept": "text/html"}


@pytest.fixture
def organization() -> Organization:
    return OrganizationFactory(name="acme", admin=UserFactory(username="chief"))


@pytest.fixture
def team(organization: Organization) -> Team:
    return TeamFactory(name="vision", organization=organization, admin=UserFactory(username="ada"))


@pytest.fixture
def as_user(client: Client) -> Any:
    """Give a function that asks for a page as somebody: ``as_user("ada", "/teams/vision")``."""

    def ask(who: str, path: str, data: dict[str, Any] | None = None, **more: Any) -> Any:
        client.force_login(User.objects.get(username=who))
        more = {"headers": HTML, **more}
        return client.get(path, **more) if data is None else client.post(path, data, **more)

    return ask


def text_of(response: Any) -> str:
    return " ".join(response.content.decode().split())


def said(response: Any) -> list[str]:
    return [str(message) for message in response.wsgi_request._messages][-1:]


def place_of(username: str) -> Membership:
    return Membership.objects.get(user__username=username, team__name="vision")
