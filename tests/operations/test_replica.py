"""Pages are read from a standby: never older than what was answered before, and from the primary where it fails."""

import json
import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import psycopg
import pytest

from tests import clients
from tests.databases import GIVEN
from tests.fakes.postgresql import PostgresServer, pair
from tests.installation import Installation
from tests.killing import start_writers, wait_for_posts
from tests.monitoring import TOKEN, scrape
from tests.sdk.people import Person, person, signed_in
from tests.waiting import until

pytestmark = [
    pytest.mark.races,
    pytest.mark.processes,
    pytest.mark.skipif(not GIVEN.startswith("postgres"), reason="SQLite has no standby"),
]

TIMES = 30
SCANS = "SELECT coalesce(seq_scan + idx_scan, 0) FROM pg_stat_user_tables WHERE relname = 'runs_project'"
WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = 'runyard'"
LOCKED = (
    "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted AND relation IS NOT NULL"
)
LOOK = """
import json
from django.db import DatabaseError, transaction
from accounts.models import User
from common.database.replica.routing import from_primary, from_replica, reading_alias, reading_connection

def write():
    seen = [reading_alias()]
    with from_primary():
        seen.append(reading_alias())
    seen.append(reading_alias())
    User.objects.filter(pk=0).update(is_active=True)
    return [*seen, reading_alias()]

def begin():
    seen = [reading_alias()]
    with transaction.atomic():
        seen.append(reading_alias())
    return [*seen, reading_alias()]

def fail(statement):
    seen = []
    def ask():
        seen.append(reading_alias())
        try:
            with reading_connection().cursor() as cursor:
                cursor.execute(statement if reading_alias() == "replica" else "SELECT 1")
        except DatabaseError:
            pass
    from_replica(ask)
    return seen

print(json.dumps([
    from_replica(write), from_replica(begin), reading_alias(),
    fail("SET statement_timeout = 50; SELECT pg_sleep(9)"), fail("SELECT pg_terminate_backend(pg_backend_pid())"),
]))
"""
"""Where a process reads; a request's part is played by functions."""
FAILURES = 'runyard_database_errors_total{work="http"}'
PASSWORD = "a long password of ada"


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[PostgresServer, PostgresServer]]:
    with pair(is_synchronous=False) as both:
        both[0].execute("CREATE DATABASE runyard")
        yield both


@pytest.fixture
def primary(servers: tuple[PostgresServer, PostgresServer]) -> PostgresServer:
    return servers[0]


@pytest.fixture
def standby(servers: tuple[PostgresServer, PostgresServer]) -> PostgresServer:
    return servers[1]


@pytest.fixture(scope="module")
def server(
    servers: tuple[PostgresServer, PostgresServer], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Installation]:
    primary, standby = servers
    with Installation(
        tmp_path_factory.mktemp("replica"),
        database_url=primary.url("runyard"),
        RUNYARD_DATABASE_REPLICA_URL=standby.url("runyard"),
        RUNYARD_METRICS_TOKEN=TOKEN,
    ) as installation:
        yield installation


@pytest.fixture(scope="module")
def ada(server: Installation) -> Iterator[Person]:
    name = f"ada-{secrets.token_hex(3)}"  # for a second try, too
    with person(server, name, "--password", PASSWORD) as found:
        found.wire.begin("replicated")
        yield found


class Reads:
    """How many requests read from where since the last look."""

    def __init__(self, server: Installation) -> None:
        self._server = server
        self._before = self._now()

    def _now(self) -> dict[str, float]:
        prefix = "runyard_replica_requests_total{outcome="
        values = scrape(self._server)
        return {name[len(prefix) + 1 : -2]: values[name] for name in values if name.startswith(prefix)}

    def rise(self) -> dict[str, int]:
        """Return it by outcome."""
        now, before = self._now(), self._before
        self._before = now
        rises = {name: int(value - before.get(name, 0)) for name, value in now.items()}
        return {name: rise for name, rise in rises.items() if rise}


@pytest.fixture(scope="module")
def url(server: Installation, ada: Person) -> str:
    """Give the address of a project of Ada's."""
    found = clients.request("GET", f"{server.url}/api/v1/projects/?name=replicated", auth=("api", ada.key))
    [project] = found.json()["results"]
    return f"{server.url}/api/v1/projects/{project['id']}/"


def shown(url: str, person: Person) -> httpx.Response:
    return clients.request("GET", url, auth=("api", person.key))


def change(url: str, person: Person, **values: str) -> None:
    reply = clients.request("PATCH", url, auth=("api", person.key), json=values)
    assert reply.status_code == 200, reply.text


def is_read_from(server: Installation, url: str, person: Person, outcome: str) -> bool:
    """Read once; say whether it was from there."""
    reads = Reads(server)
    assert shown(url, person).status_code == 200
    return outcome in reads.rise()


@contextmanager
def replay_paused(standby: PostgresServer) -> Iterator[None]:
    standby.execute("SELECT pg_wal_replay_pause()")
    until(
        lambda: standby.execute("SELECT pg_get_wal_replay_pause_state()") == [("paused",)], "replay to pause"
    )
    try:
        yield
    finally:
        standby.execute("SELECT pg_wal_replay_resume()")


