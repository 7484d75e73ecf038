"""`manage.py backup` beside runs that log, and `manage.py restore` into an empty folder (the review's M2)."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from config.env import ROOT
from storage import filesystem
from tests.databases import GIVEN, SQLITE, Database, installation_env
from tests.fakes.buckets import BucketServer
from tests.installation import Installation
from tests.killing import start_writers, wait_for_posts
from tests.management import Management
from tests.sdk.people import person
from tests.sdk.wire import CREATE_FILES, Run
from tests.stored import Expected
from tests.waiting import until

LOOK = """
import hashlib, json
from metrics.models import Segment, StreamKind
from metrics.store import reads
from runs.logs.blocks import log_lines_between
from runs.models import Run
from storage.contents.reading import content_of
from storage.models import Blob
from tests.stored import is_readable, line_of, row_of, system_row_of

def count(found, content_of):
    right = [content_of(number) for number in range(len(found))]
    assert found == right, next(pair for pair in zip(found, right) if pair[0] != pair[1])
    return len(found)

def digest_of(blob):
    return hashlib.sha256(content_of(blob).read_bytes()).hexdigest()

def rows(run, kind):
    return [row for _, row in reads.scan(run.pk, kind)]

def lines(run):
    return [line for line in log_lines_between(run.pk, 0, 10**6) if line is not None]

runs = Run.objects.filter(project__name="backups")
print(json.dumps({
    "blobs": {blob.digest: digest_of(blob) for blob in Blob.objects.all()},
    "rows": {run.uid: count(rows(run, StreamKind.HISTORY), row_of) for run in runs},
    "system_rows": {run.uid: count(rows(run, StreamKind.SYSTEM), system_row_of) for run in runs},
    "lines": {run.uid: count(lines(run), line_of) for run in runs},
    "unreadable": [segment.name for segment in Segment.objects.all() if not is_readable(segment)],
}))
"""
NAMES = """
import json
from metrics.models import Segment
print(json.dumps(list(Segment.objects.values_list("name", flat=True))))
"""
SWEEP = """
from datetime import timedelta
from metrics.store import sweeping
sweeping.ORPHAN_AFTER = timedelta(hours=-1)
print(sweeping.sweep())
"""
TABLES = """
import json
from common.database.moving.comparing import contents_of
from common.database.moving.tables import tables
print(json.dumps({table.name: str(contents_of(table, "default", 1000, lambda line: None)) for table in tables()}))
"""


class Empty:
    """An installation that was never started, to restore into."""

    def __init__(self, home: Path, **variables: str) -> None:
        home.mkdir()
        self.home = home
        self.database = Database(f"runyard_restored_{os.getpid()}", home / SQLITE)
        self.database.create()
        self.management = Management(installation_env(home, self.database) | variables)

    def manage(self, *arguments: str) -> dict[str, Any]:
        status, printed, errors = self.management.run(list(arguments))
        assert status == 0, errors
        return dict(json.loads(printed))

    def leave(self) -> None:
        self.management.stop()
        self.database.drop()


@pytest.fixture
def new_empty(tmp_path: Path) -> Iterator[Callable[..., Empty]]:
    """Give what creates one with other settings."""
    with ExitStack() as stack:

        def create(**variables: str) -> Empty:
            empty = Empty(tmp_path / "restored", **variables)
            stack.callback(empty.leave)
            return empty

        yield create


@pytest.fixture
def empty(new_empty: Callable[..., Empty]) -> Empty:
    """Return one with the default settings."""
    return new_empty()


@pytest.mark.races
def test_backups_beside_writers_hold_what_was_acknowledged(
    new_server: Callable[..., Installation], empty: Empty, tmp_path: Path
) -> None:
    """The review's M2: every row acknowledged before one began is restored, and every file that a row names."""
    server = new_server(worker_app="tests.impatient")
    key = server.manage("create_backup_key", str(tmp_path / "key"))
    with person(server, "backed-up-ada") as ada:
        runs = [ada.wire.begin("backups") for _ in range(2)]
        upload(ada, runs[0], "a.txt")
        writers = start_writers(server.url, ada.key, runs)
        until(lambda: all(writer.acknowledged > 10 for writer in writers), "posts are stored")
        full = server.manage("backup", str(tmp_path))
        wait_for_posts(writers)
        upload(ada, runs[0], "b.txt")
        before = [writer.expected for writer in writers]
        secret = ["--encrypt-to", key["public_key"]]
        beside = server.manage("backup", str(tmp_path), "--incremental", *secret)
        wait_for_posts(writers)
        for writer in writers:
            writer.finish()
    assert [writer.refused for writer in writers] == [[], []]
    assert Path(beside["backup"]).stat().st_mode & 0o777 == 0o600
    assert beside["base"]["name"] == Path(full["backup"]).name
    assert beside["in_base"]["files"] > 0
    identity = ["--identity", str(tmp_path / "key")]
    told = empty.manage("restore", beside["backup"], *identity)
    assert (told["blobs"], told["from_base"]) == (beside["blobs"], beside["in_base"])
    require_all(empty.manage("shell", "--no-imports", "-c", LOOK), before)
    assert (empty.home / "secret-key").read_text() == (server.home / "secret-key").read_text()

    server.stop()
    after = server.manage("backup", str(tmp_path / "after.tar"), "--incremental")
    assert empty.manage("restore", after["backup"], "--force")["replaced"]
    require_all(empty.manage("shell", "--no-imports", "-c", LOOK), [writer.expected for writer in writers])
    assert files_of(empty.home) == files_of(server.home)
    tables = [home.manage("shell", "--no-imports", "-c", TABLES) for home in (empty, server)]
    assert {name for name in tables[0] if tables[0][name] != tables[1][name]} == set()


