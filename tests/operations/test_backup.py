"""`manage.py backup` beside runs that log, and `manage.py restore` into an empty folder (the review's M2)."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from config.env import ROOT
from storage import filesystem
from tests.databases import GIVEN, SQLITE, Database, Prepared, installation_env
from tests.installation import Installation
from tests.killing import start_writers
from tests.management import Management
from tests.sdk.people import person
from tests.sdk.test_faults import CREATE
from tests.stored import Expected
from tests.waiting import until

CONTENT = b"what the blob holds"
Manage = Callable[..., tuple[int, str, str]]
"""Runs a management command on a data folder; returns its status and what it printed on stdout and stderr."""

LOOK = """
import hashlib, json, sys
from metrics.models import Segment, StreamKind
from metrics.store import reads
from runs.models import Run
from storage import filesystem
from storage.models import Blob
from tests.stored import is_readable
def digest_of(blob):
    return hashlib.sha256(filesystem.path_of(blob.location).read_bytes()).hexdigest()
blobs = {blob.digest: digest_of(blob) for blob in Blob.objects.all()}
steps = {run.uid: [row["_step"] for _, row in reads.scan(run.pk, StreamKind.HISTORY)] for run in Run.objects.all()}
unreadable = [segment.name for segment in Segment.objects.all() if not is_readable(segment)]
print(json.dumps({"blobs": blobs, "steps": steps, "unreadable": unreadable, "segments": Segment.objects.count()}))
"""


class Empty:
    """An installation that was never started, to restore into."""

    def __init__(self, home: Path) -> None:
        home.mkdir()
        self.home = home
        self.database = Database(f"runyard_restored_{os.getpid()}", home / SQLITE)
        self.database.create()
        self.management = Management(installation_env(home, self.database))

    def manage(self, *arguments: str) -> tuple[int, str, str]:
        return self.management.run(list(arguments))

    def leave(self) -> None:
        self.management.stop()
        self.database.drop()


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Empty]:
    made = Empty(tmp_path / "restored")
    yield made
    made.leave()


@pytest.fixture(scope="module")
def manage() -> Iterator[Manage]:
    """Give a function that runs a command on a data folder; Django starts once for each."""
    started: dict[Path, Management] = {}

    def run(home: Path, *command: str) -> tuple[int, str, str]:
        home.mkdir(exist_ok=True)
        if home not in started:
            started[home] = Management(installation_env(home, sqlite_in(home)))
        return started[home].run(list(command))

    yield run
    for management in started.values():
        management.stop()


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the data folder of an installation without people: empty tables, one blob."""
    home = tmp_path_factory.mktemp("small")
    (home / "blobs" / "aa" / "bb").mkdir(parents=True)
    (home / "blobs" / "aa" / "bb" / "aabb-1").write_bytes(CONTENT)
    sqlite_in(home).create(like=Prepared().wait().database)
    return home


@pytest.fixture(scope="module")
def kept(installed: Path, manage: Manage) -> Path:
    """Return its backup."""
    archive = installed / "small.tar"
    status, _, errors = manage(installed, "backup", str(archive))
    assert status == 0, errors
    return archive


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a data folder with nothing in it, which what is refused leaves as it is."""
    return tmp_path_factory.mktemp("elsewhere")


@pytest.fixture
def small(kept: Path, tmp_path: Path) -> Path:
    """Return a copy of it."""
    return Path(shutil.copy(kept, tmp_path / "small.tar"))


def sqlite_in(home: Path) -> Database:
    """Return the SQLite of a data folder, whatever the suite was given."""
    return Database("", home / SQLITE)


about_files = pytest.mark.skipif(
    GIVEN.startswith("postgres"), reason="about files, and begins with those of the embedded default"
)


@pytest.mark.races
def test_a_backup_beside_writers_ends_and_holds_what_was_acknowledged(
    new_server: Callable[..., Installation], empty: Empty, tmp_path: Path
) -> None:
    """The review's M2: every row acknowledged before it began is restored, and every file that a row names."""
    server = new_server(worker_app="tests.impatient")
    with person(server, "backed-up-ada") as ada:
        runs = [ada.wire.begin("backups") for _ in range(2)]
        files = ada.wire.data(
            CREATE, entity=runs[0].entity, project="backups", run=runs[0].uid, files=["a.txt"]
        )
        ada.wire.http.put(
            files["createRunFiles"]["files"][0]["uploadUrl"], content=b"a file"
        ).raise_for_status()
        writers = start_writers(server.url, ada.key, runs)
        until(lambda: all(writer.acknowledged > 10 for writer in writers), "posts are stored")
        before: list[Expected] = [writer.expected for writer in writers]
        told = server.manage("backup", str(tmp_path))
        after = [writer.acknowledged for writer in writers]
        until(
            lambda: all(writer.acknowledged > n for writer, n in zip(writers, after, strict=True)),
            "they go on",
        )
        for writer in writers:
            writer.finish()
    assert [writer.refused for writer in writers] == [[], []]
    assert Path(told["backup"]).stat().st_mode & 0o777 == 0o600
    status, printed, errors = empty.manage("restore", told["backup"])
    assert status == 0, errors
    assert json.loads(printed)["blobs"] == told["blobs"]
    found = json.loads(empty.manage("shell", "--no-imports", "-c", LOOK)[1])
    assert found["unreadable"] == []
    assert all(digest == real for digest, real in found["blobs"].items())
    assert len(found["blobs"]) == told["blobs"]["files"] > 0
    for run in before:
        steps = found["steps"][run.uid]
        assert len(steps) >= run.rows
        assert steps == list(range(len(steps)))
    assert (empty.home / "secret-key").read_text() == (server.home / "secret-key").read_text()


