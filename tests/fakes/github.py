"""A GitHub that knows one person."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from typing import Any

from tests.fakes.serving import FakeHandler, serving

ANSWERS: dict[str, Any] = {
    "/login/oauth/access_token": {"access_token": "t"},
    "/api/v3/user": {"id": 7, "login": "adal", "name": "Ada"},
    "/api/v3/user/emails": [{"email": "ada@example.com", "primary": True, "verified": True}],
}


class _Handler(FakeHandler):
    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self.body()
        self._answer()

    def _answer(self) -> None:
        body = json.dumps(ANSWERS[self.path]).encode()
        self.answer(200, body, {"Content-Type": "application/json"})


@contextmanager
def github() -> Iterator[str]:
    """Run one, and give its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    with serving(server):
        yield f"http://127.0.0.1:{server.server_port}"
