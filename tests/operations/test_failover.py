"""PostgreSQL as it is run for real: connections that end in the middle of a post, and a standby that takes over."""

import random
from collections.abc import Iterator

import psycopg
import pytest

from tests import clients
from tests.databases import GIVEN
from tests.fakes.postgresql import PostgresServer, pair
from tests.installation import Installation
from tests.killing import start_writers, wait_for_posts
from tests.sdk.people import person
from tests.stored import look
from tests.suite.passes import amount

pytestmark = [
    pytest.mark.races,
    pytest.mark.processes,
    pytest.mark.skipif(not GIVEN.startswith("postgres"), reason="SQLite has no server that could fail"),
]

WRITERS = 3
TIMEOUT_S = 5
ENDED = amount("times that all connections end", 5, 100)
END_ALL = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'runyard' AND pid <> pg_backend_pid()
"""


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[PostgresServer, PostgresServer]]:
    with pair() as both:
        yield both


@pytest.fixture(scope="module")
def server(
    servers: tuple[PostgresServer, PostgresServer], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Installation]:
    """Give an installation that knows both servers, and writes to the one that lets it."""
    primary, standby = servers
    primary.execute("CREATE DATABASE runyard")
    hosts = f"127.0.0.1:{primary.port},127.0.0.1:{standby.port}"
    url = f"postgres://postgres@{hosts}/runyard?target_session_attrs=read-write"
    home = tmp_path_factory.mktemp("failover")
    with Installation(home, database_url=url, RUNYARD_DATABASE_TIMEOUT_S=str(TIMEOUT_S)) as installation:
        yield installation


def test_a_statement_that_takes_too_long_is_ended_and_says_the_limit(
    server: Installation, servers: tuple[PostgresServer, PostgresServer]
) -> None:
    """Who waits is told, also where it is a lock that it waits for; a migration's, say."""
    with (
        person(server, "failover-bob") as bob,
        psycopg.connect(server.env["RUNYARD_DATABASE_URL"]) as link,
    ):
        link.execute("LOCK TABLE runs_project IN ACCESS EXCLUSIVE MODE")
        reply = clients.request("GET", f"{server.url}/api/v1/projects/", auth=("api", bob.key))
        link.rollback()
        told = reply.json()["error"]["message"]
        assert (reply.status_code, f"more than {TIMEOUT_S} s" in told) == (503, True), told
        assert "RUNYARD_DATABASE_TIMEOUT_S" in told
        again = clients.request("GET", f"{server.url}/api/v1/projects/", auth=("api", bob.key))
        assert again.status_code == 200


def test_no_row_is_lost_or_doubled_when_connections_end_and_a_standby_takes_over(
    server: Installation, servers: tuple[PostgresServer, PostgresServer]
) -> None:
    """RUN-8: whatever of a post's transaction was committed when its connection ended."""
    primary, standby = servers
    chance = random.Random(25)
    with person(server, "failover-ada") as ada:
        runs = [ada.wire.begin("failover") for _ in range(WRITERS)]
        writers = start_writers(server.url, ada.key, runs)
        for _ in range(ENDED):
            wait_for_posts(writers)
            chance.choice(writers).over.wait(chance.random() / 20)
            primary.execute(END_ALL)
        wait_for_posts(writers)
        primary.kill9()
        standby.execute("ALTER SYSTEM SET synchronous_standby_names = ''")
        standby.execute("SELECT pg_promote()")
        wait_for_posts(writers)
        for writer in writers:
            writer.finish()
        found = look(server.manage, [writer.expected for writer in writers])
    assert [writer.refused for writer in writers] == [[]] * WRITERS
    assert (found.wrong, found.unreadable, found.orphans) == ([], [], 0)
    assert server.get("/ready")[0] == 200
