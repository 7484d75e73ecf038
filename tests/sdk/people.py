"""People of an installation, made as an operator makes them."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

import httpx

from tests import clients
from tests.installation import Installation
from tests.sdk.wire import Wire

VERSION = "0.31.0"


@dataclass(frozen=True)
class Person:
    """Somebody with an API key."""

    name: str
    key: str
    env: dict[str, str]
    """What the SDK needs to log in as them."""
    wire: Wire


@contextlib.contextmanager
def person(server: Installation, name: str, *options: str) -> Iterator[Person]:
    """Make a user; the name must be new to the installation."""
    made = server.manage("create_user", name, "--email", f"{name}@example.com", *options)
    key = made["api_key"]
    wire = Wire(server.url, key)
    yield Person(name, key, server.client_env(key), wire)
    wire.http.close()


@contextlib.contextmanager
def signed_in(server: Installation, name: str, password: str) -> Iterator[httpx.Client]:
    """Sign in as a browser does."""
    with clients.client(base_url=server.url, follow_redirects=True) as browser:
        browser.get("/accounts/login/")
        form = {
            "login": name,
            "password": password,
            "csrfmiddlewaretoken": browser.cookies[server.cookie("csrf")],
        }
        assert (
            server.cookie("session") in browser.post("/accounts/login/", data=form).request.headers["cookie"]
        )
        browser.headers["X-CSRFToken"] = browser.cookies[server.cookie("csrf")]
        yield browser
