"""The way out of the embedded default: SQLite's rows into an empty PostgreSQL database."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured
from django.db import DEFAULT_DB_ALIAS, OperationalError, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor

from common.database.empty_database import table_statements
from common.database.moving import copying
from common.database.moving.comparing import Contents, contents_of
from common.database.moving.progress import Progress
from common.database.moving.tables import Table, tables, unknown_tables
from common.errors import Conflict, Invalid, Unavailable

SOURCE, TARGET = DEFAULT_DB_ALIAS, "move_target"
_OLDEST = 140_000
"""PostgreSQL 14, as its servers say it."""
Tell = Callable[[str], None]


def move(url: str, tell: Tell) -> dict[str, Any]:
    """Copy everything into an empty database, or go on with a copy that was cut off; then compare.

    Writers of the source are kept out meanwhile. It is never written to.

    Args:
        url: ``postgres://user:password@host:5432/name``.
        tell: Takes lines that say how far it is.

    Raises:
        Invalid: no URL of PostgreSQL.
        Unavailable: one of the databases does not answer.
        Conflict: something does not let it go on; the message says what.
    """
    with _both(url) as target:
        progress = Progress(target)
        everything = tables()
        _begin(target, progress, everything, tell)
        _copy(target, progress, everything, tell)
        rows = _require_same(everything, tell)
        progress.record_same()
        return _summary(rows)


def compare(url: str, tell: Tell) -> dict[str, Any]:
    """Compare both databases as they are; arguments, errors and result as of `move`, nothing is changed."""
    with _both(url) as target:
        if not target.introspection.table_names():
            raise Conflict("The target has no table; nothing was moved there.")
        return _summary(_require_same(tables(), tell))


def _summary(rows: dict[str, Contents]) -> dict[str, Any]:
    return {
        "tables": {name: {"rows": found.rows, "digest": found.digest} for name, found in rows.items()},
        "rows": sum(found.rows for found in rows.values()),
        "left_out": unknown_tables(SOURCE),
    }


@contextmanager
def _both(url: str) -> Iterator[BaseDatabaseWrapper]:
    """Connect to the target, and let nobody write to the source.

    Raises:
        Conflict, Invalid, Unavailable: as `move`.
    """
    if connections[SOURCE].vendor != "sqlite":
        raise Conflict("The database of this installation is not SQLite (RUNYARD_DATABASE_URL).")
    connections.databases[TARGET] = connections.configure_settings({SOURCE: {}, TARGET: _config(url)})[TARGET]
    try:
        with _locked_source():
            yield _connected(connections[TARGET])
    finally:
        connections[TARGET].close()
        del connections[TARGET], connections.databases[TARGET]


def _config(url: str) -> dict[str, Any]:
    try:
        config: dict[str, Any] = environ.Env.db_url_config(url)
    except (ImproperlyConfigured, ValueError) as error:
        raise Invalid(f"Not the URL of a database: {error}.") from None
    if not str(config.get("ENGINE", "")).endswith("postgresql"):
        raise Invalid("Give the URL of a PostgreSQL database: postgres://user:password@host:5432/name.")
    config["OPTIONS"] = {**config.get("OPTIONS", {}), "connect_timeout": 5}
    return config


@contextmanager
def _locked_source() -> Iterator[None]:
    """Hold SQLite's write lock: what somebody wrote now would be missing in the copy.

    Raises:
        Conflict: another process has the database open.
    """
    _require_unused(connections[SOURCE].settings_dict["NAME"])
    with transaction.atomic(using=SOURCE):
        yield


def _require_unused(file: str) -> None:
    connections[SOURCE].close()
    with closing(sqlite3.connect(file, timeout=1, isolation_level=None)) as link:
        link.execute("PRAGMA locking_mode = EXCLUSIVE")
        try:
            link.execute("BEGIN IMMEDIATE")  # which in this mode succeeds only where nobody else is connected
        except sqlite3.OperationalError as error:
            raise Conflict("Another process has the database open: stop Runyard first, all of it.") from error
        link.execute("ROLLBACK")


def _connected(target: BaseDatabaseWrapper) -> BaseDatabaseWrapper:
    try:
        target.ensure_connection()
    except OperationalError as error:
        raise Unavailable(f"The target does not answer: {str(error).strip()}") from error
    link: Any = target.connection
    if link.info.server_version < _OLDEST:
        raise Conflict("PostgreSQL 14 or newer is needed.")
    if link.info.parameter_status("server_encoding") != "UTF8":
        raise Conflict("The target must be a database of the encoding UTF8.")
    return target


def _begin(target: BaseDatabaseWrapper, progress: Progress, everything: list[Table], tell: Tell) -> None:
    """Create the tables, unless that was done before.

    Raises:
        Conflict: the source is not as this version has it, or PostgreSQL would refuse what it holds; or the target
            holds something else.
    """
    executor = MigrationExecutor(connections[SOURCE])
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise Conflict("Migrate the database first: runyard migrate.")
    if progress.exists():
        tell("Going on with a move that was cut off.")
        return
    if found := target.introspection.table_names():
        raise Conflict(f"The target is not empty: it has {len(found)} tables, such as {found[0]}.")
    tell("Looking for what PostgreSQL would refuse.")
    if misfits := [line for table in everything for line in table.misfits(SOURCE)]:
        raise Conflict(f"PostgreSQL would refuse some values, so nothing was copied: {'; '.join(misfits)}.")
    creates, _then = table_statements(target)
    copying.execute_all(TARGET, creates, progress.create)


def _copy(target: BaseDatabaseWrapper, progress: Progress, everything: list[Table], tell: Tell) -> None:
    if progress.is_copied:
        return
    for table in everything:
        copying.copy_rows(table, SOURCE, TARGET, progress, tell)
    copying.set_sequences(everything, SOURCE, TARGET)
    tell("Creating indexes.")
    _creates, then = table_statements(target)
    copying.execute_all(TARGET, then, progress.record_copied)


def _require_same(everything: list[Table], tell: Tell) -> dict[str, Contents]:
    found, different = {}, []
    for table in everything:
        size = table.batch_size(SOURCE)
        there, here = (contents_of(table, using, size, tell) for using in (TARGET, SOURCE))
        found[table.name] = here
        if here != there:
            different.append(f"{table.name} ({here.rows} rows here, {there.rows} there)")
    if different:
        raise Conflict(
            "The databases differ, so the target must not be used: drop it, and begin with an empty one."
            f" Tables: {', '.join(different)}."
        )
    return found
