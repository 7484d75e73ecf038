"""People on the session's installation, for every test of the SDK."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests import sdks
from tests.installation import Installation
from tests.sdk.lines import AT_ONCE, Jobs, Line, Ran, lacks
from tests.sdk.people import Person, person
from tests.sdk.raw import Neighbour
from tests.sdk.table import MISSING, PROPERTY


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
    """Return a client whose posts go on through all tests of the module, unharmed by them."""
    with Neighbour(server, bob.key).posting() as made:
        yield made
        made.check_unharmed()


@pytest.fixture(scope="module")
def jobs(
    request: pytest.FixtureRequest,
    server: Installation,
    ada: Person,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Jobs]:
    """Start the jobs of the module's `JOBS` that the chosen tests need."""
    named = request.module.JOBS
    specs = [getattr(item, "callspec", None) for item in request.session.items]
    lines = [spec.params["ran"] for spec in specs if spec and isinstance(spec.params.get("ran"), Line)]
    wanted = {(line.job, line.version) for line in lines if not lacks(line)}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        jobs = Jobs(named, pool, server, ada, tmp_path_factory.mktemp)
        for job in named:
            for version in sdks.of_scenarios():
                if (job, version) in wanted:
                    jobs.start(job, version)
        yield jobs
        pool.shutdown(cancel_futures=True)


@pytest.fixture
def ran(request: pytest.FixtureRequest, record_property: Callable[[str, object], None], jobs: Jobs) -> Ran:
    """Wait for what a test of a line looks at."""
    line: Line = request.param
    record_property(PROPERTY, (line.number, line.title, line.version))
    if lacks(line):
        pytest.skip(MISSING)
    return jobs.result(line.job, line.version)
