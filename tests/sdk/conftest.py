"""People on the session's installation, for every test of the SDK."""

from collections.abc import Iterator

import pytest

from tests.installation import Installation
from tests.sdk.people import Person, person
from tests.sdk.raw import Neighbour


@pytest.fixture(scope="session")
def ada(server: Installation) -> Iterator[Person]:
    """Give somebody who logs."""
    with person(server, "sdk-ada") as made:
        yield made


@pytest.fixture(scope="session")
def bob(server: Installation) -> Iterator[Person]:
    """Give somebody who has nothing to do with Ada."""
    with person(server, "sdk-bob") as made:
        yield made


@pytest.fixture(scope="session")
def team(server: Installation, ada: Person, bob: Person) -> str:
    """Return the name of a team that Ada heads and Bob may only look at."""
    server.manage("create_organization", "sdk-institute", "--admin", ada.name)
    server.manage("create_team", "sdk-lab", "--organization", "sdk-institute", "--admin", ada.name)
    server.manage("add_member", "sdk-lab", bob.name, "--role", "view-only")
    return "sdk-lab"


@pytest.fixture(scope="module")
def neighbour(server: Installation, bob: Person) -> Iterator[Neighbour]:
    """Give somebody whose posts go on through all tests of the module."""
    with Neighbour(server, bob.key).posting() as made:
        yield made


@pytest.fixture
def unharmed(server: Installation, neighbour: Neighbour) -> Iterator[None]:
    """See that a test leaves the neighbour's posts going on and no traceback in the log."""
    log = server.log_path("web")
    before = log.stat().st_size
    yield
    neighbour.see_another_post()
    assert "Traceback" not in log.read_bytes()[before:].decode(errors="replace")
