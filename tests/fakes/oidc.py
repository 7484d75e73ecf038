"""An OpenID Connect provider in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests import clients
from tests.ports import free_port
from tests.waiting import PATIENCE_S


class Provider:
    """The running provider; a person comes back from it by `code_url`."""

    def __init__(self, port: int) -> None:
        self.issuer = f"http://localhost:{port}"

    def add(self, subject: str, **claims: Any) -> None:
        """Make somebody known."""
        clients.request("PUT", f"{self.issuer}/users/{subject}", json=claims).raise_for_status()

    def come_back(self, url: str, subject: str) -> str:
        """Sign in at the provider's page and return where it sends the browser: path and query."""
        asked = parse_qs(urlsplit(url).query)
        assert asked["code_challenge_method"] == ["S256"], "authorization code with PKCE (ACC-21)"
        answer = clients.request("POST", url, data={"sub": subject})
        assert answer.status_code == 302, answer.text
        back = urlsplit(answer.headers["location"])
        return f"{back.path}?{back.query}"


@contextmanager
def oidc_provider() -> Iterator[Provider]:
    """Run one."""
    port = free_port()
    command = [sys.executable, "-W", "ignore", "-m", "tests.fakes.oidc_server", str(port)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RUNYARD_")}
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, env=environment, stdin=quiet, stdout=quiet, stderr=quiet)
    provider = Provider(port)
    try:
        clients.wait_for_answer(f"{provider.issuer}/.well-known/openid-configuration")
        yield provider
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE_S)