def test_pages_api_and_queries_read_from_the_replica_and_writes_do_not(
    server: Installation, url: str, ada: Person, primary: PostgresServer, standby: PostgresServer
) -> None:
    until(lambda: is_read_from(server, url, ada, "replica"), "the replica to be read from")
    reads, at_standby = Reads(server), standby.execute(SCANS, "runyard")
    with signed_in(server, ada.name, PASSWORD) as browser:
        assert "replicated" in browser.get(f"/{ada.name}").text
        assert browser.get(f"/{ada.name}/replicated").status_code == 200
    query = 'query ($of: String) { project(name: "replicated", entityName: $of) { name runCount } }'
    body = {"query": query, "variables": {"of": ada.name}}
    reply = clients.request("POST", f"{server.url}/graphql", auth=("api", ada.key), json=body)
    assert reply.json()["data"]["project"] == {"name": "replicated", "runCount": 1}
    rise = reads.rise()
    assert set(rise) <= {"replica", "behind"}
    assert rise["replica"] >= 3
    until(lambda: standby.execute(SCANS, "runyard") > at_standby, "PostgreSQL to count scans at the standby")
    change(url, ada, description="written")
    assert reads.rise() == {}


def test_what_was_just_written_is_always_seen(server: Installation, url: str, ada: Person) -> None:
    """While writers keep the standby busy, so that it is now ready and now not."""
    writers = start_writers(server.url, ada.key, [ada.wire.begin("busy") for _ in range(3)])
    wait_for_posts(writers)
    reads = Reads(server)
    for number in range(TIMES):
        change(url, ada, description=f"number {number}")
        assert shown(url, ada).json()["description"] == f"number {number}"
    for writer in writers:
        writer.finish()
    rise = reads.rise()
    assert sum(rise.values()) >= TIMES
    assert "repeated" not in rise


def test_a_replica_that_is_behind_shows_nothing_old(
    server: Installation, url: str, ada: Person, standby: PostgresServer
) -> None:
    """Neither what a page shows nor who may see it."""
    with person(server, f"bob-{secrets.token_hex(3)}") as bob:
        change(url, ada, description="before")
        change(url, ada, visibility="public")
        assert shown(url, bob).json()["description"] == "before"
        with replay_paused(standby):
            change(url, ada, description="after")
            reads = Reads(server)
            assert shown(url, ada).json()["description"] == "after"
            assert reads.rise() == {"behind": 1}
            change(url, ada, visibility="team")
            assert shown(url, bob).status_code == 404
            told = finding(server)
            assert (told["state"], told["text"]) == ("warning", "It is behind the primary.")
    until(lambda: is_read_from(server, url, ada, "replica"), "the replica to be read from again")


def finding(server: Installation) -> dict[str, str]:
    """Return what the doctor says of the replica."""
    _status, printed, _errors = server.management.run(["doctor", "--json"])
    return next(one for one in json.loads(printed)["findings"] if one["part"] == "replica")


def test_a_page_whose_replica_dies_comes_from_the_primary(
    server: Installation, url: str, ada: Person, primary: PostgresServer, standby: PostgresServer
) -> None:
    """In the middle of the page, while it is away, and until it is back."""
    reads, failures = Reads(server), scrape(server)[FAILURES]
    with (
        ThreadPoolExecutor(1) as pool,
        psycopg.connect(primary.url("runyard")) as link,
    ):
        link.execute("LOCK TABLE runs_project IN ACCESS EXCLUSIVE MODE")
        primary.execute("SELECT pg_switch_wal()")  # sends what is not committed, too
        until(lambda: standby.execute(LOCKED, "runyard") > [(0,)], "the lock to reach the standby")
        asked = pool.submit(shown, url, ada)
        until(lambda: standby.execute(WAITING) == [(1,)], "the page to wait at the standby")
        standby.kill9()
        until(lambda: primary.execute(WAITING) == [(1,)], "the page to wait at the primary")
        link.rollback()
        assert asked.result().status_code == 200
    assert reads.rise() == {"replica": 1, "repeated": 1}
    assert scrape(server)[FAILURES] == failures
    assert "the request begins again on the primary" in server.log("web")
    assert shown(url, ada).status_code == 200
    assert reads.rise() == {"unavailable": 1}
    standby.start()
    until(lambda: is_read_from(server, url, ada, "replica"), "the replica to be read from again")
    assert server.log("web").count("pages are read from the primary, not from the replica") == 1


def test_a_request_reads_from_the_primary_what_it_wrote(server: Installation) -> None:
    """From its first write or transaction on; what is kept for others is never of the replica.

    What took too long is not begun again, and what the replica could not do otherwise is.
    """
    expected = [
        ["replica", "default", "replica", "default"],
        ["replica", "default", "default"],
        "default",
        ["replica"],
        ["replica", "default"],
    ]
    until(lambda: server.manage("shell", "-v0", "-c", LOOK) == expected, "requests to begin at the replica")


def test_a_server_that_is_no_standby_is_not_read_from(
    server: Installation, url: str, ada: Person, standby: PostgresServer
) -> None:
    """As after a failover to it that left RUNYARD_DATABASE_URL behind."""
    assert finding(server)["text"] == "The primary may cancel what is read from it for long."
    standby.execute("ALTER SYSTEM SET hot_standby_feedback = on")
    standby.execute("SELECT pg_reload_conf()")
    until(lambda: finding(server)["state"] == "fine", "the replica to be fine")
    standby.execute("SELECT pg_promote()")
    assert is_read_from(server, url, ada, "foreign")
    assert is_read_from(server, url, ada, "unavailable")
    assert "no standby" in server.log("web")
    assert finding(server)["state"] == "broken"
