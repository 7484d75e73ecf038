"""``manage.py migrate``: Django's own, which here lets nobody who reads or writes wait for long."""

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands.migrate import Command as MigrateCommand
from django.db import connections
from django.db.migrations import Migration
from django.db.migrations.recorder import MigrationRecorder

from common.database.failed_migrations import explain
from common.database.migration_locks import with_short_locks


class Command(MigrateCommand):
    current: Migration | None = None
    """The one that is being applied."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Apply what is missing; what could not be locked at once is tried again.

        Raises:
            CommandError: a migration failed; says what the database is now, and how to go on and back.
        """
        connection = connections[options["database"]]
        before = [*MigrationRecorder(connection).applied_migrations()]
        try:
            with_short_locks(
                connection, lambda: super(Command, self).handle(*args, **options), self.stderr.write
            )
        except CommandError:
            raise
        except Exception as error:
            if self.current is None:
                raise
            raise CommandError(explain(connection, self.current, error, before)) from error

    def migration_progress_callback(
        self,
        action: str,
        migration: Migration | None = None,
        fake: bool = False,  # noqa: FBT001, FBT002 - as Django calls it
    ) -> None:
        """Remember which migration is being applied."""
        super().migration_progress_callback(action, migration, fake)
        if action.startswith("apply"):
            self.current = migration if action == "apply_start" else None
