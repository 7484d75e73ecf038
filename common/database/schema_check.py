"""Whether the tables of a database are those of today's models, and its migrations known."""

from collections import defaultdict

from django.apps import apps
from django.apps.registry import Apps
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader

# One query for all: Django's own introspection asks several for each table, which takes half a second.
_COLUMNS = {
    "sqlite": """
        SELECT tables.name, columns.name, columns."notnull" AND columns.dflt_value IS NULL
        FROM sqlite_master AS tables, pragma_table_xinfo(tables.name) AS columns WHERE tables.type = 'table'
    """,
    "postgresql": """
        SELECT table_name, column_name, is_nullable = 'NO' AND column_default IS NULL AND is_identity = 'NO'
        FROM information_schema.columns WHERE table_schema = ANY (current_schemas(false))
    """,
}


def unknown_migrations(loader: MigrationLoader) -> list[str]:
    """Name what was applied of today's apps by a version that is not this one; left-overs of other apps do no harm."""
    known = loader.graph.nodes
    apps_of_today = {app for app, _ in known}
    found = sorted(key for key in loader.applied_migrations if key not in known and key[0] in apps_of_today)
    return [f"{app}.{migration}" for app, migration in found]


def first_difference(connection: BaseDatabaseWrapper, seen: Apps) -> str:
    """Say in what the tables of a database differ from models, "" where in nothing.

    Args:
        connection: The database.
        seen: The models as the migrations that it has seen leave them; of today's others it may have no table yet.
    """
    found, expected = _columns_of(connection), _tables_of(seen)
    for table, fields in expected.items():
        if table not in found:
            return f"there is no table {table}"
        if missing := [name for name in fields if name not in found[table]]:
            return f"{table} has no column {missing[0]}"
        if unfilled := [
            name for name, is_required in found[table].items() if is_required and name not in fields
        ]:
            return f"{table} requires a column {unfilled[0]}"
    early = [table for table in _tables_of(apps) if table in found and table not in expected]
    return f"there is a table {early[0]} already" if early else ""


def _tables_of(models: Apps) -> dict[str, list[str]]:
    """Return the columns that models write, by table."""
    metas = [model._meta for model in models.get_models(include_auto_created=True)]
    return {
        meta.db_table: [field.column for field in meta.local_concrete_fields if field.column]
        for meta in metas
        if meta.managed and not meta.proxy and not meta.swapped
    }


def _columns_of(connection: BaseDatabaseWrapper) -> dict[str, dict[str, bool]]:
    """Return the columns of each table, and whether a new row has to give each."""
    found: dict[str, dict[str, bool]] = defaultdict(dict)
    with connection.cursor() as cursor:
        cursor.execute(_COLUMNS[connection.vendor])
        for table, column, is_required in cursor.fetchall():
            found[table][column] = bool(is_required)
    return found
