"""TEAM-30: the pages of service accounts, and what they say on members' and runs' pages (TEAM-34)."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from access.actions import Preset
from accounts.models import ApiKey, User
from runs.lifecycle import services as lifecycle
from runs.lifecycle.fields import RunFields
from teams.models import ServiceAccount, Team
from teams.roles.builtin import built_in
from tests.factories import (
    ProjectFactory,
    ServiceAccountFactory,
    TeamFactory,
    actor,
    basic,
    make_key,
    make_member,
)
from tests.plans import lacking

pytestmark = pytest.mark.django_db
PAGE = "/teams/vision/service-accounts"
OF_ORGANIZATION = "/organizations/lab/service-accounts"


@pytest.fixture
def team() -> Team:
    return TeamFactory(name="vision", organization__name="lab")


@pytest.fixture
def admin(client: Client, team: Team) -> User:
    user = make_member(team, Preset.ADMIN, username="boss")
    client.force_login(user)
    return user


@pytest.fixture
def bot(team: Team) -> ServiceAccount:
    return ServiceAccountFactory(team=team, label="nightly")


def _text(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return answer.content.decode()


def _member() -> int:
    return int(built_in(Preset.MEMBER).pk)


def test_the_empty_page_shows_how_a_job_uses_one(client: Client, admin: User):
    """TEAM-30."""
    page = _text(client, PAGE)
    for variable in ("WANDB_API_KEY", "WANDB_ENTITY=vision", "WANDB_USERNAME"):
        assert variable in page


def test_making_one_leads_to_its_page_where_a_key_is_made_and_shown_once(client: Client, admin: User):
    """TEAM-30."""
    made = client.post(PAGE, {"label": "ci", "description": "builds", "role": _member()}, follow=True)
    account = ServiceAccount.objects.get(label="ci")
    assert made.redirect_chain[-1][0] == f"{PAGE}/{account.pk}"
    page = client.post(f"{PAGE}/{account.pk}/keys", {"label": "runner", "lifetime": "30", "reach": "log"})
    secret = re.search(r"ry-[A-Za-z0-9]{40}", page.content.decode())
    assert secret is not None
    assert "no-store" in page.headers["Cache-Control"]
    assert secret[0] not in _text(client, f"{PAGE}/{account.pk}")
    assert "Log runs" in _text(client, f"{PAGE}/{account.pk}")
    asked = Client().get("/api/v1/runs/", headers={"Authorization": basic(secret[0])})
    assert asked.status_code == 200


def test_its_page_tells_what_is_so_of_a_program(client: Client, admin: User, bot: ServiceAccount):
    """TEAM-30: it has no machine of its own, and its sections say what is in them."""
    page = _text(client, f"{PAGE}/{bot.pk}")
    assert "Everything the account can do" in page
    headings = re.findall(r"<h2>([^<]+)</h2>", page)
    assert headings == ["API keys", "Recent runs", "Name and role", "Deactivate or delete"]


@pytest.mark.parametrize(
    ("label", "told"), [("a b", "isn’t a valid name"), ("nightly", "already"), ("", "required")]
)
def test_a_mistake_is_told_where_it_was_made(
    client: Client, admin: User, bot: ServiceAccount, label: str, told: str
):
    """TEAM-30."""
    answer = client.post(PAGE, {"label": label, "role": _member()})
    assert answer.status_code == 422
    assert told in answer.content.decode()


def test_rotating_shows_a_new_secret_and_keeps_the_old_for_a_while(
    client: Client, admin: User, bot: ServiceAccount
):
    """TEAM-30."""
    make_key(bot.user, label="cluster")
    old = ApiKey.objects.get()
    page = client.post(f"{PAGE}/{bot.pk}/keys", {"rotate": old.pk, "overlap": "24"}).content.decode()
    assert re.search(r"ry-[A-Za-z0-9]{40}", page)
    old.refresh_from_db()
    assert old.expires_at is not None
    assert ApiKey.objects.filter(user=bot.user, expires_at=None).count() == 1


def test_a_key_of_another_account_is_neither_rotated_nor_revoked(
    client: Client, admin: User, bot: ServiceAccount
):
    """TEAM-30."""
    make_key(admin)
    key = ApiKey.objects.get()
    client.post(f"{PAGE}/{bot.pk}/keys", {"rotate": key.pk})
    client.post(f"{PAGE}/{bot.pk}/act", {"act": "revoke", "key": key.pk})
    assert list(ApiKey.objects.all()) == [key]


@pytest.mark.parametrize(("act", "left"), [("deactivate", (1, False)), ("delete", (0, False))])
def test_it_is_ended_by_a_button(
    client: Client, admin: User, bot: ServiceAccount, act: str, left: tuple[int, bool]
):
    """TEAM-30."""
    client.post(f"{PAGE}/{bot.pk}/act", {"act": act})
    user = User.objects.get(username="vision.nightly")
    assert (ServiceAccount.objects.count(), user.is_active) == left


def test_name_role_and_purpose_are_changed(client: Client, admin: User, bot: ServiceAccount):
    """TEAM-30."""
    role = built_in(Preset.VIEW_ONLY)
    client.post(f"{PAGE}/{bot.pk}", {"label": "weekly", "description": "Sundays", "role": role.pk})
    bot = ServiceAccount.objects.get()
    assert (bot.label, bot.description, bot.effective_role) == ("weekly", "Sundays", role)


def test_an_organization_s_has_a_default_team(client: Client, team: Team):
    """TEAM-32: chosen, and taken away again."""
    client.force_login(make_member(team, Preset.ORGANIZATION_ADMIN))
    client.post(OF_ORGANIZATION, {"label": "wide", "role": _member(), "default_team": team.pk})
    account = ServiceAccount.objects.get()
    assert account.default_team == team
    client.post(f"{OF_ORGANIZATION}/{account.pk}", {"label": "wide", "role": _member(), "default_team": ""})
    account.refresh_from_db()
    assert account.default_team is None


def test_one_of_elsewhere_is_not_there(client: Client, admin: User, team: Team):
    """TEAM-30: another team's, or the organization's own under the team's address."""
    for account in (
        ServiceAccountFactory(team=TeamFactory()),
        ServiceAccountFactory(organization=team.organization),
    ):
        assert client.get(f"{PAGE}/{account.pk}").status_code == 404


