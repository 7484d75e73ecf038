"""HTTP clients of servers on this machine: as patient as the tests, and cheap to create."""

import ssl
from typing import Any

import httpx

from tests.waiting import PATIENCE_S, until

_TRUSTS_NOBODY = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""No server here speaks TLS; the authorities that httpx reads for each client by itself take 50 ms of CPU."""


def client(**given: Any) -> httpx.Client:
    """Return a client that waits long and ignores the proxies of this machine; further arguments are httpx's."""
    return httpx.Client(verify=_TRUSTS_NOBODY, trust_env=False, timeout=PATIENCE_S, **given)


def request(method: str, url: str, *, follow_redirects: bool = False, **given: Any) -> httpx.Response:
    """Ask once, by a client of its own."""
    with client(follow_redirects=follow_redirects) as one:
        return one.request(method, url, **given)


def wait_for_answer(url: str) -> None:
    """Ask a server that was just started until it answers without an error.

    Raises:
        AssertionError: it does not.
    """

    def answered() -> bool:
        try:
            return request("GET", url).is_success
        except httpx.HTTPError:
            return False

    until(answered, f"an answer of {url}")
