"""What a backup's archive is: whole or refused, encrypted if wanted, incremental, and nothing but Runyard's files."""

import io
import json
import shutil
import sqlite3
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import IO, cast

import pytest
import zstandard
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from config.env import ROOT
from tests.databases import GIVEN, SQLITE, Database, installation_env, prepared_database
from tests.management import Management
from tests.waiting import until

pytestmark = pytest.mark.skipif(
    GIVEN.startswith("postgres"), reason="about files, and begins with those of the embedded default"
)
CONTENT = b"what the blob holds"
Manage = Callable[..., tuple[int, str, str]]
"""Runs a management command on a data folder; returns its status and what it printed on stdout and stderr."""


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
    sqlite_in(home).create(like=prepared_database())
    return home


@pytest.fixture(scope="module")
def kept(installed: Path, manage: Manage) -> Path:
    """Return its backup."""
    archive = installed / "small.tar.zst"
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
    return Path(shutil.copy(kept, tmp_path / "small.tar.zst"))


def sqlite_in(home: Path) -> Database:
    """Return the SQLite of a data folder, whatever the suite was given."""
    return Database("", home / SQLITE)


def test_a_killed_backup_leaves_nothing_under_its_name(installed: Path, tmp_path: Path) -> None:
    """The review's M2: what has the name is whole."""
    home, archive = tmp_path / "home", tmp_path / "backup.tar"
    (home / "blobs").mkdir(parents=True)
    with (home / "blobs" / "endless").open("wb") as file:
        file.truncate(2**42)  # the database is written, and this file takes minutes
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


def flipped(archive: Path) -> None:
    content = bytearray(archive.read_bytes())
    content[len(content) // 2] ^= 0xFF
    archive.write_bytes(content)


def cut_off(archive: Path) -> None:
    archive.write_bytes(archive.read_bytes()[:-20_000])


def rewritten(archive: Path, change: Callable[[str, bytes], bytes | None]) -> None:
    """Write an archive anew, with other contents of its files, or without some."""
    content = zstandard.ZstdDecompressor().stream_reader(archive.read_bytes()).read()
    out = io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(content)) as old, tarfile.open(fileobj=out, mode="w") as new:
        for member in old.getmembers():
            changed = change(member.name, cast("IO[bytes]", old.extractfile(member)).read())
            if changed is not None:
                member.size = len(changed)
                new.addfile(member, io.BytesIO(changed))
    archive.write_bytes(zstandard.ZstdCompressor().compress(out.getvalue()))


def with_other_content(archive: Path) -> None:
    rewritten(archive, lambda _, content: content.upper() if content == CONTENT else content)


def without_manifest(archive: Path) -> None:
    rewritten(archive, lambda name, content: None if name == "manifest.json" else content)


