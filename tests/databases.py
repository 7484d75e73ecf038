"""Databases that tests throw away, and the one that all of them begin as.

To migrate one and to collect the static files takes 12 s of CPU, so one process of the suite does it, the first that
asks; installations and the tests' own databases are copies.
"""

import fcntl
import os
import shutil
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from tests.management import Management
from tests.plugin import SHARED

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
        """Make it, empty or with all that another holds, to which nobody may be connected."""
        if self.url:
            _run(f'CREATE DATABASE "{self.name}"' + (f' TEMPLATE "{like.name}"' if like else ""))
        elif like:
            shutil.copy(like._file, self._file)

    def drop(self) -> None:
        """Remove it, with whoever is still connected; a file goes with its folder."""
        if self.url:
            _run(f'DROP DATABASE IF EXISTS "{self.name}" WITH (FORCE)')


def _on(name: str) -> str:
    return urlunsplit(urlsplit(GIVEN)._replace(path=f"/{name}"))


def _run(statement: str) -> None:
    import psycopg

    with psycopg.connect(_on("postgres"), autocommit=True) as link:
        link.execute(statement)


class Prepared:
    """The tables and static files that the installations of all processes begin with."""

    def __init__(self) -> None:
        self._home = SHARED / "prepared"
        self.static = self._home / "static"
        self.database = Database(f"{SHARED.name}-prepared", self._home / SQLITE)
        self._complete = self._home / "complete"

    def wait(self) -> "Prepared":
        """Make them, unless that is done; return this."""
        self._home.mkdir(exist_ok=True)
        with (self._home / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not self._complete.exists():
                self._make()
                self._complete.touch()
        return self

    def _make(self) -> None:
        self.database.drop()  # of a process that failed half-way
        self.database.create()
        with Management(installation_env(self._home, self.database)) as management:
            for command in (["migrate", "--no-input"], ["collectstatic", "--no-input"]):
                status, printed, errors = management.run([*command, "--verbosity", "0"])
                assert status == 0, f"{command[0]} failed:\n{printed}\n{errors}"

    def discard(self) -> None:
        """Remove the database; the folder goes with the process that made it."""
        if self._complete.exists():
            self.database.drop()


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
