"""`manage.py prepare` refuses a database whose tables no migration makes those of today, in one sentence."""

import io

import pytest
from django.apps import apps
from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from common.database.schema_check import first_difference
from common.management.commands.prepare import Command

pytestmark = [pytest.mark.django_db, pytest.mark.dialect]


def refusal() -> str:
    """Return why it does not start, having applied nothing."""
    before, out = MigrationRecorder(connection).applied_migrations(), io.StringIO()
    with pytest.raises(CommandError) as caught:
        Command(stdout=out).migrate()
    assert out.getvalue() == ""
    assert MigrationRecorder(connection).applied_migrations().keys() == before.keys()
    message = str(caught.value)
    assert message.startswith(f"Refusing to start: the {connection.vendor} database (")
    assert "Start with a new data folder (RUNYARD_HOME)" in message
    assert "\n" not in message
    return message


def alter(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def test_the_tables_of_todays_migrations_are_let_pass():
    out = io.StringIO()
    Command(stdout=out).migrate()
    assert out.getvalue() == ""


def test_one_query_reads_all_tables(django_assert_num_queries):
    with django_assert_num_queries(1):
        assert first_difference(connection, apps) == ""


def test_a_missing_column_is_named():
    alter("ALTER TABLE runs_run RENAME COLUMN notes TO remarks")
    assert "whose tables differ (runs_run has no column notes)." in refusal()


def test_a_missing_table_is_named():
    alter("ALTER TABLE exports_export RENAME TO exports_archive")
    assert "whose tables differ (there is no table exports_export)." in refusal()


def test_a_column_that_nobody_would_fill_is_named():
    state = MigrationLoader(connection).project_state()
    del state.models["runs", "run"].fields["notes"]
    assert first_difference(connection, state.apps) == "runs_run requires a column notes"


def test_a_missing_column_is_named_before_anything_is_applied():
    """As it would be then that the earlier version starts no more, either."""
    MigrationRecorder(connection).record_unapplied("exports", "0001_initial")
    alter("ALTER TABLE exports_export RENAME TO exports_archive")
    alter("ALTER TABLE runs_run RENAME COLUMN notes TO remarks")
    assert "whose tables differ (runs_run has no column notes)." in refusal()


def test_a_migration_that_was_applied_before_what_it_depends_on_is_named():
    MigrationRecorder(connection).record_unapplied("accounts", "0001_initial")
    assert "is applied before its dependency accounts.0001_initial)." in refusal()


def test_a_table_that_another_app_has_made_is_named():
    """An app that was split: its tables are there, its first migration is not known to be applied."""
    MigrationRecorder(connection).record_unapplied("exports", "0001_initial")
    assert "whose tables differ (there is a table exports_export already)." in refusal()
