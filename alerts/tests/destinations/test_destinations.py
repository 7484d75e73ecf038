"""Destinations and secrets (ALR-4, ALR-7): who sets them up, what is refused, what the audit log keeps."""

from typing import Any

import pytest
import time_machine

from access.actions import Preset
from access.models import AuditEntry
from alerts.destinations import services as destinations
from alerts.models import Destination, DestinationKind, Secret
from alerts.secrets import services as secrets
from automations.models import ActionKind, Automation
from common.errors import Conflict, Forbidden, Invalid, NotFound, TooManyRequests
from teams.models import Team
from tests.factories import DestinationFactory, SecretFactory, TeamFactory, UserFactory, actor, make_member
from tests.fakes.sinks import Sink

pytestmark = pytest.mark.django_db
URL = "https://hooks.example.com/very-secret-path"


@pytest.fixture
def team() -> Team:
    return TeamFactory()


@pytest.fixture
def admin(team: Team) -> Any:
    return actor(team.memberships.get().user)


def automation(team: Team, **given: Any) -> Automation:
    return Automation.objects.create(
        **{"team": team, "name": "On failure", "event": "RUN_STATE", "action": ActionKind.NO_OP, **given}
    )


class TestDestinations:
    def test_the_address_is_encrypted_and_in_no_entry_of_the_audit_log(self, team: Team, admin: Any):
        row = destinations.create_webhook(actor=admin, team=team, name="Ours", url=URL)
        destinations.change_destination(actor=admin, destination=row, url=URL + "2", name="Theirs")
        destinations.delete_destination(actor=admin, destination=row)
        assert "secret-path" not in row.sealed_url
        assert row.place == "hooks.example.com"
        entries = AuditEntry.objects.filter(object_type="alerts.Destination").order_by("pk")
        assert [entry.action for entry in entries] == [
            "destination.create", "destination.change", "destination.delete",
        ]  # fmt: skip
        assert "secret-path" not in str(list(entries.values()))
        assert entries[1].after["address_replaced"]

    def test_members_do_not_set_up_and_strangers_do_not_see(self, team: Team):
        member, stranger = make_member(team, Preset.MEMBER), UserFactory()
        row = DestinationFactory(team=team)
        with pytest.raises(Forbidden):
            destinations.create_webhook(actor=actor(member), team=team, name="x", url=URL)
        for who in (member, stranger):
            with pytest.raises(NotFound):
                destinations.delete_destination(actor=actor(who), destination=row)
            with pytest.raises(NotFound):
                destinations.test_destination(actor=actor(who), destination=row)

    def test_a_person_has_destinations_of_their_own(self):
        user = UserFactory()
        own = user.memberships.get().team
        assert destinations.create_webhook(actor=actor(user), team=own, name="Mine", url=URL).team == own

    @pytest.mark.parametrize(
        "given",
        [
            {"url": "ftp://example.com/"}, {"url": ""}, {"url": "http://u:p@example.com/"}, {"name": ""},
            {"name": "x" * 65}, {"name": "a\x00b"}, {"preset": "icq"}, {"template": "{"}, {"template": '"${no}"'},
            {"access_token_name": "NONE"}, {"signing_secret_name": "NONE"}, {"preset": "pagerduty"},
        ],
    )  # fmt: skip
    def test_what_could_not_work_is_refused(self, team: Team, admin: Any, given: dict[str, str]):
        with pytest.raises(Invalid):
            destinations.create_webhook(**{"actor": admin, "team": team, "name": "x", "url": URL, **given})
        assert not Destination.objects.exists()

    def test_a_name_is_there_once_whatever_its_case(self, team: Team, admin: Any):
        DestinationFactory(team=team, name="Ours")
        with pytest.raises(Conflict, match="“OURS”"):
            destinations.create_webhook(actor=admin, team=team, name=" OURS ", url=URL)

    def test_switching_on_forgets_why_it_was_off(self, team: Team, admin: Any):
        row = DestinationFactory(team=team)
        Destination.objects.filter(pk=row.pk).update(is_on=False, off_reason="HTTP 410")
        on = destinations.change_destination(actor=admin, destination=row, is_on=True)
        assert (on.is_on, on.off_reason) == (True, "")

    def test_one_that_an_automation_uses_stays(self, team: Team, admin: Any):
        row = DestinationFactory(team=team)
        automation(team, destination=row)
        with pytest.raises(Conflict, match="On failure"):
            destinations.delete_destination(actor=admin, destination=row)

    def test_a_team_has_a_limit(self, team: Team, admin: Any, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(destinations, "MOST", 1)
        DestinationFactory(team=team)
        with pytest.raises(Conflict, match="at most 1 "):
            destinations.create_webhook(actor=admin, team=team, name="x", url=URL)


class TestTests:
    def test_a_sample_is_sent_and_the_answer_told(self, team: Team, admin: Any, peer: Sink):
        peer.answers["/x"] = (500, {}, b"out of order")
        row = DestinationFactory(team=team, url=peer.url("/x"))
        outcome = destinations.test_destination(actor=admin, destination=row)
        assert (outcome.is_ok, outcome.status, outcome.response) == (False, 500, "out of order")
        row.refresh_from_db()
        assert (row.last_error, row.last_sent_at) == ("HTTP 500", None)
        peer.answers.clear()
        assert destinations.test_destination(actor=admin, destination=row).is_ok
        row.refresh_from_db()
        assert row.last_error == ""
        assert row.last_sent_at is not None

    @time_machine.travel("2026-05-01T10:00:30Z", tick=False)  # one window, however slow the machine is
    def test_a_team_tests_a_few_times_a_minute(self, team: Team, admin: Any, peer: Sink):
        row = DestinationFactory(team=team, url=peer.url())
        for _ in range(destinations.TESTS):
            destinations.test_destination(actor=admin, destination=row)
        with pytest.raises(TooManyRequests, match="10 tests"):
            destinations.test_destination(actor=admin, destination=row)
        assert len(peer.taken) == destinations.TESTS


class TestSecrets:
    """ALR-7: stored encrypted, replaceable, never shown again."""

    def test_a_value_is_encrypted_and_in_no_entry_of_the_audit_log(self, team: Team, admin: Any):
        made = secrets.store_secret(actor=admin, team=team, name="TOKEN", value=" first-value\n")
        again = secrets.store_secret(actor=admin, team=team, name="TOKEN", value="second-value")
        assert again.pk == made.pk
        assert "value" not in again.sealed
        assert secrets.values_of(team.pk) == {"TOKEN": "second-value"}
        secrets.delete_secret(actor=admin, secret=again)
        entries = AuditEntry.objects.filter(object_type="alerts.Secret").order_by("pk")
        assert [entry.action for entry in entries] == ["secret.create", "secret.replace", "secret.delete"]
        assert "-value" not in str(list(entries.values()))

    @pytest.mark.parametrize(
        "name", ["", "1A", "A-B", "A B", "Ä", "a" * 65, "run_name", "_A", "artifact_metadata.x"]
    )
    def test_a_name_has_its_form_and_is_no_variable(self, team: Team, admin: Any, name: str):
        with pytest.raises(Invalid):
            secrets.store_secret(actor=admin, team=team, name=name, value="long-enough")

    @pytest.mark.parametrize("value", ["", "short", "x" * 10_001, "with\x00a-nul"])
    def test_a_value_has_its_length(self, team: Team, admin: Any, value: str):
        with pytest.raises(Invalid, match="8 to 10000"):
            secrets.store_secret(actor=admin, team=team, name="TOKEN", value=value)

    def test_one_in_use_stays_and_says_who_uses_it(self, team: Team, admin: Any):
        for name in ("BEARER", "SIGN", "IN_TEMPLATE", "IN_PAYLOAD", "PAGERDUTY_ROUTING_KEY", "FREE"):
            SecretFactory(team=team, name=name)
        DestinationFactory(team=team, name="a", access_token_name="BEARER", signing_secret_name="SIGN")
        DestinationFactory(team=team, name="b", template='"${IN_TEMPLATE}"')
        DestinationFactory(team=team, name="c", preset="pagerduty")
        automation(team, name="d", payload='"${IN_PAYLOAD}"')
        users = {
            "BEARER": "a",
            "SIGN": "a",
            "IN_TEMPLATE": "b",
            "IN_PAYLOAD": "d",
            "PAGERDUTY_ROUTING_KEY": "c",
        }
        for name, user in users.items():
            with pytest.raises(Conflict, match=f"{name} is used by {user}"):
                secrets.delete_secret(actor=admin, secret=Secret.objects.get(team=team, name=name))
        secrets.delete_secret(actor=admin, secret=Secret.objects.get(team=team, name="FREE"))

    def test_members_store_none(self, team: Team):
        with pytest.raises(Forbidden):
            secrets.store_secret(
                actor=actor(make_member(team, Preset.MEMBER)), team=team, name="TOKEN", value="long-enough"
            )

    def test_those_of_another_team_are_not_sent(self, team: Team, peer: Sink):
        from alerts.notices.notice import Notice
        from alerts.transports import send

        SecretFactory(name="TOKEN")
        row = DestinationFactory(team=team, url=peer.url())
        Destination.objects.filter(pk=row.pk).update(template='"${TOKEN}"')
        row.refresh_from_db()
        outcome = send(row, Notice(uid="u", title="t", text="x"))
        assert (outcome.is_ok, outcome.is_permanent) == (False, True)
        assert peer.taken == []


def test_a_slack_channel_takes_no_settings_of_webhooks(team: Team, admin: Any):
    given: Any = {"actor": admin, "team": team, "name": "x", "url": "https://hooks.slack.com/services/T/B/X"}
    with pytest.raises(Invalid):
        destinations.add_destination(kind=DestinationKind.SLACK_WEBHOOK, **given, template="{}")
    with pytest.raises(Invalid):
        destinations.add_destination(kind=DestinationKind.WEBHOOK, **given, mention="here")