@pytest.mark.parametrize(
    ("harm", "why"),
    [
        (flipped, "damaged"),
        (cut_off, "cut off"),
        (with_other_content, "blobs"),
        (without_manifest, "manifest"),
    ],
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
    require_untouched(elsewhere)


def require_untouched(home: Path) -> None:
    """See that a refused backup left nothing."""
    assert not (home / "blobs").exists()
    assert list(home.glob("restoring-*")) == []


def test_restore_refuses_what_does_not_fit(
    *, small: Path, back: Path, tmp_path: Path, elsewhere: Path, manage: Manage
) -> None:
    """The review's M2: neither a newer release's backup nor one over an installation is put back unasked."""
    home = back
    shutil.rmtree(home)
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


def key_in(folder: Path, manage: Manage, home: Path, name: str) -> tuple[str, Path]:
    """Create a key; return its public half, and the file of the other one."""
    status, printed, errors = manage(home, "create_backup_key", str(folder / name))
    assert status == 0, errors
    return json.loads(printed)["public_key"], folder / name


def test_an_encrypted_backup_opens_by_its_key_alone(
    installed: Path, elsewhere: Path, manage: Manage, tmp_path: Path
) -> None:
    """Who backs up has public keys only, of as many as may open it; what was changed in it is refused."""
    public, ours = key_in(tmp_path, manage, installed, "ours")
    others, theirs = key_in(tmp_path, manage, installed, "theirs")
    (tmp_path / "recipients").write_text(f"# who may\n{others}\n")
    assert ours.stat().st_mode & 0o777 == 0o600
    assert "exists" in manage(installed, "create_backup_key", str(ours))[2]

    keys = ["--encrypt-to", public, "--encrypt-to", str(tmp_path / "recipients")]
    told = json.loads(manage(installed, "backup", str(tmp_path), *keys)[1])
    archive = Path(told["backup"])
    assert archive.name.endswith(".tar.zst.age")
    assert CONTENT not in archive.read_bytes()
    for key in (ours, theirs):
        status, printed, errors = manage(
            elsewhere, "restore", str(archive), "--check", "--identity", str(key)
        )
        assert status == 0, errors
        assert json.loads(printed)["blobs"] == told["blobs"]

    _, stranger = key_in(tmp_path, manage, installed, "stranger")
    check = ("restore", str(archive), "--check", "--identity")
    assert "--identity" in manage(elsewhere, *check[:-1])[2]
    assert "No matching keys" in manage(elsewhere, *check, str(stranger))[2]
    assert "not a private key" in manage(elsewhere, *check, str(tmp_path / "recipients"))[2]
    for harm in (flipped, cut_off):
        whole = archive.read_bytes()
        harm(archive)
        assert "damaged or cut off" in manage(elsewhere, *check, str(ours))[2]
        archive.write_bytes(whole)
    assert "neither a public key" in manage(installed, "backup", str(tmp_path), "--encrypt-to", "age1x")[2]


def test_keys_of_ssh_open_backups_too(
    installed: Path, elsewhere: Path, manage: Manage, tmp_path: Path
) -> None:
    key = Ed25519PrivateKey.generate()
    private = key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
    (tmp_path / "id").write_bytes(private)
    public = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
    (tmp_path / "id.pub").write_bytes(public + b" ada@example.com\n")
    archive = tmp_path / "a.age"
    secret = ["--encrypt-to", str(tmp_path / "id.pub")]
    assert manage(installed, "backup", str(archive), *secret)[0] == 0
    status, _, errors = manage(
        elsewhere, "restore", str(archive), "--check", "--identity", str(tmp_path / "id")
    )
    assert status == 0, errors


@pytest.fixture(scope="module")
def changing(tmp_path_factory: pytest.TempPathFactory, installed: Path) -> Path:
    """Return an installation whose files tests change."""
    home = tmp_path_factory.mktemp("changing")
    shutil.copy(installed / SQLITE, home / SQLITE)
    return home


@pytest.fixture
def home(changing: Path, installed: Path) -> Path:
    """Return it as `installed` is, without a full backup."""
    shutil.rmtree(changing / "blobs", ignore_errors=True)
    (changing / "last-full-backup.gz").unlink(missing_ok=True)
    shutil.copytree(installed / "blobs", changing / "blobs")
    return changing


@pytest.fixture(scope="module")
def back(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the data folder that backups are restored into."""
    return tmp_path_factory.mktemp("back")


def blob(home: Path, name: str) -> Path:
    return home / "blobs" / "aa" / "bb" / name


def test_an_incremental_backup_holds_what_is_new(
    home: Path, back: Path, manage: Manage, tmp_path: Path
) -> None:
    """With the last full one it gives back exactly what was there, wherever in the order of names that is."""
    assert "No full backup was created here" in manage(home, "backup", str(tmp_path), "--incremental")[2]
    for name in ("aaaa-1", "aabc-1", "aabc.x", "aaff-1"):
        blob(home, name).write_bytes(name.encode())
    (home / "blobs" / "ab").mkdir()
    (home / "blobs" / "not Runyard's").write_bytes(b"foreign")
    full = json.loads(manage(home, "backup", str(tmp_path))[1])
    assert (full["blobs"]["files"], full["foreign_files"]) == (5, 1)
    for name in ("aaaa-1", "aaff-1"):
        blob(home, name).unlink()
    for name in ("aaab-1", "aazz-1"):
        blob(home, name).write_bytes(b"new")
    told = json.loads(manage(home, "backup", str(tmp_path / "second"), "--incremental")[1])
    assert told["blobs"]["files"] == 2
    assert told["in_base"] == {"files": 3, "bytes": len(CONTENT) + 12}
    assert told["base"]["name"] == Path(full["backup"]).name

    check = json.loads(manage(back, "restore", str(tmp_path / "second"), "--check")[1])
    assert check["from_base"] == told["in_base"]
    assert manage(back, "restore", str(tmp_path / "second"), "--force")[0] == 0
    (home / "blobs" / "not Runyard's").unlink()
    found = [
        {path.name: path.read_bytes() for path in (folder / "blobs").rglob("*") if path.is_file()}
        for folder in (home, back)
    ]
    assert found[0] == found[1]


def test_an_incremental_backup_needs_its_own_base(
    home: Path, back: Path, elsewhere: Path, manage: Manage, tmp_path: Path
) -> None:
    """Another one, one that is damaged, and none are refused, and nothing is changed."""
    base, second = tmp_path / "base", tmp_path / "second"
    assert manage(home, "backup", str(base))[0] == 0
    assert manage(home, "backup", str(second), "--incremental")[0] == 0
    whole = base.read_bytes()

    def refused(*more: str) -> str:
        status, _, errors = manage(elsewhere, "restore", str(second), *more)
        assert status == 1
        require_untouched(elsewhere)
        return errors

    with_other_content(base)
    assert "damaged" in refused()
    rewritten(base, lambda name, content: None if name.startswith("blobs/") else content)
    assert "damaged" in refused()
    base.unlink()
    assert "needs the full backup base of" in refused()
    assert manage(home, "backup", str(base))[0] == 0
    assert "is not the full backup" in refused()
    assert "needs the full backup" in refused("--base", str(tmp_path / "none"))
    base.unlink()
    (tmp_path / "moved").write_bytes(whole)
    status, _, errors = manage(back, "restore", str(second), "--base", str(tmp_path / "moved"), "--force")
    assert status == 0, errors
    assert blob(back, "aabb-1").read_bytes() == CONTENT


HARMED = """
from common.backups import writing
read = writing.digest_on_disk
def harmed(path):
    content = bytearray(path.read_bytes())
    content[100] ^= 1
    path.write_bytes(content)
    return read(path)
writing.digest_on_disk = harmed
from django.core.management import call_command
call_command("backup", {target!r})
"""


def test_a_backup_that_the_disk_did_not_keep_gets_no_name(home: Path, manage: Manage, tmp_path: Path) -> None:
    """It is read back from the disk before it counts, also as the base of incremental ones."""
    target = tmp_path / "backup"
    status, _, errors = manage(home, "shell", "--no-imports", "-c", HARMED.format(target=str(target)))
    assert status == 1
    assert "the disk does not hold what was written to it" in errors
    assert list(tmp_path.iterdir()) == []
    assert "No full backup" in manage(home, "backup", str(target), "--incremental")[2]


def test_a_damaged_database_is_said_and_not_backed_up(home: Path, manage: Manage, tmp_path: Path) -> None:
    whole = (home / SQLITE).read_bytes()
    try:
        with (home / SQLITE).open("r+b") as file:
            file.seek(len(whole) // 2)
            file.write(b"\xff" * 64 * 1024)
        status, _, errors = manage(home, "backup", str(tmp_path))
    finally:
        (home / SQLITE).write_bytes(whole)
    assert status == 1
    assert "database is damaged" in errors or "malformed" in errors
    assert list(tmp_path.iterdir()) == []
