"""Through PgBouncer in transaction mode, each transaction may meet another session: nothing may be kept in one."""

import os
from collections.abc import Iterator

import pytest

from config.env import ROOT
from tests import clients
from tests.databases import GIVEN, SQLITE, Database
from tests.fakes.pgbouncer import pooler, program
from tests.installation import Installation
from tests.killing import start_writers, wait_for_posts
from tests.management import Management
from tests.sdk.people import Person, person
from tests.sdk.wire import Run
from tests.served import log_a_run, readme_script
from tests.stored import longest_tail, look
from tests.waiting import until

pytestmark = [
    pytest.mark.processes,
    pytest.mark.races,
    pytest.mark.skipif(
        not GIVEN.startswith("postgres"), reason="there is no PostgreSQL to put a pooler before"
    ),
    pytest.mark.skipif(program() is None, reason="PgBouncer is not installed"),
]

WRITERS = 3
SHORT = 16
"""Rows that an impatient worker leaves in a tail (`tests.impatient`)."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    home = tmp_path_factory.mktemp("pooled")
    database = Database(f"runyard_pooled_{os.getpid()}", home / SQLITE)
    database.create()
    with (
        pooler(database.url) as url,
        Installation(
            home, database_url=url, worker_app="tests.impatient", RUNYARD_DATABASE_POOLER="true"
        ) as installation,
    ):
        yield installation
    database.drop()


def test_runs_log_are_packed_and_read_through_it(server: Installation) -> None:
    """RUN-8: no row is lost or doubled, also where web dies in the middle of a transaction."""
    with person(server, "pooled-ada") as ada:
        runs = [ada.wire.begin("pooled") for _ in range(WRITERS)]
        writers = start_writers(server.url, ada.key, runs)
        wait_for_posts(writers)
        server.kill9("web")
        server.start()
        wait_for_posts(writers)
        for writer in writers:
            writer.finish()
        until(lambda: longest_tail(server.manage) < SHORT, "all packed")
        found = look(server.manage, [writer.expected for writer in writers])
        steps = [[each["_step"] for each in ada.wire.rows(run)] for run in runs]
        exported(server, ada, runs[0], writers[0].expected.rows)
    assert [writer.refused for writer in writers] == [[]] * WRITERS
    assert (found.wrong, found.unreadable, found.orphans) == ([], [], 0)
    assert steps == [list(range(writer.expected.rows)) for writer in writers]


def exported(server: Installation, ada: Person, run: Run, rows: int) -> None:
    """What is read in pieces, by cursors where no pooler is."""
    number = server.manage(
        "shell",
        "--no-imports",
        "-c",
        f"from runs.models import Run; print(Run.objects.get(uid='{run.uid}').pk)",
    )
    url = f"{server.url}/api/v1/runs/{number}/history/?format=csv"
    reply = clients.request("GET", url, auth=("api", ada.key))
    assert reply.status_code == 200, reply.text
    assert len(reply.text.splitlines()) == rows + 1


def test_doctor_says_what_to_set(server: Installation) -> None:
    """Without the setting nothing works, and the pool says no more than that it has waited."""
    with Management(server.env | {"RUNYARD_DATABASE_POOLER": "false"}) as management:
        status, printed, _errors = management.run(["doctor"])
    assert status == 1
    assert "unsupported startup parameter: options" in printed
    assert "RUNYARD_DATABASE_POOLER=true" in printed


@pytest.mark.sdk
def test_the_sdk_logs_through_it(server: Installation) -> None:
    with person(server, "pooled-bob") as bob:
        log_a_run(readme_script(ROOT), server.url, bob.key)
