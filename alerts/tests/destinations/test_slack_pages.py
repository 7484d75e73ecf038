"""Connecting a Slack channel by Slack's own page (ALR-4)."""

from typing import Any
from urllib.parse import parse_qs, urlsplit
from urllib.request import HTTPRedirectHandler, build_opener

import pytest
import time_machine
from django.core import signing
from django.test import Client

from access.actions import Preset
from access.models import AuditEntry
from accounts.models import User
from alerts.destinations import slack
from alerts.models import Destination, DestinationKind
from alerts.transports import Notice, send
from common.errors import Conflict, Invalid, NotFound, Unavailable
from teams.models import Team
from tests.factories import TeamFactory, UserFactory, actor, make_member
from tests.fakes.slack import CODE, Slack

pytestmark = pytest.mark.django_db
CONNECT, CALLBACK = "/slack/connect/vision", "/slack/callback"


@pytest.fixture
def team() -> Team:
    return TeamFactory(name="vision")


@pytest.fixture
def admin(client: Client, team: Team) -> User:
    user = make_member(team, Preset.ADMIN, username="boss")
    client.force_login(user)
    return user


class _Stay(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Follow none: a browser's next step is the test's."""


def chosen_at(page: str) -> str:
    """Open Slack's page, choose a channel, and return where it leads back to."""
    try:
        build_opener(_Stay).open(page)
    except OSError as answer:
        return str(answer.headers["Location"])  # type: ignore[attr-defined]  # an HTTPError
    raise AssertionError("Slack led nowhere")


def connected(client: Client) -> Any:
    """Go the whole way in the browser of somebody."""
    back = urlsplit(chosen_at(client.get(CONNECT)["Location"]))
    return client.get(f"{back.path}?{back.query}")


def state_of(client: Client) -> str:
    page = urlsplit(client.get(CONNECT)["Location"])
    return parse_qs(page.query)["state"][0]


def test_a_channel_is_connected_and_takes_messages(client: Client, admin: User, team: Team, workspace: Slack):
    asked = parse_qs(urlsplit(client.get(CONNECT)["Location"]).query)
    assert asked["scope"] == ["incoming-webhook"]
    assert asked["redirect_uri"][0].endswith(CALLBACK)
    answer = connected(client)
    row = Destination.objects.get()
    assert answer["Location"] == f"/teams/vision/destinations/{row.pk}"
    assert (row.kind, row.name, row.place) == (DestinationKind.SLACK, "#training", "#training · Aurora Labs")
    assert (row.team, row.created_by) == (team, admin)
    assert workspace.hook not in row.sealed_url
    assert send(row, Notice(uid="u", title="Run finished", text="")).is_ok
    assert workspace.messages[0]["text"] == "Run finished"
    assert workspace.hook not in str(list(AuditEntry.objects.values()))


def test_connecting_the_same_channel_again_mends_it(
    client: Client, admin: User, team: Team, workspace: Slack
):
    """ALR-4: a revoked token turns it off; connecting again turns it on."""
    connected(client)
    Destination.objects.update(is_on=False, off_reason="HTTP 403: invalid_token", last_error="x")
    workspace.hook = "/services/T024BE7LD/B2/new"
    connected(client)
    row = Destination.objects.get()
    assert (row.is_on, row.off_reason, row.last_error) == (True, "", "")
    assert send(row, Notice(uid="u", title="t", text="")).is_ok
    assert AuditEntry.objects.filter(action="destination.reconnect").count() == 1


def test_another_channel_of_the_same_name_gets_a_name_of_its_own(
    client: Client, admin: User, team: Team, workspace: Slack
):
    connected(client)
    workspace.workspace = "Borealis"
    connected(client)
    assert [row.name for row in Destination.objects.order_by("pk")] == ["#training", "#training 2"]


def test_a_person_connects_a_channel_of_their_own(client: Client, workspace: Slack):
    user = UserFactory()
    client.force_login(user)
    back = urlsplit(chosen_at(client.get("/slack/connect")["Location"]))
    answer = client.get(f"{back.path}?{back.query}")
    row = Destination.objects.get()
    assert row.team == user.memberships.get().team
    assert answer["Location"] == f"/settings/alerts/destinations/{row.pk}"


class TestStates:
    """What comes back is bound to the person and the team who asked, for a while."""

    def test_a_state_of_another_person_is_refused(
        self, client: Client, admin: User, team: Team, workspace: Slack
    ):
        state = state_of(client)
        client.force_login(make_member(team, Preset.ADMIN))
        answer = client.get(CALLBACK, {"code": CODE, "state": state}, follow=True)
        assert "for someone else" in answer.content.decode()
        assert not Destination.objects.exists()
        assert workspace.exchanges == []

    def test_an_old_state_is_refused(self, client: Client, admin: User, workspace: Slack):
        with time_machine.travel("2026-01-01T00:00:00Z", tick=False):
            page = slack.install_url(
                actor=actor(admin), team=Team.objects.get(name="vision"), redirect="http://x/"
            )
        state = parse_qs(urlsplit(page).query)["state"][0]
        with (
            time_machine.travel("2026-01-01T00:20:00Z", tick=False),
            pytest.raises(Invalid, match="too late"),
        ):
            slack.finish_install(actor=actor(admin), code=CODE, state=state)

    def test_a_forged_state_is_refused(self, client: Client, admin: User, team: Team, workspace: Slack):
        other = signing.dumps(
            {"user": admin.pk, "team": team.pk, "redirect": "http://x/"}, salt="another purpose"
        )
        for state in ("", "x", other, state_of(client) + "x"):
            client.get(CALLBACK, {"code": CODE, "state": state})
        assert workspace.exchanges == []

    def test_who_lost_the_right_meanwhile_connects_nothing(
        self, client: Client, admin: User, team: Team, workspace: Slack
    ):
        state = state_of(client)
        team.memberships.filter(user=admin).delete()
        with pytest.raises(NotFound):
            slack.finish_install(actor=actor(User.objects.get(pk=admin.pk)), code=CODE, state=state)
        assert not Destination.objects.exists()


class TestRefusals:
    def test_who_cancels_at_slack_gets_back(self, client: Client, admin: User, workspace: Slack):
        answer = client.get(CALLBACK, {"error": "access_denied", "state": state_of(client)}, follow=True)
        assert "No channel connected." in answer.content.decode()

    @pytest.mark.parametrize("error", ["invalid_code", "bad_redirect_uri", "invalid_client_id"])
    def test_slacks_refusal_is_told(self, client: Client, admin: User, workspace: Slack, error: str):
        workspace.oauth_error = error
        answer = client.get(CALLBACK, {"code": CODE, "state": state_of(client)}, follow=True)
        assert error in answer.content.decode()
        assert not Destination.objects.exists()

    def test_a_slack_that_gives_an_address_of_elsewhere_is_not_believed(
        self, client: Client, admin: User, workspace: Slack, settings: Any
    ):
        settings.SLACK_HOSTS = frozenset()
        connected(client)
        assert not Destination.objects.exists()

    def test_a_slack_that_does_not_answer_is_told(
        self, admin: User, team: Team, workspace: Slack, settings: Any
    ):
        page = slack.install_url(actor=actor(admin), team=team, redirect="http://x/")
        settings.SLACK_URL = "http://127.0.0.1:9"
        state = parse_qs(urlsplit(page).query)["state"][0]
        with pytest.raises(Unavailable):
            slack.finish_install(actor=actor(admin), code=CODE, state=state)

    def test_without_an_app_pages_offer_only_the_pasted_address(
        self, client: Client, admin: User, team: Team
    ):
        page = client.get("/teams/vision/destinations").content.decode()
        assert "New Slack channel" in page
        assert CONNECT not in page
        assert client.get(CONNECT)["Location"] == "/teams/vision/destinations"
        with pytest.raises(Conflict):
            slack.install_url(actor=actor(admin), team=team, redirect="http://x/")

    def test_members_connect_nothing(self, client: Client, team: Team, workspace: Slack):
        client.force_login(make_member(team, Preset.MEMBER))
        assert client.get(CONNECT).status_code == 403
