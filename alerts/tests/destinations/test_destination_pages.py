"""Pages of destinations and secrets (ALR-4, ALR-7), of a team and of a person."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from access.actions import Preset
from accounts.models import User
from alerts.models import Destination, Message, MessageState, Secret
from alerts.secrets.services import values_of
from teams.models import Team
from tests.factories import DestinationFactory, SecretFactory, TeamFactory, UserFactory, make_member
from tests.fakes.sinks import Sink

pytestmark = pytest.mark.django_db
PAGE, SECRETS = "/teams/vision/destinations", "/teams/vision/secrets"
HTML = {"Accept": "text/html"}
OWN, OWN_SECRETS = "/settings/alerts/destinations", "/settings/alerts/secrets"


@pytest.fixture
def team() -> Team:
    return TeamFactory(name="vision")


@pytest.fixture
def admin(client: Client, team: Team) -> User:
    user = make_member(team, Preset.ADMIN, username="boss")
    client.force_login(user)
    return user


def text(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return answer.content.decode()


def message(row: Destination, **given: Any) -> Message:
    now = timezone.now()
    return Message.objects.create(
        **{
            "recipient": f"destination:{row.pk}", "destination": row, "team": row.team, "send_at": now,
            "is_open": False, "ended_at": now, "state": MessageState.SENT, **given,
        }
    )  # fmt: skip


class TestList:
    def test_the_empty_page_says_what_can_be_added(self, client: Client, admin: User):
        page = text(client, PAGE)
        assert "Microsoft Teams, Discord, ntfy" in page
        assert f"{PAGE}/new/webhook" in page
        assert f"{PAGE}/new/slack" in page
        assert "Connect Slack" not in page  # without an app of Slack

    def test_each_says_how_it_is(self, client: Client, admin: User, team: Team):
        """ALR-4, ALR-5: visible with its last error in the settings."""
        now = timezone.now()
        states: dict[str, dict[str, Any]] = {
            "fine": {"last_sent_at": now},
            "bad": {"last_error": "HTTP 503", "last_error_at": now},
            "gone": {"is_on": False, "off_reason": "HTTP 404: no_service"},
            "off": {"is_on": False},
            "new": {},
        }
        for name, fields in states.items():
            Destination.objects.filter(pk=DestinationFactory(team=team, name=name).pk).update(**fields)
        page = text(client, PAGE)
        for shown in (
            "Works",
            "Failing",
            "HTTP 503",
            "HTTP 404: no_service",
            "Not tried",
            "hooks.example.com",
        ):
            assert shown in page
        assert "/runyard" not in page.replace("runyard.example", "")  # the path of the address

    def test_recent_messages_show_what_was_sent_and_answered(self, client: Client, admin: User, team: Team):
        row = DestinationFactory(team=team, name="hook")
        message(
            row,
            state=MessageState.FAILED,
            error="HTTP 500",
            status=500,
            request="POST x",
            response="<b>no</b>",
        )
        message(DestinationFactory(name="elsewhere"), error="of another team")
        page = text(client, PAGE)
        assert "Failed" in page
        assert "&lt;b&gt;no&lt;/b&gt;" in page
        assert "of another team" not in page

    def test_a_long_list_costs_no_more_queries(
        self, client: Client, admin: User, team: Team, django_assert_max_num_queries: Any
    ):
        for _ in range(12):
            message(DestinationFactory(team=team))
        client.get(PAGE)
        with django_assert_max_num_queries(23):
            client.get(PAGE)

    def test_others_are_refused(self, client: Client, team: Team):
        client.force_login(make_member(team, Preset.MEMBER))
        for path in (PAGE, SECRETS, f"{PAGE}/new/webhook"):
            assert client.get(path).status_code == 403
        client.force_login(UserFactory())
        assert client.get(PAGE).status_code == 404


class TestAdding:
    def test_a_service_is_chosen_first(self, client: Client, admin: User):
        """Wish 81."""
        page = text(client, f"{PAGE}/new/webhook")
        for name in ("Microsoft Teams", "Discord", "ntfy", "PagerDuty", "Feishu", "Mattermost"):
            assert name in page

    def test_a_preset_brings_its_payload_which_is_not_kept_unless_changed(
        self, client: Client, admin: User, team: Team
    ):
        path = f"{PAGE}/new/webhook?preset=discord"
        page = text(client, path)
        assert "allowed_mentions" in page
        assert "https://discord.com/api/webhooks/" in page
        from alerts.payloads.presets import PRESETS

        given = {"name": "D", "url": "https://discord.com/api/webhooks/1/x", "preset": "discord"}
        written = PRESETS["discord"].template.replace("\n", "\r\n")
        answer = client.post(path, {**given, "template": written})
        row = Destination.objects.get()
        assert answer["Location"] == f"{PAGE}/{row.pk}"
        assert (row.preset, row.template, row.place) == ("discord", "", "discord.com")

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ({"url": "https://example.com/ x"}, "Invalid webhook URL"),
            ({"template": '{"a": ${nope}}'}, "nknown variable or secret nope"),
            ({"template": "{"}, "The payload isn’t valid JSON"),
            ({"name": ""}, "This field is required"),
        ],
    )
    def test_mistakes_are_said_where_they_are(
        self, client: Client, admin: User, given: dict[str, str], said: str
    ):
        answer = client.post(
            f"{PAGE}/new/webhook?preset=", {"name": "x", "url": "https://a.example/", **given}
        )
        assert answer.status_code == 422
        assert said in answer.content.decode()
        assert not Destination.objects.exists()

    def test_a_slack_channel_by_its_address(self, client: Client, admin: User, team: Team):
        path = f"{PAGE}/new/slack"
        assert "Incoming Webhooks" in text(client, path)
        bad = client.post(path, {"name": "#a", "url": "https://example.com/services"})
        assert "Slack URLs begin with" in bad.content.decode()
        client.post(
            path, {"name": "#a", "url": "https://hooks.slack.com/services/T/B/X", "mention": "@U024BE7LH"}
        )
        assert Destination.objects.get().mention == "U024BE7LH"

    def test_a_payload_is_checked_while_it_is_written(self, client: Client, admin: User, team: Team):
        SecretFactory(team=team, name="KEY", value="the-value-of-it")
        ask = f"{PAGE}/payload"
        fine = client.post(ask, {"template": '{"k": "${KEY}", "r": "${run_name}"}'}).content.decode()
        assert "swift-river-12" in fine
        assert "***" in fine
        assert "the-value-of-it" not in fine
        bad = client.post(ask, {"template": '{"k": ${run_name}'}).content.decode()
        assert "The payload isn’t valid JSON" in bad


class TestOne:
    def test_a_test_shows_request_and_whole_answer(self, client: Client, admin: User, team: Team, peer: Sink):
        """ALR-7."""
        peer.answers["/x"] = (403, {}, ("<p>why</p>" + "y" * 20_000 + "the end").encode())
        row = DestinationFactory(team=team, url=peer.url("/x"))
        page = client.post(f"{PAGE}/{row.pk}/act", {"act": "test"}).content.decode()
        assert "HTTP 403" in page
        assert "X-Runyard-Delivery" in page
        assert "&lt;p&gt;why&lt;/p&gt;" in page
        assert "the end" in page
        peer.answers.clear()
        assert "Delivered." in client.post(f"{PAGE}/{row.pk}/act", {"act": "test"}).content.decode()

    def test_it_is_switched_changed_and_deleted(self, client: Client, admin: User, team: Team):
        row = DestinationFactory(team=team, name="hook")
        act = f"{PAGE}/{row.pk}/act"
        client.post(act, {"act": "off"})
        assert "Turned off: nothing" in text(client, f"{PAGE}/{row.pk}")
        client.post(act, {"act": "on"})
        client.post(f"{PAGE}/{row.pk}", {"name": "other", "url": "", "preset": "ntfy"})
        row.refresh_from_db()
        assert (row.name, row.preset, row.is_on, row.place) == ("other", "ntfy", True, "hooks.example.com")
        assert client.post(act, {"act": "delete"}, headers=HTML)["Location"] == PAGE
        assert not Destination.objects.exists()

    def test_that_of_another_team_is_not_here(self, client: Client, admin: User):
        row = DestinationFactory()
        for answer in (
            client.get(f"{PAGE}/{row.pk}"),
            client.post(f"{PAGE}/{row.pk}/act", {"act": "delete"}),
            client.get(f"{OWN}/{row.pk}"),
        ):
            assert answer.status_code == 404
        assert Destination.objects.exists()


class TestSecretPages:
    def test_one_is_stored_replaced_and_deleted_and_never_shown(
        self, client: Client, admin: User, team: Team
    ):
        client.post(SECRETS, {"name": "TOKEN", "value": "first-value"})
        secret = Secret.objects.get()
        assert "first-value" not in text(client, SECRETS)
        client.post(f"{SECRETS}/{secret.pk}", {"act": "replace", "value": "second-value"})
        assert values_of(team.pk) == {"TOKEN": "second-value"}
        client.post(f"{SECRETS}/{secret.pk}", {"act": "delete"})
        assert not Secret.objects.exists()

    def test_mistakes_are_said_and_the_value_not_shown_again(self, client: Client, admin: User, team: Team):
        SecretFactory(team=team, name="TOKEN")
        answer = client.post(SECRETS, {"name": "TOKEN", "value": "other-value"})
        page = answer.content.decode()
        assert answer.status_code == 422
        assert "A secret with this name already exists" in page
        assert "other-value" not in page

    def test_it_says_what_uses_each(self, client: Client, admin: User, team: Team):
        secret = SecretFactory(team=team, name="TOKEN")
        DestinationFactory(team=team, name="deploy-hook", access_token_name="TOKEN")
        page = text(client, SECRETS)
        assert "deploy-hook" in page
        assert "once it is no longer used" in page
        answer = client.post(f"{SECRETS}/{secret.pk}", {"act": "delete"}, follow=True)
        assert "is used by deploy-hook" in answer.content.decode()


class TestOwn:
    """A person's own destinations belong to their personal team."""

    def test_they_have_the_same_pages_in_ones_own_settings(self, client: Client, peer: Sink):
        user = UserFactory(username="ada")
        client.force_login(user)
        assert "your own alerts" in text(client, OWN)
        client.post(OWN_SECRETS, {"name": "TOKEN", "value": "first-value"})
        made = client.post(
            f"{OWN}/new/webhook?preset=", {"name": "x", "url": peer.url(), "access_token_name": "TOKEN"}
        )
        row = Destination.objects.get()
        assert row.team == user.memberships.get().team
        assert made["Location"] == f"{OWN}/{row.pk}"
        page = client.post(f"{OWN}/{row.pk}/act", {"act": "test"}).content.decode()
        assert "Delivered." in page
        assert peer.taken[0].headers["authorization"] == "Bearer first-value"
        assert "TOKEN" in text(client, OWN_SECRETS)
        assert text(client, f"{OWN}/{row.pk}")
