"""Slack (ALR-4): what messages look like, what Slack's words mean, and no way out but to Slack."""

import json
from typing import Any

import pytest

from alerts.destinations.services import create_slack_webhook
from alerts.models import Destination
from alerts.notices.notice import NoticeLine
from alerts.transports import Notice, SendResult, send
from alerts.transports.addresses import sealed
from alerts.transports.slack_blocks import message_of
from common.errors import Invalid
from common.safe_http import client
from tests.factories import TeamFactory, UserFactory, actor
from tests.fakes.sinks import sink
from tests.fakes.slack import Slack


def notice(**given: Any) -> Notice:
    return Notice(**{"uid": "4c7e", "title": "Run finished", "text": "Well.", **given})


def blocks(told: Notice, **given: Any) -> list[dict[str, Any]]:
    return list(message_of(told, **given)["attachments"][0]["blocks"])


def texts(told: Notice, **given: Any) -> list[str]:
    return [block["text"]["text"] for block in blocks(told, **given) if "text" in block]


@pytest.fixture
def channel(workspace: Slack, db: None) -> Destination:
    team = TeamFactory()
    admin = team.memberships.get().user
    return create_slack_webhook(
        actor=actor(admin), team=team, name="#training", url=workspace.hook_url, mention="U024BE7LH"
    )


class TestMessages:
    def test_one_says_run_state_duration_values_and_link(self):
        told = notice(
            url="https://runyard.example.com/v/p/runs/r",
            level="ERROR",
            fields=(("State", "Failed"), ("Duration", "2 h"), ("loss", "0.03"), ("empty", "")),
        )
        title, text, fields, _end = blocks(told)
        link = "*<https://runyard.example.com/v/p/runs/r|Run finished>*"
        assert title["text"] == {"type": "mrkdwn", "text": f":red_circle: {link}"}
        assert text["text"]["text"] == "Well."
        assert [field["text"] for field in fields["fields"]] == [
            "*State*\nFailed",
            "*Duration*\n2 h",
            "*loss*\n0.03",
        ]
        assert message_of(told)["attachments"][0]["color"] == "#dc2626"

    def test_nothing_that_people_write_becomes_a_mention_or_a_link(self):
        told = notice(
            title="<!channel> & <https://evil.example|ok>",
            text="<@U024BE7LH> <!here>",
            fields=(("<!channel>", "<!everyone>"),),
            lines=(NoticeLine(words="<!channel>|x", url="https://a/?b=<c>|d"),),
            url="https://a",
        )
        written = json.dumps(message_of(told))
        for sign in ("<!", "<@", "<https://evil", "<c>"):
            assert sign not in written
        assert "&lt;!channel&gt; &amp; &lt;https://evil.example¦ok&gt;" in texts(told)[0]

    @pytest.mark.parametrize(
        ("mention", "written"),
        [
            ("U024BE7LH", "<@U024BE7LH>"), ("S0614TZR7", "<!subteam^S0614TZR7>"), ("here", "<!here>"), ("", ""),
            ("x", ""),
        ],
    )  # fmt: skip
    def test_a_mention_names_a_member_a_group_or_all(self, mention: str, written: str):
        shown = texts(notice(), mention=mention)[0]
        assert shown.startswith(f"{written} :large_blue_circle:" if written else ":large_blue_circle:")
        assert written in message_of(notice(), mention=mention)["text"]

    def test_slacks_limits_are_kept(self):
        told = notice(
            title="t" * 500, text="&" * 40_000, url="https://a/" + "x" * 5000,
            fields=tuple((f"l{number}" * 99, "v" * 9000) for number in range(100)),
            lines=tuple(NoticeLine(words="<&>" * 500, url="https://a/" + "y" * 900) for _ in range(400)),
        )  # fmt: skip
        made = blocks(told)
        assert len(made) <= 50
        assert all(len(text) <= 3000 for text in texts(told))
        for block in made:
            assert len(block.get("fields", [])) <= 10
            assert all(len(field["text"]) <= 2000 for field in block.get("fields", []))
        assert not any(text.rstrip().endswith(("&am", "&a", "&", "&amp")) for text in texts(told))

    def test_a_digest_has_a_line_with_a_link_for_each(self):
        told = notice(lines=(NoticeLine(words="a failed", url="https://x/a"), NoticeLine(words="b failed")))
        assert texts(told)[-1] == "• <https://x/a|a failed>\n• b failed"

    def test_a_repeat_says_so(self):
        assert "Possibly a duplicate" in json.dumps(message_of(notice(is_repeat=True)))
        assert "Possibly a duplicate" not in json.dumps(message_of(notice()))


