"""The way out of the embedded default: a filled SQLite installation goes on in PostgreSQL, and nothing is lost."""

import contextlib
import hashlib
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from config.env import ROOT
from tests import sdks
from tests.databases import GIVEN, SQLITE, Database
from tests.installation import Installation
from tests.management import Management
from tests.sdk.people import Person, person
from tests.sdk.wire import Run, Wire, history, row
from tests.waiting import until

pytestmark = [
    pytest.mark.processes,
    pytest.mark.dialect,
    pytest.mark.skipif(not GIVEN.startswith("postgres"), reason="there is no PostgreSQL to move to"),
]

API = """
import hashlib, json, sys, wandb
def digest(value):
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()
api, found = wandb.Api(), {}
for project in api.projects("robotics"):
    for run in api.runs(f"robotics/{project.name}", per_page=200):
        found[f"{project.name}/{run.id}"] = [
            run.state, run.name, sorted(run.tags), digest(dict(run.config)), digest(run.summary._json_dict),
            digest(list(run.scan_history())), sorted((file.name, file.md5) for file in run.files()),
            sorted((one.name, one.digest, sorted(one.aliases)) for one in run.logged_artifacts()),
        ]
print(json.dumps(found))
"""
ODD = "a\x00b"
"""SQLite takes what PostgreSQL does not."""
PREPARE = f"""
from runs.models import Run
from storage.models import ByteEntry
last = ByteEntry.objects.create(team_id=1, category="file", delta_bytes=1)
print(last.pk)
last.delete()
Run.objects.filter(pk=Run.objects.earliest("pk").pk).update(notes={ODD!r})
"""
TOO_LONG = """
from storage.models import ByteEntry
ByteEntry.objects.create(team_id=1, category="x" * 17, delta_bytes=1)
"""
NEXT = """
from storage.models import ByteEntry
print(ByteEntry.objects.create(team_id=1, category="file", delta_bytes=1).pk)
"""
NOTES = "from runs.models import Run; print(repr(Run.objects.earliest('pk').notes))"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Installation]:
    """Give one that begins in SQLite."""
    with Installation(tmp_path, database_url=f"sqlite:///{tmp_path / SQLITE}") as installation:
        yield installation


@pytest.fixture
def target(tmp_path: Path) -> Iterator[str]:
    """Give the URL of a database without a table."""
    database = Database(f"runyard_moved_{os.getpid()}", tmp_path / SQLITE)
    database.create()
    yield database.url
    database.drop()


def shell(server: Installation, code: str) -> str:
    return str(server.manage("shell", "--no-imports", "-c", code)).strip()


def test_a_filled_installation_moves_and_goes_on(
    target: str, server: Installation, sdk: Callable[[str], Path]
) -> None:
    with person(server, "mover") as ada:
        fill(server)
        run = ada.wire.begin("moving")
        assert ada.wire.post(run, history(0, row(0, loss=1.0), row(1, loss=0.5))).status_code == 200
        gone = int(shell(server, PREPARE))
        key = shell(server, "from demo.people import make_keys; print(make_keys()['ada'])")
        before = seen_by(sdk("0.31.0"), server, key)
        refuses_while_it_runs(server, target)
        server.stop()
        refuses_what_does_not_fit(server, target)
        content = content_of(server.home / SQLITE)
        kill_half_way(server, target)
        refuses_to_start_on_a_part(server, target)
        moved = server.manage("move_database", "--to", target)
        assert content_of(server.home / SQLITE) == content, "the source was written to"
        assert moved["tables"]["runs_run"]["rows"] > len(before)
        assert moved["left_out"] == []
        finds_what_differs(server, target)
        assert server.manage("move_database", "--to", target, "--check")["tables"] == moved["tables"]
        server.configure(RUNYARD_DATABASE_URL=target)
        server.manage("prepare")
        server.start()
        go_on(server, ada, run)
        assert seen_by(sdk("0.31.0"), server, key) == before
        assert int(shell(server, NEXT)) > gone, "a key was given again"
        assert "a\\ufffdb" in ascii(shell(server, NOTES))


def fill(server: Installation) -> None:
    """Fill it with the demo: all that a row of any kind can be."""
    command = [sys.executable, str(ROOT / "manage.py"), "demo", "--only", "humanoid", "--url", server.url]
    done = subprocess.run(command, env=server.env, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def seen_by(python: Path, server: Installation, key: str) -> dict[str, Any]:
    """Return all that the SDK reads of the runs."""
    done = sdks.run_script(python, API, env=server.client_env(key), cwd=server.home)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert found
    return found


def content_of(file: Path) -> str:
    """Return a digest of all rows."""
    with contextlib.closing(sqlite3.connect(file)) as link:
        return hashlib.sha256("".join(link.iterdump()).encode(errors="replace")).hexdigest()


def refuses_while_it_runs(server: Installation, target: str) -> None:
    assert "Another process has the database open" in refused(server, "--to", target)


def refused(server: Installation, *arguments: str) -> str:
    """Return why the command does nothing."""
    status, _printed, errors = server.management.run(["move_database", *arguments])
    assert status == 1
    return errors


def refuses_what_does_not_fit(server: Installation, target: str) -> None:
    """SQLite knows no length of texts."""
    shell(server, TOO_LONG)
    assert "storage_byteentry.category: 1 are longer than 16 characters" in refused(server, "--to", target)
    shell(server, "from storage.models import ByteEntry; ByteEntry.objects.latest('pk').delete()")
    assert copied(target) == 0


def finds_what_differs(server: Installation, target: str) -> None:
    """One letter of one row."""
    notes = "UPDATE runs_run SET notes = {} WHERE id = (SELECT min(id) FROM runs_run)"
    with psycopg.connect(target, autocommit=True) as link:
        link.execute(notes.format("notes || 'x'"))
        assert "must not be used" in (told := refused(server, "--to", target, "--check"))
        assert "Tables: runs_run (" in told
        link.execute(notes.format("left(notes, -1)"))


def kill_half_way(server: Installation, target: str) -> None:
    """Let it be killed several times; each goes on where the last one was."""
    for enough in (1, 5_000, 12_000):
        with (server.home / "move.log").open("w") as log:
            command = server.management.start(["move_database", "--to", target], log, log)
            until(lambda: command.is_over() or copied(target) >= enough, "rows to be copied")  # noqa: B023
            assert not command.is_over(), (server.home / "move.log").read_text()
            command.kill()
            command.wait()


def refuses_to_start_on_a_part(server: Installation, target: str) -> None:
    with Management(server.env | {"RUNYARD_DATABASE_URL": target}) as management:
        status, _printed, errors = management.run(["prepare"])
    assert status == 1
    assert "was cut off" in errors


def copied(target: str) -> int:
    """Return how many rows are in the target, as it says itself."""
    with psycopg.connect(target) as link:
        try:
            [rows] = link.execute("SELECT sum(copied) FROM runyard_move").fetchone() or (0,)
        except psycopg.errors.UndefinedTable:
            return 0
        return int(rows or 0)


def go_on(server: Installation, ada: Person, run: Run) -> None:
    """The same run logs on, by the keys and cursors that were moved."""
    wire = Wire(server.url, ada.key)
    with wire.http:
        again = history(1, row(1, loss=0.5), row(2, loss=0.25))
        assert wire.post(run, again).status_code == 200
        assert [(each["_step"], each["loss"]) for each in wire.rows(run)] == [(0, 1.0), (1, 0.5), (2, 0.25)]
        other = wire.begin("moving")
        assert other.uid != run.uid
