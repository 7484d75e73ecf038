"""Webhooks (ALR-7): what is sent, how it is signed, and what an answer means."""

import base64
import hashlib
import hmac
import json
from typing import Any

import pytest
import time_machine

from alerts.models import Destination
from alerts.notices.notice import NoticeLine
from alerts.transports import Notice, SendResult, send
from common.safe_http import client
from tests.factories import DestinationFactory, SecretFactory, TeamFactory
from tests.fakes.sinks import Sink

pytestmark = pytest.mark.django_db

SECRET, TOKEN = "signing-secret-1", "bearer-token-1"


def notice(**given: Any) -> Notice:
    return Notice(
        **{
            "uid": "4c7e",
            "title": "Run finished",
            "text": "Well.",
            "url": "https://runyard.example.com/x",
            **given,
        }
    )


def hook(peer: Sink, path: str = "/taken", **given: Any) -> Destination:
    return DestinationFactory(url=peer.url(path), **given)


class TestWhatIsSent:
    def test_json_with_what_happened(self, peer: Sink):
        told = notice(
            level="ERROR",
            fields=(("State", "Failed"),),
            variables={
                "event_type": "RUN_STATE",
                "entity_name": "vision",
                "run_id": "r1",
                "metric_value": "0.5",
            },
        )
        assert send(hook(peer), told).is_ok
        [taken] = peer.taken
        body = json.loads(taken.body)
        assert taken.headers["content-type"] == "application/json"
        assert taken.headers["user-agent"] == "Runyard (+webhooks)"
        assert taken.headers["x-runyard-delivery"] == body["delivery"] == "4c7e"
        assert (body["event"], body["title"], body["level"]) == ("RUN_STATE", "Run finished", "ERROR")
        assert (body["entity"], body["run"]["id"], body["metric"]["value"]) == ("vision", "r1", 0.5)
        assert body["values"] == {"State": "Failed"}

    def test_an_automations_payload_goes_before_the_destinations(self, peer: Sink):
        row = hook(peer, template='{"of": "destination"}')
        send(row, notice())
        send(row, notice(payload='{"of": "${event_type}"}', variables={"event_type": "RUN_METRIC"}))
        assert [json.loads(taken.body)["of"] for taken in peer.taken] == ["destination", "RUN_METRIC"]

    def test_a_digest_lists_its_events(self, peer: Sink):
        lines = (NoticeLine(words="a failed", url="https://x/a"), NoticeLine(words="b failed"))
        send(hook(peer, template='{"all": "${body}"}'), notice(text="2 runs", lines=lines))
        assert json.loads(peer.taken[0].body)["all"] == "2 runs\na failed https://x/a\nb failed"

    def test_ntfy_gets_its_topic_in_the_body(self, peer: Sink):
        send(hook(peer, "/base/my-topic-1", preset="ntfy"), notice(level="WARN"))
        [taken] = peer.taken
        body = json.loads(taken.body)
        assert (taken.path, body["topic"], body["priority"]) == ("/base/", "my-topic-1", 4)


class TestSecrets:
    @time_machine.travel(1_700_000_000, tick=False)
    def test_the_body_is_signed_in_both_ways_and_the_token_sent(self, peer: Sink):
        team = TeamFactory()
        SecretFactory(team=team, name="SIGN", value=SECRET)
        SecretFactory(team=team, name="TOKEN", value=TOKEN)
        row = hook(peer, team=team, access_token_name="TOKEN", signing_secret_name="SIGN")
        assert send(row, notice()).is_ok
        [taken] = peer.taken
        plain = hmac.new(SECRET.encode(), taken.body, hashlib.sha256).digest()
        timed = hmac.new(SECRET.encode(), b"1700000000." + taken.body, hashlib.sha256).hexdigest()
        assert taken.headers["authorization"] == f"Bearer {TOKEN}"
        assert taken.headers["x-wandb-signature"] == base64.b64encode(plain).decode()
        assert taken.headers["x-runyard-signature-256"] == f"t=1700000000,v1={timed}"

    def test_a_payload_holds_secrets_and_what_is_kept_does_not(self, peer: Sink):
        """ALR-7: stored encrypted, never shown; also not where the peer repeats what it got."""
        team = TeamFactory()
        SecretFactory(team=team, name="KEY", value='odd "key" \\1')
        SecretFactory(team=team, name="TOKEN", value=TOKEN)
        row = hook(
            peer, "/hooks/T0123456789abcdef", team=team, access_token_name="TOKEN",
            template='{"key": "${KEY}", "token": "${ACCESS_TOKEN}"}',
        )  # fmt: skip
        peer.answers["/hooks/T0123456789abcdef"] = (
            400,
            {},
            f'got {TOKEN} and odd "key" \\1 for /hooks/T0123456789abcdef'.encode(),
        )
        outcome = send(row, notice())
        assert json.loads(peer.taken[0].body) == {"key": 'odd "key" \\1', "token": TOKEN}
        assert '"key": "***", "token": "***"' in outcome.request
        assert "Authorization: Bearer ***" in outcome.request
        assert outcome.response == "got *** and *** for ***"
        assert TOKEN not in str(outcome)
        assert "T0123456789abcdef" not in str(outcome)

    def test_a_secret_that_is_gone_is_an_error_and_nothing_is_sent(self, peer: Sink):
        row = hook(peer)
        Destination.objects.filter(pk=row.pk).update(access_token_name="GONE")
        row.refresh_from_db()
        outcome = send(row, notice())
        assert (outcome.is_ok, outcome.is_permanent) == (False, True)
        assert "GONE" in outcome.error
        assert peer.taken == []


