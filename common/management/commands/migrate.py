"""``manage.py migrate``: Django's own, which here lets nobody who reads or writes wait for long."""

from typing import Any

from django.core.management.commands.migrate import Command as MigrateCommand
from django.db import connections

from common.database.migration_locks import with_short_locks


class Command(MigrateCommand):
    def handle(self, *args: Any, **options: Any) -> None:
        """Apply what is missing; what could not be locked at once is tried again."""
        with_short_locks(
            connections[options["database"]],
            lambda: super(Command, self).handle(*args, **options),
            self.stderr.write,
        )
