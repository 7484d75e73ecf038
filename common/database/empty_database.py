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
from django.db.models import Model


def is_empty(connection: BaseDatabaseWrapper) -> bool:
    """Say whether a database has no table."""
    return not connection.introspection.table_names()


def create_tables(connection: BaseDatabaseWrapper) -> None:
    """Create the tables of all models in one transaction, and record all migrations as applied."""
    plan = _plan(connection)
    with connection.schema_editor() as editor:
        _create(plan, connection, editor)
        MigrationRecorder.Migration.objects.using(connection.alias).bulk_create(
            MigrationRecorder.Migration(app=migration.app_label, name=migration.name) for migration in plan
        )
    emit_post_migrate_signal(verbosity=0, interactive=False, db=connection.alias)


def table_statements(connection: BaseDatabaseWrapper) -> tuple[list[str], list[str]]:
    """Return what creates the tables, and what then gives them indexes and foreign keys; nothing is executed."""
    with connection.schema_editor(collect_sql=True, atomic=False) as editor:
        _create(_plan(connection), connection, editor)
        count = len(editor.collected_sql)  # leaving appends what was deferred until rows are there
    return editor.collected_sql[:count], editor.collected_sql[count:]


def _plan(connection: BaseDatabaseWrapper) -> list[Migration]:
    nodes = MigrationExecutor(connection).loader.graph.nodes
    return [nodes[key] for key in sorted(nodes)]


def _create(plan: list[Migration], connection: BaseDatabaseWrapper, editor: BaseDatabaseSchemaEditor) -> None:
    models: list[type[Model]] = [MigrationRecorder.Migration, *apps.get_models()]
    for model in models:
        if model._meta.can_migrate(connection):
            editor.create_model(model)
    for migration in plan:
        _run_sql(migration, editor)


def _run_sql(migration: Migration, editor: BaseDatabaseSchemaEditor) -> None:
    """Run what a migration does by SQL of its own; `RunPython`, of which there is none, would find no rows."""
    state = ProjectState()
    for operation in migration.operations:
        if isinstance(operation, RunSQL):
            operation.database_forwards(migration.app_label, editor, state, state)