@pytest.mark.races
@pytest.mark.skipif(
    not GIVEN.startswith("postgres"), reason="buckets are tried with PostgreSQL, as they are used"
)
def test_a_database_of_before_finds_what_a_bucket_holds_since(
    *, new_server: Callable[..., Installation], new_empty: Callable[..., Empty],
    bucket_servers: Callable[[str], BucketServer], tmp_path: Path,
) -> None:  # fmt: skip
    """A bucket is not in a backup: what was merged in it meanwhile is found again, and nothing acknowledged is lost."""
    bucket = bucket_servers("moto").new_bucket()
    variables = {
        "RUNYARD_STORAGE_URL": bucket.url,
        "RUNYARD_STORAGE_KEY": bucket.credentials["access_key"],
        "RUNYARD_STORAGE_SECRET": bucket.credentials["secret_key"],
        "RUNYARD_SEGMENTS": "bucket",
    }
    server = new_server(worker_app="tests.impatient", **variables)
    with person(server, "backed-up-bo") as bo:
        runs = [bo.wire.begin("backups") for _ in range(2)]
        for name in ("a.txt", "b.txt"):
            upload(bo, runs[0], name)
        writers = start_writers(server.url, bo.key, runs)
        until(lambda: count_segments(server) > 1, "segments are packed")
        before = [writer.expected for writer in writers]
        told = server.manage("backup", str(tmp_path))
        names = server.manage("shell", "--no-imports", "-c", NAMES)
        until(
            lambda: not set(names) & set(server.manage("shell", "--no-imports", "-c", NAMES)),
            "all are merged",
        )
        for writer in writers:
            writer.finish()
    assert sum(place["files"] for place in told["not_in_it"]) > 2
    server.stop()
    server.manage("shell", "--no-imports", "-c", SWEEP)
    empty = new_empty(**variables)
    empty.manage("restore", told["backup"])
    assert empty.manage("recover_segments")["recovered"] > 0
    require_all(empty.manage("shell", "--no-imports", "-c", LOOK), before)


def count_segments(server: Installation) -> int:
    """Return how many segments rows name."""
    return len(server.manage("shell", "--no-imports", "-c", NAMES))


def upload(person: Any, run: Run, name: str) -> None:
    """Send a file of a run, of its own content."""
    reply = person.wire.data(CREATE_FILES, entity=run.entity, project="backups", run=run.uid, files=[name])
    [file] = reply["createRunFiles"]["files"]
    person.wire.http.put(file["uploadUrl"], content=f"of {name}".encode()).raise_for_status()


def require_all(found: dict[str, Any], acknowledged: Sequence[Expected]) -> None:
    """See that what is restored is whole, and no less than what was acknowledged; `LOOK` has compared the values."""
    assert found["unreadable"] == []
    assert all(digest == real for digest, real in found["blobs"].items())
    assert len(found["blobs"]) == 2
    for run in acknowledged:
        assert found["rows"][run.uid] >= run.rows
        assert found["system_rows"][run.uid] >= run.system_rows
        assert found["lines"][run.uid] >= run.lines


def files_of(home: Path) -> dict[str, str]:
    """Return the digest of every file that a backup takes."""
    return {
        path.relative_to(home).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for folder in ("blobs", "segments")
        for path in (home / folder).rglob("*")
        if path.is_file() and path.suffix != ".part" and path.parent.name != "incoming"
    }


def test_nothing_is_removed_while_a_backup_is_read(settings: Any, tmp_path: Path) -> None:
    """The review's M2: the copied database still names what a purge or a packing takes meanwhile."""
    from common.backups.deletion_lock import block_deletion
    from metrics.store.segment_storage import FileSegmentStorage

    settings.DATA_FOLDER, settings.BLOB_ROOT, settings.SEGMENT_ROOT = (
        tmp_path,
        tmp_path,
        tmp_path / "segments",
    )
    (tmp_path / "blob").touch()
    FileSegmentStorage().put("abcd", b"content")
    with block_deletion():
        filesystem.delete("blob")
        FileSegmentStorage().delete(["abcd"])
        assert (tmp_path / "blob").exists()
        assert FileSegmentStorage().size("abcd") == 7
    filesystem.delete("blob")
    FileSegmentStorage().delete(["abcd"])
    assert not (tmp_path / "blob").exists()
    assert list(FileSegmentStorage().root.glob("*/*")) == []


@pytest.mark.skipif(not GIVEN.startswith("postgres"), reason="SQLite needs no other program")
def test_without_pg_dump_the_backup_says_what_to_install(server: Installation, tmp_path: Path) -> None:
    env = server.env | {"PATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "manage.py", "backup", str(tmp_path / "a.tar")], cwd=ROOT, env=env, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "pg_dump is not installed" in done.stderr
