"""People of an installation, made as an operator makes them."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

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