class TestAnswers:
    def refused(
        self, workspace: Slack, channel: Destination, status: int, word: str, **headers: str
    ) -> SendResult:
        workspace.refusal = (status, word, headers)
        return send(channel, notice())

    def test_a_message_arrives_and_nothing_kept_names_its_address(
        self, workspace: Slack, channel: Destination
    ):
        outcome = send(channel, notice())
        assert (outcome.is_ok, outcome.status, outcome.response) == (True, 200, "ok")
        [message] = workspace.messages
        assert message["text"] == "<@U024BE7LH> Run finished"
        assert "Run finished" in outcome.request
        assert workspace.hook not in str(outcome)
        assert "x1y2z3a4b5c6d7e8" not in str(outcome)

    @pytest.mark.parametrize(
        ("status", "word"),
        [
            (403, "invalid_token"), (404, "no_service"), (404, "channel_not_found"), (410, "channel_is_archived"),
            (403, "account_inactive"), (403, "token_revoked"), (403, "invalid_auth"), (404, "no_team"), (404, ""),
            (410, "<html>"),
        ],
    )  # fmt: skip
    def test_the_channel_or_its_permission_is_gone(
        self, workspace: Slack, channel: Destination, status: int, word: str
    ):
        outcome = self.refused(workspace, channel, status, word)
        assert (outcome.is_permanent, outcome.is_gone) == (True, True)
        assert str(status) in outcome.error

    @pytest.mark.parametrize(
        ("status", "word"),
        [
            (400, "invalid_payload"), (400, "too_many_attachments"), (400, "invalid_blocks"), (400, "no_text"),
            (403, "action_prohibited"), (403, "posting_to_general_channel_denied"), (302, "moved"),
        ],
    )  # fmt: skip
    def test_this_message_is_refused_for_good(
        self, workspace: Slack, channel: Destination, status: int, word: str
    ):
        outcome = self.refused(workspace, channel, status, word, Location=workspace.url + "/services/other")
        assert (outcome.is_ok, outcome.is_permanent, outcome.is_gone) == (False, True, False)
        assert outcome.error == f"HTTP {status}: {word}"
        assert workspace.messages == []

    @pytest.mark.parametrize(("status", "word"), [(429, "rate_limited"), (500, "rollup_error"), (503, "")])
    def test_it_is_tried_again_when_slack_says(
        self, workspace: Slack, channel: Destination, status: int, word: str
    ):
        """ALR-5: Slack's Retry-After is obeyed."""
        outcome = self.refused(workspace, channel, status, word, **{"Retry-After": "30"})
        assert (outcome.is_permanent, outcome.is_gone, outcome.retry_after_s) == (False, False, 30)

    def test_a_slack_that_does_not_answer_is_tried_again(
        self, channel: Destination, settings: Any, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setattr(client, "WHOLE_S", 0.4)
        with sink() as peer:
            channel.sealed_url = sealed(peer.url("/silent"))
            outcome = send(channel, notice())
        assert (outcome.is_ok, outcome.is_permanent) == (False, False)
        assert "took longer" in outcome.error
        assert "Run finished" in outcome.request


class TestAddresses:
    """Only Slack's own hosts, and those that the operator named, when it is saved and when it is sent."""

    @pytest.mark.parametrize(
        "url",
        [
            "https://example.com/services/T/B/X", "http://hooks.slack.com/services/T/B/X", "https://slack.com/x",
            "https://hooks.slack.com.evil.example/services", "https://hooks.slack.com@evil.example/services",
            "https://hooks.slack.com:8443/services/T/B/X", "https://evil.example/?https://hooks.slack.com/",
            "https://hooks.slack.com\\@evil.example/", "file:///etc/passwd", "https://127.0.0.1/services", "",
        ],
    )  # fmt: skip
    @pytest.mark.django_db
    def test_others_are_refused(self, url: str):
        user = UserFactory()
        team = user.memberships.get().team
        with pytest.raises(Invalid):
            create_slack_webhook(actor=actor(user), team=team, name="x", url=url)

    @pytest.mark.parametrize(
        "host", ["hooks.slack.com", "hooks.slack-gov.com", "HOOKS.slack.com", "hooks.slack.com."]
    )
    @pytest.mark.django_db
    def test_slacks_own_are_taken(self, host: str):
        user = UserFactory()
        team = user.memberships.get().team
        row = create_slack_webhook(
            actor=actor(user), team=team, name="x", url=f"https://{host}/services/T0/B0/secret-part"
        )
        assert row.place in {"hooks.slack.com", "hooks.slack-gov.com"}
        assert "secret-part" not in row.sealed_url

    def test_a_host_that_is_no_longer_named_is_not_sent_to(
        self, workspace: Slack, channel: Destination, settings: Any
    ):
        settings.SLACK_HOSTS = frozenset()
        outcome = send(channel, notice())
        assert (outcome.is_ok, outcome.is_permanent) == (False, True)
        assert workspace.messages == []
