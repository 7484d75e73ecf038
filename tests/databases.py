"""Databases that tests throw away, and the tables and static files that all of them begin with.

To start Django, create the tables and collect the static files takes 3 s of CPU, so both are kept in `.cache/prepared/`
for as long as what they are made of stays the same; installations and the tests' own databases are copies.
"""

import contextlib
import fcntl
import hashlib
import os
import shutil
import socket
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit, urlunsplit

from config.env import ROOT
from tests.management import Management

GIVEN = os.environ.get("RUNYARD_DATABASE_URL", "")
SQLITE = "runyard.sqlite3"
"""The file in an installation's data folder."""
CONNECTIONS = "6"
"""Of one process: PostgreSQL lets 100 in, and the suite's workers run up to twenty processes at once."""


class Database:
    """A database of the given name on the PostgreSQL that the suite was given; otherwise a file of SQLite.

    Args:
        name: Its name on PostgreSQL.
        file: Where it is without PostgreSQL.
    """

    def __init__(self, name: str, file: Path) -> None:
        self.name = name
        self._file = file
        self.url = _on(name) if GIVEN.startswith("postgres") else ""

    def create(self, like: "Database | None" = None) -> None:
        """Make it, empty or with all that another has, to which no one may be connected."""
        if self.url:
            _run(f'CREATE DATABASE "{self.name}"' + (f' TEMPLATE "{like.name}"' if like else ""))
        elif like:
            shutil.copy(like._file, self._file)

    def exists(self) -> bool:
        """Say whether it was created."""
        if not self.url:
            return self._file.exists()
        return bool(_run("SELECT 1 FROM pg_database WHERE datname = %s", self.name))

    def drop(self) -> None:
        """Remove it, and end its connections; a file goes with its folder."""
        if self.url:
            _run(f'DROP DATABASE IF EXISTS "{self.name}" WITH (FORCE)')


def _on(name: str) -> str:
    return urlunsplit(urlsplit(GIVEN)._replace(path=f"/{name}"))


def _run(statement: str, *arguments: str) -> list[tuple[str, ...]]:
    import psycopg

    with psycopg.connect(_on("postgres"), autocommit=True) as link:
        found = link.execute(statement, arguments or None)
        return found.fetchall() if found.description else []


PREPARED = ROOT / ".cache" / "prepared"
TEMPLATE = "runyard-prepared-"
"""What the names of the databases begin with that others are copies of, on PostgreSQL."""
_in_use: dict[Path, IO[str]] = {}
"""The folders that this process uses, with the locks by which others see that."""
CREATE_TABLES = """
from django.db import connection
from common.database.empty_database import create_tables
create_tables(connection)
"""


@cache
def prepared_database() -> Database:
    """Return a database that has all tables and no rows but those of a new installation.

    It is created as a new installation's is; `common/tests/test_empty_database.py` compares the tables with those that
    the migrations create.
    """
    return _template(_prepared(_database_sources, _make_database))


@cache
def prepared_static() -> Path:
    """Return a folder with the static files as an installation collects them."""
    return _prepared(_static_sources, _make_static) / "static"


def _template(home: Path) -> Database:
    return Database(f"{TEMPLATE}{home.name}", home / SQLITE)


def _database_sources() -> Iterable[Path]:
    """Return all that decides on the tables and the first rows, as those of roles: the product's Python."""
    for app in (ROOT / "config", *(file.parent for file in ROOT.glob("*/apps.py"))):
        yield from (path for path in app.rglob("*.py") if "tests" not in path.relative_to(ROOT).parts)
    yield ROOT / "requirements.txt"


def _static_sources() -> Iterable[Path]:
    yield from (ROOT / "assets" / "dist").rglob("*")
    yield from (ROOT / "config" / "settings").glob("*.py")
    yield ROOT / "requirements.txt"


def _key(sources: Iterable[Path]) -> str:
    """Return a hash of the content of files, and of where the database is."""
    found = hashlib.sha256(f"{ROOT} {urlsplit(GIVEN).netloc} {sys.version}".encode())
    for path in sorted(path for path in sources if path.is_file()):
        found.update(f"{path}\0".encode() + path.read_bytes())
    return found.hexdigest()[:16]


def _prepared(sources: Callable[[], Iterable[Path]], make: Callable[[Path], None]) -> Path:
    """Return the folder that was made of the current sources; make it where there is none.

    Another process may use one that was made of earlier sources; one that no process uses is removed.
    """
    kind = f"{make.__name__.removeprefix('_make_')}-{urlsplit(GIVEN).scheme or 'sqlite'}"
    PREPARED.mkdir(parents=True, exist_ok=True)
    with (PREPARED / f"{kind}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        while not _is_complete(home := PREPARED / f"{kind}-{_key(sources())}"):
            for other in PREPARED.glob(f"{kind}-*"):
                if _is_unused(other):
                    _template(other).drop()
                    shutil.rmtree(other)
            home.mkdir(exist_ok=True)  # complete, but its server has lost the database
            make(home)
            if home.name == f"{kind}-{_key(sources())}":  # no source has changed since
                (home / "complete").touch()
        if home not in _in_use:
            _in_use[home] = (home / "complete").open()
            fcntl.flock(_in_use[home], fcntl.LOCK_SH)
    return home


def _is_complete(home: Path) -> bool:
    """Say whether a folder has all that it should; a server may have lost its database."""
    return (home / "complete").exists() and (home.name.startswith("static") or _template(home).exists())


def _is_unused(home: Path) -> bool:
    """Say whether no process uses a folder; one that is not complete is of a process that was killed."""
    try:
        with (home / "complete").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return True
    except BlockingIOError:
        return False
    return True


def _make_database(home: Path) -> None:
    database = _template(home)
    database.drop()  # of a process that was killed
    database.create()
    _manage(home, database, "shell", "--no-imports", "-c", CREATE_TABLES)
    if database.url:
        _drop_those_of_removed_checkouts()
        _run(f"COMMENT ON DATABASE \"{database.name}\" IS '{socket.gethostname()}:{home}'")


def _drop_those_of_removed_checkouts() -> None:
    """Remove the databases of folders of this machine that have been deleted: clones are tried and thrown away."""
    from psycopg import Error

    found = _run(
        "SELECT datname, shobj_description(oid, 'pg_database') FROM pg_database WHERE datname LIKE %s",
        f"{TEMPLATE}%",
    )
    for name, place in found:
        host, _, home = (place or "").partition(":")
        with contextlib.suppress(Error, OSError):  # of another user, or being copied
            if host == socket.gethostname() and not Path(home).exists():
                _run(f'DROP DATABASE IF EXISTS "{name}"')


def _make_static(home: Path) -> None:
    _manage(home, _template(home), "prepare", "--static")


def _manage(home: Path, database: Database, *command: str) -> None:
    with Management(installation_env(home, database)) as management:
        status, printed, errors = management.run(list(command))
    assert status == 0, f"{command[0]} failed:\n{printed}\n{errors}"


def installation_env(home: Path, database: Database) -> dict[str, str]:
    """Return the variables of an installation whose data is in ``home``: nothing of this process's own settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RUNYARD_", "DJANGO_"))}
    return kept | {
        "DJANGO_SETTINGS_MODULE": "config.settings.test_server",
        "PYTHONUNBUFFERED": "1",
        "RUNYARD_HOME": str(home),
        **(
            {"RUNYARD_DATABASE_URL": database.url, "RUNYARD_DATABASE_POOL": CONNECTIONS}
            if database.url
            else {}
        ),
    }
