"""The tables that an empty database gets at once are those that the migrations make."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations import RunPython
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from config.env import ROOT
from teams.models import Role
from tests.databases import SQLITE, Database, installation_env
from tests.management import Management

pytestmark = pytest.mark.dialect
MIGRATED = "migrated"
both = pytest.mark.django_db(databases=["default", MIGRATED])


@pytest.fixture(scope="module")
def migrated(
    tmp_path_factory: pytest.TempPathFactory, django_db_setup: None, django_db_blocker: Any
) -> Iterator[BaseDatabaseWrapper]:
    """Give a connection to a database whose tables the migrations have created."""
    home = tmp_path_factory.mktemp("home")
    database = Database(f"runyard_test_migrated_{os.getpid()}", home / SQLITE)
    database.drop()
    database.create()
    with Management(installation_env(home, database)) as management:
        status, printed, errors = management.run(["migrate", "--no-input"])
    assert status == 0, printed + errors
    name = database.name if database.url else str(home / SQLITE)
    connections.databases[MIGRATED] = {**connections.databases["default"], "NAME": name}
    yield connections[MIGRATED]
    with django_db_blocker.unblock():
        connections[MIGRATED].close()
        if database.url:
            connections[MIGRATED].close_pool()  # type: ignore[attr-defined]  # PostgreSQL alone has one
    del connections[MIGRATED], connections.databases[MIGRATED]
    database.drop()


def tables_of(database: BaseDatabaseWrapper) -> dict[str, Any]:
    """Return columns, indexes and constraints of every table, without the order of columns."""
    found = {}
    with database.cursor() as cursor:
        for table in database.introspection.table_names(cursor):
            columns = {
                row.name: (row.type_code, row.null_ok, row.display_size)
                for row in database.introspection.get_table_description(cursor, table)
            }
            constraints = database.introspection.get_constraints(cursor, table)
            found[table] = columns, sorted(map(repr, constraints.values())), _checks(database, table)
    return found


def _checks(database: BaseDatabaseWrapper, table: str) -> list[str]:
    """Return the conditions of a table's checks and partial indexes, which Django's introspection leaves out."""
    with database.cursor() as cursor:
        if database.vendor == "postgresql":
            cursor.execute(
                "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = %s::regclass"
                " UNION ALL SELECT indexdef FROM pg_indexes WHERE tablename = %s",
                [f'"{table}"', table],
            )
            return sorted(text for (text,) in cursor.fetchall())
        cursor.execute("SELECT sql FROM sqlite_master WHERE tbl_name = %s AND type = 'index'", [table])
        return sorted(text for (text,) in cursor.fetchall() if text)


@both
def test_they_are_those_that_migrations_make(migrated: BaseDatabaseWrapper):
    expected, found = tables_of(migrated), tables_of(connection)
    for tables in (
        expected,
        found,
    ):  # Django's, unused: its migrations number rows as our settings say, its model does not
        del tables["auth_group_permissions"][0]["id"]
    assert found.keys() == expected.keys()
    assert {table: (parts, found[table]) for table, parts in expected.items() if found[table] != parts} == {}


@both
def test_all_migrations_are_recorded_and_what_follows_them_is_done(migrated: BaseDatabaseWrapper):
    rows = MigrationRecorder.Migration.objects
    assert set(rows.using(MIGRATED).values_list("app", "name")) == set(rows.values_list("app", "name"))
    roles = Role.objects.filter(organization=None).order_by("preset")
    assert roles.exists()
    assert list(roles.using(MIGRATED).values_list("preset")) == list(roles.values_list("preset"))


def test_no_migration_of_ours_makes_rows_which_would_be_missing():
    """`create_tables` runs SQL, and leaves functions out."""
    ours = {
        Path(config.path).name for config in apps.get_app_configs() if Path(config.path).is_relative_to(ROOT)
    }
    ours -= {config.label for config in apps.get_app_configs() if ".venv" in config.path}
    migrations = MigrationLoader(None).graph.nodes.values()
    functions = [
        f"{migration.app_label}.{migration.name}"
        for migration in migrations
        if migration.app_label in ours
        for operation in migration.operations
        if isinstance(operation, RunPython)
    ]
    assert functions == []
