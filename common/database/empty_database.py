"""Today's tables in an empty database, at once.

Django builds the models of every moment between the first migration and the last: 12 s, for tables that are made in
one. The migrations that made them are recorded, so that later ones find what they expect; a test compares the two ways.
"""

from django.apps import apps
from django.core.management.sql import emit_post_migrate_signal
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import Migration, RunSQL
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from django.db.migrations.state import ProjectState


def is_empty(connection: BaseDatabaseWrapper) -> bool:
    """Say whether a database has no table."""
    return not connection.introspection.table_names()


def create_tables(connection: BaseDatabaseWrapper) -> None:
    """Create the tables of all models in one transaction, and record all migrations as applied."""
    loader = MigrationExecutor(connection).loader
    plan = [loader.graph.nodes[key] for key in sorted(loader.graph.nodes)]
    with connection.schema_editor() as editor:
        for model in apps.get_models():
            if model._meta.can_migrate(connection):
                editor.create_model(model)
        for migration in plan:
            _run_sql(migration, editor)
        _record(connection, editor, plan)
    emit_post_migrate_signal(verbosity=0, interactive=False, db=connection.alias)


def _run_sql(migration: Migration, editor: BaseDatabaseSchemaEditor) -> None:
    """Run what a migration does by SQL of its own; `RunPython`, of which there is none, would find no rows."""
    state = ProjectState()
    for operation in migration.operations:
        if isinstance(operation, RunSQL):
            operation.database_forwards(migration.app_label, editor, state, state)


def _record(connection: BaseDatabaseWrapper, editor: BaseDatabaseSchemaEditor, plan: list[Migration]) -> None:
    rows = MigrationRecorder.Migration
    editor.create_model(rows)
    rows.objects.using(connection.alias).bulk_create(
        rows(app=migration.app_label, name=migration.name) for migration in plan
    )
