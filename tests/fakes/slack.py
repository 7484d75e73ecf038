"""A Slack: incoming webhooks, and the page and the method of its API by which channels are connected."""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from tests.fakes.serving import FakeHandler, serving

CLIENT_ID, CLIENT_SECRET = "1234.5678", "slack-client-secret"
CODE = "a-code"


@dataclass
class Slack:
    """What it was told; ``refusal`` is how its webhooks answer: status, word, headers."""

    url: str
    messages: list[dict[str, Any]] = field(default_factory=list)
    exchanges: list[dict[str, str]] = field(default_factory=list)
    refusal: tuple[int, str, dict[str, str]] | None = None
    oauth_error: str = ""
    channel: str = "#training"
    workspace: str = "Aurora Labs"
    hook: str = "/services/T024BE7LD/B0391P5T1/x1y2z3a4b5c6d7e8"

    @property
    def hook_url(self) -> str:
        """The address of a webhook."""
        return self.url + self.hook


class _Server(ThreadingHTTPServer):
    slack: Slack
    daemon_threads = True


class _Handler(FakeHandler):
    server: _Server

    def do_GET(self) -> None:
        """Be the page where somebody chooses a channel, who does so at once."""
        parts = urlsplit(self.path)
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path != "/oauth/v2/authorize" or asked.get("client_id") != CLIENT_ID:
            self.answer(404, b"no_such_page")
            return
        back = f"{asked['redirect_uri']}?{urlencode({'code': CODE, 'state': asked['state']})}"
        self.answer(302, b"", {"Location": back})

    def do_POST(self) -> None:
        body = self.body()
        if self.path == "/api/oauth.v2.access":
            self._exchange({name: values[0] for name, values in parse_qs(body.decode()).items()})
            return
        if not self.path.startswith("/services/"):
            self.answer(404, b"no_team")
            return
        slack = self.server.slack
        if slack.refusal is not None:
            status, word, headers = slack.refusal
            self.answer(status, word.encode(), headers)
            return
        slack.messages.append(json.loads(body))
        self.answer(200, b"ok")

    def _exchange(self, given: dict[str, str]) -> None:
        slack = self.server.slack
        slack.exchanges.append(given)
        error = slack.oauth_error or self._error_of(given)
        told: dict[str, Any] = {"ok": False, "error": error}
        if not error:
            told = {
                "ok": True,
                "access_token": "xoxb-1",
                "token_type": "bot",
                "scope": "incoming-webhook",
                "team": {"id": "T024BE7LD", "name": slack.workspace},
                "incoming_webhook": {
                    "channel": slack.channel,
                    "channel_id": "C024BE91L",
                    "configuration_url": "https://aurora.slack.com/services/B0391P5T1",
                    "url": slack.hook_url,
                },
            }
        self.answer(200, json.dumps(told).encode(), {"Content-Type": "application/json"})

    def _error_of(self, given: dict[str, str]) -> str:
        basic = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()  # as slack-sdk sends them
        if self.headers.get("Authorization") != f"Basic {basic}":
            return "invalid_client_id"
        return "" if given.get("code") == CODE else "invalid_code"


@contextmanager
def slack() -> Iterator[Slack]:
    """Run one on this machine."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.slack = Slack(f"http://127.0.0.1:{server.server_port}")
    with serving(server):
        yield server.slack