class TestAnswers:
    def answered(self, peer: Sink, status: int, body: bytes = b"", **given: Any) -> SendResult:
        headers = given.pop("headers", {})
        peer.answers["/x"] = (status, headers, body)
        return send(hook(peer, "/x", **given), notice())

    @pytest.mark.parametrize("status", [200, 201, 202, 204])
    def test_it_was_taken(self, peer: Sink, status: int):
        outcome = self.answered(peer, status)
        assert (outcome.is_ok, outcome.status, outcome.error) == (True, status, "")

    @pytest.mark.parametrize("status", [301, 302, 307, 308, 400, 401, 403, 404, 405, 413, 422])
    def test_trying_again_would_be_answered_the_same(self, peer: Sink, status: int):
        outcome = self.answered(peer, status, b"why", headers={"Location": peer.url("/secret")})
        assert (outcome.is_ok, outcome.is_permanent, outcome.is_gone) == (False, True, False)
        assert (outcome.status, outcome.response) == (status, "why")
        assert len(peer.taken) == 1

    @pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
    def test_it_is_tried_again(self, peer: Sink, status: int):
        outcome = self.answered(peer, status, headers={"Retry-After": "17"})
        assert (outcome.is_ok, outcome.is_permanent, outcome.retry_after_s) == (False, False, 17)

    @pytest.mark.parametrize(("told", "meant"), [("86400", 3600), ("soon", None), ("-1", None), ("", None)])
    def test_a_wait_has_a_limit(self, peer: Sink, told: str, meant: float | None):
        assert self.answered(peer, 429, headers={"Retry-After": told}).retry_after_s == meant

    def test_a_peer_that_is_gone_wants_no_more(self, peer: Sink):
        outcome = self.answered(peer, 410)
        assert (outcome.is_permanent, outcome.is_gone) == (True, True)

    def test_feishu_refuses_with_status_200(self, peer: Sink):
        outcome = self.answered(peer, 200, b'{"code": 19024, "msg": "Key Words Not Found"}', preset="feishu")
        assert (outcome.is_ok, outcome.error) == (False, "19024: Key Words Not Found")
        assert self.answered(peer, 200, b'{"code": 0}', preset="feishu").is_ok

    def test_an_answer_can_be_kept(self, peer: Sink):
        assert self.answered(peer, 500, b"a\x00b\xff").response == "a\ufffdb\ufffd"

    def test_of_a_long_answer_the_beginning_is_kept(self, peer: Sink):
        outcome = send(hook(peer, "/big"), notice())
        assert outcome.is_ok
        assert outcome.response.startswith("x" * 64 * 1024 + "\n")
        assert len(outcome.response) < 65 * 1024

    @pytest.mark.parametrize("path", ["/silent", "/drip", "/close"])
    def test_a_peer_that_does_not_answer_is_tried_again(
        self, peer: Sink, path: str, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setattr(client, "WHOLE_S", 0.4)
        outcome = send(hook(peer, path), notice())
        assert (outcome.is_ok, outcome.is_permanent, outcome.status) == (False, False, None)
        assert outcome.error

    def test_a_network_that_is_not_allowed_is_an_error_for_good(self, peer: Sink, settings: Any):
        row = hook(peer)
        settings.ALLOWED_NETWORKS = []
        outcome = send(row, notice())
        assert (outcome.is_ok, outcome.is_permanent) == (False, True)
        assert "not on the public network" in outcome.error
        assert peer.connection_count == 0