def test_a_plan_without_them_says_so(client: Client, admin: User):
    """TEAM-30: an Enterprise feature."""
    with lacking("service_accounts"):
        assert "does not include service accounts" in _text(client, PAGE)


def test_the_list_costs_the_same_for_many(
    client: Client, admin: User, team: Team, django_assert_max_num_queries: Callable[..., Any]
):
    """TEAM-30."""
    for number in range(15):
        bot = ServiceAccountFactory(team=team, label=f"b{number}")
        for _ in range(3):
            make_key(bot.user)
    with django_assert_max_num_queries(30):
        assert "b14" in _text(client, PAGE)


def test_members_list_shows_it_without_mail_or_a_way_to_remove_it(
    client: Client, admin: User, bot: ServiceAccount
):
    """TEAM-30: marked, with a link to its section."""
    page = _text(client, "/teams/vision")
    row = re.search(r"<tr>(?:(?!</tr>).)*nightly.*?</tr>", page, re.DOTALL)
    assert row is not None
    assert "Service account" in row[0]
    assert "@" not in row[0]
    assert PAGE in row[0]
    assert "data-opens" not in row[0]


@pytest.mark.parametrize(("preset", "offered"), [(Preset.ADMIN, True), (Preset.MEMBER, False)])
def test_inviting_offers_a_service(client: Client, team: Team, preset: Preset, offered: bool):
    """TEAM-30: choose *Service*, *Create*; for who may."""
    Team.objects.update(members_may_invite=True)
    client.force_login(make_member(team, preset))
    assert (PAGE in _text(client, "/teams/vision/invite")) is offered


def test_a_run_says_by_whom_for_whom(client: Client, admin: User, team: Team, bot: ServiceAccount):
    """TEAM-34: on the run's page, in the table, in a comparison, and beside the account."""
    alice = make_member(team, username="alice")
    project = ProjectFactory(team=team, name="p")
    fields = RunFields()
    lifecycle.log_run(actor=actor(bot), project=project, uid="r1", fields=fields, user=alice)
    lifecycle.log_run(actor=actor(bot), project=project, uid="r2", fields=fields)
    assert "nightly for alice" in _text(client, "/vision/p/runs/r1/overview")
    assert _text(client, "/vision/p/runs").count("nightly for alice</span>") == 1
    assert "nightly for alice" in _text(client, "/vision/p/compare?runs=r1&runs=r2")
    logged = _text(client, "/users/vision.nightly/logged")
    assert "for alice" in logged
    assert logged.count('class="item"') == 2
    rows = client.get(
        "/api/v1/runs/?entity=vision&project=p&filter=logged_by%20%3D%20%22vision.nightly%22"
    ).json()
    assert {row["uid"] for row in rows["results"]} == {"r1", "r2"}


def test_who_does_not_see_the_runs_is_not_told_of_them(client: Client, team: Team, bot: ServiceAccount):
    """TEAM-21."""
    fields = RunFields()
    lifecycle.log_run(actor=actor(bot), project=ProjectFactory(team=team), uid="r1", fields=fields)
    client.force_login(make_member(TeamFactory()))
    assert 'class="item"' not in _text(client, "/users/vision.nightly/logged")