@about_files
def test_a_killed_backup_leaves_nothing_under_its_name(installed: Path, tmp_path: Path) -> None:
    """The review's M2: what has the name is whole."""
    home, archive = tmp_path / "home", tmp_path / "backup.tar"
    (home / "blobs").mkdir(parents=True)
    os.mkfifo(
        home / "blobs" / "endless"
    )  # in the middle: the database is written, and this file never begins
    shutil.copy(installed / SQLITE, home / SQLITE)
    process = subprocess.Popen(
        [sys.executable, "manage.py", "backup", str(archive)],
        cwd=ROOT,
        env=installation_env(home, sqlite_in(home)),
    )
    until(
        lambda: any(path.stat().st_size for path in tmp_path.glob(".runyard-backup-*/archive")), "it writes"
    )
    process.kill()
    process.wait()
    assert not archive.exists()


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


def damaged(archive: Path) -> None:
    content = archive.read_bytes()
    assert content.count(CONTENT) == 1
    archive.write_bytes(content.replace(CONTENT, CONTENT.upper()))


def cut_off(archive: Path) -> None:
    archive.write_bytes(archive.read_bytes()[:200_000])


def without_manifest(archive: Path) -> None:
    whole = archive.rename(archive.with_suffix(".whole"))
    with tarfile.open(whole) as old, tarfile.open(archive, "w") as new:
        for member in old.getmembers()[:-1]:
            new.addfile(member, old.extractfile(member))


@about_files
@pytest.mark.parametrize(
    ("harm", "why"), [(damaged, "blobs"), (cut_off, "cut off"), (without_manifest, "manifest")]
)
@pytest.mark.parametrize("how", [["--check"], []])
def test_a_harmed_backup_is_refused_and_nothing_changed(
    *, small: Path, elsewhere: Path, manage: Manage, harm: Callable[[Path], None], why: str, how: list[str]
) -> None:
    """The review's M2: `restore` verifies before it touches anything."""
    harm(small)
    status, _, errors = manage(elsewhere, "restore", str(small), *how)
    assert status == 1
    assert why in errors
    assert not (elsewhere / "blobs").exists()
    assert list(elsewhere.glob("restoring-*")) == []


@about_files
def test_restore_refuses_what_does_not_fit(
    small: Path, tmp_path: Path, elsewhere: Path, manage: Manage
) -> None:
    """The review's M2: neither a newer release's backup nor one over an installation is put back unasked."""
    home = tmp_path / "home"
    assert manage(home, "restore", str(small))[0] == 0
    assert "is not empty; --force" in manage(home, "restore", str(small))[2]
    (home / "blobs" / "aa" / "bb" / "aabb-1").write_bytes(b"of before")
    told = json.loads(manage(home, "restore", str(small), "--force")[1])
    assert (home / "blobs" / "aa" / "bb" / "aabb-1").read_bytes() == CONTENT
    [aside] = home.glob("replaced-*")
    assert str(aside) in told["replaced"]
    assert (aside / "blobs" / "aa" / "bb" / "aabb-1").read_bytes() == b"of before"
    with closing(sqlite3.connect(home / SQLITE)) as database:
        database.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('runs', '9999_new', '2030-01-01')"
        )
        database.commit()
    newer = tmp_path / "newer.tar"
    assert manage(home, "backup", str(newer))[0] == 0
    assert "newer Runyard" in manage(elsewhere, "restore", str(newer))[2]


@pytest.mark.skipif(not GIVEN.startswith("postgres"), reason="SQLite needs no other program")
def test_without_pg_dump_the_backup_says_what_to_install(server: Installation, tmp_path: Path) -> None:
    env = server.env | {"PATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "manage.py", "backup", str(tmp_path / "a.tar")], cwd=ROOT, env=env, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "pg_dump is not installed" in done.stderr
