"""What an organization says of its members' API keys."""

from contextlib import nullcontext
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from access.actor import SYSTEM
from accounts.api_keys.services import create_api_key
from accounts.models import ApiKey, User
from common.errors import Forbidden
from teams.models import Organization, Team
from teams.organizations.key_policy import keys_beyond_policy
from tests.factories import ServiceAccountFactory, TeamFactory, UserFactory, actor, make_key, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> Team:
    return TeamFactory(organization__name="acme", organization__admin=UserFactory(username="chief"))


@pytest.fixture
def member(team: Team) -> User:
    return make_member(team)


def test_keys_can_be_forbidden_and_the_refusal_says_by_whom_and_whom_to_ask(member: User):
    Organization.objects.update(api_keys_allowed=False)
    with pytest.raises(
        Forbidden, match=r"acme does not allow its members to create API keys\. Ask an admin of acme: chief"
    ):
        create_api_key(actor=actor(member), owner=member)
    assert not ApiKey.objects.exists()


@pytest.mark.parametrize(("days", "made"), [(None, False), (31, False), (30, True), (1, True)])
def test_keys_can_have_to_expire(member: User, days: int | None, made: bool):
    Organization.objects.update(api_key_max_days=30)
    end = None if days is None else timezone.now() + timedelta(days=days)
    refused: Any = nullcontext() if made else pytest.raises(Forbidden, match="must expire within 30 days")
    with refused:
        create_api_key(actor=actor(member), owner=member, expires_at=end)
    assert ApiKey.objects.exists() is made


def test_programs_and_strangers_are_not_asked(team: Team):
    Organization.objects.update(api_keys_allowed=False)
    make_key(ServiceAccountFactory(team=team).user)
    make_key(UserFactory())
    assert ApiKey.objects.count() == 2


def test_keys_there_are_go_on_and_are_named_to_admins(client: Client, team: Team, member: User):
    secret = make_key(member, label="old laptop")
    make_key(member, label="short", expires_at=timezone.now() + timedelta(days=3))
    Organization.objects.update(api_key_max_days=30)
    organization = Organization.objects.get()
    assert [key.label for key in keys_beyond_policy(organization)] == ["old laptop"]
    client.force_login(User.objects.get(username="chief"))
    assert (
        "1 key of a member was created before" in client.get("/organizations/acme/settings").content.decode()
    )
    shown = client.get("/organizations/acme/api-keys?beyond=on").content.decode()
    assert "old laptop" in shown
    assert "short</span>" not in shown
    asked = {"Authorization": f"Bearer {secret}"}
    client.logout()
    assert client.get("/api/v1/runs/", headers=asked).status_code != 401


def test_the_first_page_opens_without_a_key_made_for_it(client: Client, member: User):
    Organization.objects.update(api_keys_allowed=False)
    client.force_login(member)
    assert client.get("/").status_code == 200
    assert not ApiKey.objects.exists()


@pytest.mark.parametrize("has_keys", [False, True])
@pytest.mark.parametrize("path", ["/settings/api-keys", "/authorize"])
def test_who_may_make_no_key_is_told_before_the_form(
    client: Client, member: User, path: str, *, has_keys: bool
):
    """ACC-40: the form is not shown, and the reason is."""
    if has_keys:
        make_key(member)
    client.force_login(member)
    assert 'name="lifetime"' in client.get(path).content.decode()
    Organization.objects.update(api_keys_allowed=False)
    page = client.get(path).content.decode()
    assert 'name="lifetime"' not in page
    assert "acme does not allow its members to create API keys. Ask an admin of acme: chief." in page


def test_the_system_is_bound_as_well(member: User):
    """A command of operators makes no key that the organization does not want."""
    Organization.objects.update(api_keys_allowed=False)
    with pytest.raises(Forbidden):
        create_api_key(actor=SYSTEM, owner=member)
