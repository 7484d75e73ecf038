"""An organization's admins see its members' and service accounts' keys and revoke them; its policy (semantics, 3)."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from access.actions import Preset
from access.models import AuditEntry
from accounts.api_keys.services import create_api_key
from accounts.models import ApiKey, User
from common.errors import Forbidden, NotFound
from ingest.key_scopes import LOG_RUNS
from teams.models import Organization, Team
from teams.organizations.key_policy import keys_beyond_policy
from teams.organizations.keys import revoke_keys
from tests.factories import (
    ServiceAccountFactory,
    TeamFactory,
    UserFactory,
    actor,
    basic,
    delivered,
    make_key,
    make_member,
)

pytestmark = pytest.mark.django_db
PAGE = "/organizations/acme/api-keys"


@pytest.fixture
def team() -> Team:
    return TeamFactory(organization__name="acme", organization__admin=UserFactory(username="chief"))


@pytest.fixture
def chief(client: Client, team: Team) -> User:
    chief = User.objects.get(username="chief")
    client.force_login(chief)
    return chief


@pytest.fixture
def member(team: Team) -> User:
    return make_member(team, username="mia", email="mia@example.com")


def _page(client: Client, query: str = "") -> str:
    answer = client.get(f"{PAGE}{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def test_keys_of_members_and_programs_are_listed_and_nobody_else_s(
    client: Client, chief: User, team: Team, member: User
):
    """Semantics, section 3: an organization admin sees all."""
    bots = [ServiceAccountFactory(team=team), ServiceAccountFactory(organization=team.organization)]
    inside = [make_key(user) for user in (member, *(bot.user for bot in bots))]
    outside = [make_key(UserFactory()), make_key(ServiceAccountFactory(team=TeamFactory()).user)]
    page = _page(client)
    assert all(secret[3:11] in page for secret in inside)
    assert not any(secret[3:11] in page for secret in outside)
    assert not any(secret[11:] in page for secret in inside)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?q=mia", {"laptop", "old"}), ("?q=lap", {"laptop"}), ("?whose=service", {"bot"}),
        ("?whose=person", {"laptop", "old"}), ("?beyond=on", {"old"}), ("?q=nothing", set()),
        ("?whose=x&page=z", {"laptop", "old", "bot"}),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("chief")
def test_keys_are_found(client: Client, team: Team, member: User, query: str, found: set[str]):
    """By owner, name, kind, and whether the policy would refuse them."""
    make_key(member, label="laptop", scopes=LOG_RUNS)
    make_key(member, label="old")
    make_key(ServiceAccountFactory(team=team).user, label="bot")
    Organization.objects.update(api_keys_limited=True)
    page = _page(client, query)
    assert {name for name in ("laptop", "old", "bot") if f">{name}</span>" in page} == found


def test_chosen_keys_are_revoked_and_their_owners_are_told(
    client: Client, chief: User, team: Team, member: User
):
    """With an audit row each, in the organization's log."""
    bot = ServiceAccountFactory(team=team)
    secrets = [make_key(member, label="laptop"), make_key(bot.user), make_key(member)]
    chosen = [ApiKey.objects.get(prefix=secret[3:11]).pk for secret in secrets[:2]]
    client.post(f"{PAGE}/revoke", {"key": chosen})
    client.logout()
    answers = [
        client.get("/api/v1/runs/", headers={"Authorization": basic(one)}).status_code for one in secrets
    ]
    assert answers == [401, 401, 200]
    entries = AuditEntry.objects.filter(action="api_key.delete", user=chief).order_by("before__owner")
    assert {entry.organization_id for entry in entries} == {team.organization_id}
    assert {entry.team_id for entry in entries} == {None, team.pk}
    mails = [mail for mail in delivered() if "revoked" in mail.subject]
    assert [mail.to for mail in mails] == [["mia@example.com"]]
    assert "chief, an admin of acme, revoked your API key “laptop”" in str(mails[0].body)


def test_keys_of_others_are_left_alone(client: Client, chief: User):
    stranger = make_key(UserFactory())
    client.post(f"{PAGE}/revoke", {"key": [ApiKey.objects.get().pk, "²", "x", 10**12]})
    assert ApiKey.objects.get().prefix == stranger[3:11]


@pytest.mark.parametrize("preset", [Preset.ADMIN, Preset.MEMBER])
def test_admins_of_a_team_do_not_revoke_members_keys(team: Team, member: User, preset: Preset):
    """Semantics, section 3: their teams' service keys are theirs, members' are not."""
    make_key(member)
    asking, organization = actor(make_member(team, preset)), Organization.objects.get()
    with pytest.raises((Forbidden, NotFound)):
        revoke_keys(actor=asking, organization=organization, numbers=[ApiKey.objects.get().pk])
    assert ApiKey.objects.exists()


def test_the_list_costs_the_same_for_many(
    client: Client, chief: User, team: Team, django_assert_max_num_queries: Callable[..., Any]
):
    for number in range(8):
        make_key(make_member(team, username=f"m{number}"))
        make_key(ServiceAccountFactory(team=team, label=f"b{number}").user)
    with django_assert_max_num_queries(22):
        assert "m7" in _page(client)


@pytest.mark.parametrize(("scopes", "made"), [(None, False), (["run.view"], True)])
def test_members_new_keys_can_have_to_be_limited(
    team: Team, member: User, scopes: list[str] | None, made: bool
):
    """The policy of an organization; who breaks it is told what it wants."""
    Organization.objects.update(api_keys_limited=True)
    if made:
        create_api_key(actor=actor(member), owner=member, scopes=scopes)
    else:
        with pytest.raises(Forbidden, match="acme must be restricted: choose permissions for the key"):
            create_api_key(actor=actor(member), owner=member, scopes=scopes)
    assert ApiKey.objects.exists() is made


def test_limited_and_short_are_two_rules(team: Team, member: User):
    soon = timezone.now() + timedelta(days=2)
    for scopes, end in [(None, soon), (["run.view"], None), (["run.view"], soon)]:
        create_api_key(actor=actor(member), owner=member, scopes=scopes, expires_at=end)
    Organization.objects.update(api_keys_limited=True, api_key_max_days=30)
    assert keys_beyond_policy(Organization.objects.get()).count() == 2


def test_the_policy_is_changed_by_its_admins_and_audited(client: Client, chief: User):
    """With what was before and after."""
    data = {"api_keys_allowed": "on", "api_keys_limited": "on", "api_key_max_days": "90"}
    client.post("/organizations/acme/settings", data)
    entry = AuditEntry.objects.get(action="organization.change_settings")
    assert (entry.before["api_keys_limited"], entry.after["api_keys_limited"]) == (False, True)
    assert (entry.before["api_key_max_days"], entry.after["api_key_max_days"]) == (None, 90)
