"""One consistent copy of the database beside those who write to it, and the way back."""

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.db.backends.postgresql.client import DatabaseClient
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from common.errors import Conflict

PACKAGE = "it comes with PostgreSQL's client programs (postgresql-client)"


def copy_to(path: Path) -> None:
    """Write the database as it is at one moment.

    SQLite's is copied in one step, so by one read: writers go on into the write-ahead log. In several steps each write
    of another process would make the copy start again, and beside a few runs it would never end.

    Raises:
        Conflict: a program of PostgreSQL is missing or refused; its words.
    """
    if connection.vendor == "sqlite":
        name = settings.DATABASES["default"]["NAME"]
        with closing(sqlite3.connect(name, timeout=20)) as source, closing(sqlite3.connect(path)) as copy:
            source.backup(copy, pages=-1)
    else:
        _run("pg_dump", ["--format", "custom", "--no-owner", "--no-privileges", "--file", str(path)])


def check_copy(path: Path) -> None:
    """Read all of a copy, as restoring it would.

    Raises:
        Conflict: it is damaged.
    """
    if connection.vendor != "sqlite":
        _run("pg_restore", ["--file", os.devnull, str(path)], is_connected=False)
        return
    with closing(sqlite3.connect(path)) as copy:
        [(found,)] = copy.execute("PRAGMA quick_check(1)").fetchall()
    if found != "ok":
        raise Conflict(f"The database is damaged: {found}.")


def put_back(path: Path) -> None:
    """Replace the database by a copy; the caller has seen that nobody uses it.

    Raises:
        Conflict: a program of PostgreSQL is missing or refused; its words. Nothing was changed.
    """
    connection.close()
    if connection.vendor == "sqlite":
        path.rename(settings.DATABASES["default"]["NAME"])
        return
    options = ["--clean", "--if-exists", "--no-owner", "--no-privileges", "--single-transaction"]
    _run("pg_restore", [*options, str(path)])


def sqlite_files() -> list[Path]:
    """Return the files of an SQLite database that are there, its log included."""
    if connection.vendor != "sqlite":
        return []
    name = settings.DATABASES["default"]["NAME"]
    return [path for suffix in ("", "-wal", "-shm") if (path := Path(f"{name}{suffix}")).exists()]


def applied_migrations() -> list[str]:
    """Return ``app.name`` of each migration of the database."""
    return sorted(f"{app}.{name}" for app, name in MigrationRecorder(connection).applied_migrations())


def unknown_migrations(applied: Sequence[str]) -> list[str]:
    """Return those that this release does not know: of a newer one."""
    known = {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations}
    return sorted(set(applied) - known)


def _run(program: str, arguments: Sequence[str], *, is_connected: bool = True) -> None:
    found = shutil.which(program)
    if found is None:
        raise Conflict(f"{program} is not installed here; {PACKAGE}, of the server's version or newer.")
    given, environment = DatabaseClient.settings_to_cmd_args_env(settings.DATABASES["default"], [])
    *where, name = given[1:]  # the first is psql
    connecting = [*where, "--no-password", "--dbname", name] if is_connected else []
    command = [found, *connecting, *arguments]
    done = subprocess.run(
        command, env={**os.environ, **(environment or {})}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise Conflict(f"{program} failed: {' '.join(done.stderr.split())[-2000:]}")
