"""The disk, the database or the bucket is away for minutes at the end of a run: afterwards everything is there.

The clients for GraphQL and for files give up after 20 retries: with growing pauses that is a quarter of an hour, and
with those of a short Retry-After less than a minute (wandb 0.31).
"""

import resource
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from pathlib import Path

import psutil
import pytest

from tests import sdks
from tests.databases import GIVEN, SQLITE
from tests.fakes.buckets import BucketServer
from tests.fakes.postgresql import PostgresServer
from tests.installation import Installation
from tests.sdk.lab import Lab
from tests.sdk.people import person
from tests.waiting import PATIENCE_S, until

pytestmark = [pytest.mark.sdk, pytest.mark.exhaustive("outages of three minutes"), pytest.mark.takes(300)]

AWAY_S = 180
LATER_S = 300
"""Within which a client that pauses for up to a minute between two tries sends what it still has, by three requests."""
TRAINS = """
import os, time
import wandb

run = wandb.init(id="late", config={"lr": 0.5})
for step in range(20):
    run.log({"loss": step})
open("has-begun", "w").close()
while not os.path.exists("is-away"):
    time.sleep(0.1)
for step in range(20, 40):
    run.log({"loss": step})
    print("line", step)
run.log({"page": wandb.Html("<p>of the last step</p>")})
open("notes.txt", "w").write("a file of the user's own")
run.save("notes.txt", policy="end")
weights = wandb.Artifact("weights", "model")
with weights.new_file("weights.bin", mode="wb") as file:
    file.write(bytes(range(256)) * 4000)
run.log_artifact(weights, aliases=["best"])
run.summary["best"] = 0.25
run.config.update({"later": "set"})
run.finish()
open("has-ended", "w").close()
"""
READS = """
import hashlib, pathlib
import wandb

folder = pathlib.Path(wandb.Api().artifact("PROJECT/weights:best").download("weights"))
print(hashlib.sha256((folder / "weights.bin").read_bytes()).hexdigest())
"""
WEIGHTS = "062af9ccd890ba3d067ca7150278bcc420069bd82f6e41161029303dfd6d661e"


Away = tuple[Installation, Callable[[], None], Callable[[], None]]
"""A server, what begins its outage, and what ends it."""


@contextmanager
def disk(folder: Path) -> Iterator[Away]:
    """Let no process of an installation write to a file any more, as with a full disk."""
    limits = dict[psutil.Process, tuple[int, int]]()

    def fill() -> None:
        for process in server.processes():
            limits[process] = process.rlimit(resource.RLIMIT_FSIZE)
            process.rlimit(resource.RLIMIT_FSIZE, (0, limits[process][1]))

    def clear() -> None:
        for process, limit in limits.items():
            process.rlimit(resource.RLIMIT_FSIZE, limit)

    with Installation(folder) as server:
        yield server, fill, clear


@contextmanager
def database(folder: Path) -> Iterator[Away]:
    """Kill PostgreSQL, or lock the file of SQLite."""
    with ExitStack() as stack:
        if GIVEN.startswith("postgres"):
            postgres = PostgresServer()
            stack.callback(postgres.discard)
            postgres.create()
            postgres.start()
            postgres.execute("CREATE DATABASE runyard")
            server = stack.enter_context(Installation(folder, database_url=postgres.url("runyard")))
            yield server, postgres.kill9, postgres.start
        else:
            server = stack.enter_context(Installation(folder))
            other = stack.enter_context(closing(sqlite3.connect(folder / SQLITE, timeout=PATIENCE_S)))
            yield server, lambda: (other.execute("BEGIN IMMEDIATE"), None)[1], other.rollback


@contextmanager
def bucket(folder: Path, storage: BucketServer) -> Iterator[Away]:
    """Refuse connections to the bucket in which an installation stores files."""

    def refuse() -> None:
        storage.faults.is_down = True

    place = storage.new_bucket()
    with Installation(
        folder, RUNYARD_STORAGE_URL=place.url, RUNYARD_STORAGE_KEY=place.credentials["access_key"],
        RUNYARD_STORAGE_SECRET=place.credentials["secret_key"],
    ) as server:  # fmt: skip
        yield server, refuse, storage.faults.mend


@pytest.mark.parametrize("away", [disk, database, bucket])
def test_a_run_that_ends_during_an_outage_of_minutes_arrives_whole(
    away: Callable[..., AbstractContextManager[Away]],
    bucket_servers: Callable[[str], BucketServer],
    sdk: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    """RUN-2: with the oldest and the newest release."""
    with ExitStack() as stack:
        home = tmp_path / "home"
        home.mkdir()
        given = [bucket_servers("seaweedfs")] if away is bucket else []
        server, begin, end = stack.enter_context(away(home, *given))
        ada = stack.enter_context(person(server, "outage-ada"))
        labs = []
        for version in sdks.ends():
            folder = tmp_path / version
            folder.mkdir()
            labs.append(Lab(version, sdk(version), server, ada, folder))
        scripts = [sdks.start_script(lab.python, TRAINS, env=lab.env(), cwd=lab.folder) for lab in labs]
        for script in scripts:
            stack.callback(sdks.kill_script, script)
        for lab in labs:
            until((lab.folder / "has-begun").exists, f"{lab.version} to train")
        begin()
        try:
            for lab in labs:
                (lab.folder / "is-away").touch()
            time.sleep(AWAY_S)
            early = [lab.version for lab in labs if (lab.folder / "has-ended").exists()]
        finally:
            end()
        ended = [lab.end(script, LATER_S) for lab, script in zip(labs, scripts, strict=True)]
        assert early == [], f"gave up: {ended}"
        for lab, (status, printed) in zip(labs, ended, strict=True):
            assert status == 0, printed
            _check(lab)


def _check(lab: Lab) -> None:
    run = lab.found("late")
    assert run["state"] == "finished"
    assert [row["loss"] for row in lab.rows("late") if "loss" in row] == list(range(40))
    assert [line for line in map(str.strip, lab.log("late")) if line.endswith("line 39")]
    assert '"later"' in run["config"]
    assert '"best"' in run["summaryMetrics"]
    names = lab.ada.wire.files(lab.run("late"))
    assert {"config.yaml", "output.log", "wandb-summary.json", "wandb-metadata.json", "notes.txt"} <= names
    assert any(name.startswith("media/html/page") for name in names), names
    status, printed = lab.end(
        sdks.start_script(lab.python, READS.replace("PROJECT", lab.project), env=lab.env(), cwd=lab.folder)
    )
    assert (status, WEIGHTS in printed) == (0, True), printed
