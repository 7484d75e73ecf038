"""What to do after an upgrade that stopped half-way: go on once its cause is mended, or go back."""

from collections.abc import Iterable

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader

Key = tuple[str, str]
"""App and name of a migration."""


def explain(
    connection: BaseDatabaseWrapper, failed: Migration, error: Exception, before: Iterable[Key]
) -> str:
    """Say what failed, what the database is now, and both ways from there.

    Args:
        connection: To the database.
        failed: The migration.
        error: What it raised.
        before: The migrations that had been applied when the upgrade began.
    """
    loader = MigrationLoader(connection)
    new = [key for key in loader.applied_migrations if key not in set(before)]
    undone = (
        "What it did was undone."
        if failed.atomic
        else "It does not work in one transaction, so it may be half done; running it again completes it."
    )
    return (
        f"Migration {failed.app_label}.{failed.name} failed: {' '.join(str(error).split())}. {undone}"
        f" Once the cause is mended, run it again: it goes on from there. {_way_back(loader, new)}"
    )


def _way_back(loader: MigrationLoader, new: list[Key]) -> str:
    if not new:
        return "The version that ran before goes on with this database as it is."
    names = ", ".join(".".join(key) for key in sorted(new))
    said = f"Applied before it: {names}. To go back to the version that ran before,"
    if any(not operation.reversible for key in new for operation in loader.disk_migrations[key].operations):
        return f"{said} restore the backup of before the upgrade: these cannot be taken back."
    commands = [
        f"runyard migrate {app} {_last_of(loader, app, new)}" for app in sorted({app for app, _ in new})
    ]
    return f"{said} take these back by this one: {'; '.join(commands)}. Or restore the backup of before the upgrade."


def _last_of(loader: MigrationLoader, app: str, new: list[Key]) -> str:
    """Return the app's last migration of before."""
    [leaf] = loader.graph.leaf_nodes(app)
    names = [name for label, name in loader.graph.forwards_plan(leaf) if label == app]
    known = [name for name in names if (app, name) in loader.applied_migrations and (app, name) not in new]
    return known[-1] if known else "zero"
