"""``manage.py prepare``: what the first start of a release does before it serves (docs/operate/run.md)."""

import hashlib
import time
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.core.management.sql import emit_post_migrate_signal
from django.db import DatabaseError, connection, transaction
from django.db.migrations.exceptions import InconsistentMigrationHistory, MigrationSchemaMissing
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from common.database.empty_database import create_tables, is_empty
from common.database.moving.progress import Progress
from common.database.schema_check import first_difference, unknown_migrations
from common.server.start_checks import make_private

STATIC_STAMP = "collected-from"
BUCKET_WAIT_S = 120
BUCKET_PAUSE_S = 2


class Command(BaseCommand):
    help = "Bring the database and the static files up to date, and see that somebody can sign in."

    def add_arguments(self, parser: Any) -> None:
        """Declare the arguments."""
        parser.add_argument(
            "--create-bucket",
            action="store_true",
            help="Create the bucket of RUNYARD_STORAGE_URL where there is none.",
        )
        parser.add_argument("--static", action="store_true", help="Only collect the static files.")

    def handle(self, *args: Any, static: bool = False, create_bucket: bool = False, **options: Any) -> None:
        """Prepare what `serve` then serves.

        Raises:
            CommandError: something is wrong with the installation; the message says what.
        """
        make_private(Path(settings.DATA_FOLDER))
        if static:
            self.collect_static()
            return
        self.migrate()
        self.collect_static()
        self.try_bucket(create=create_bucket)
        self.prepare_clickhouse()
        call_command("create_first_operator", stdout=self.stdout, stderr=self.stderr)
        self.stdout.flush()
        connection.close()

    def migrate(self) -> None:
        """Apply what is missing; a database that is refused stays as it is, for the version that made it.

        Raises:
            CommandError: the database does not answer, or was written by a newer Runyard, or by one so old that its
                tables are others.
        """
        name = f"the {connection.vendor} database ({settings.DATABASES['default']['NAME']})"
        try:
            if is_empty(connection):
                self.stdout.write("Creating the tables ...")
                create_tables(connection)
                return
            finish_move(name)
            executor = MigrationExecutor(connection)
            refuse_newer(executor.loader, name)
            executor.loader.check_consistent_history(connection)
            plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
            refuse_other_tables(executor.loader, name, is_complete=not plan)
            if plan:
                self.stdout.write(f"Applying {len(plan)} migrations ...")
                call_command("migrate", interactive=False, verbosity=0)
        except InconsistentMigrationHistory as error:
            raise earlier(name, str(error).partition(" on database")[0]) from error
        except (DatabaseError, MigrationSchemaMissing) as error:
            raise CommandError(f"Cannot migrate {name}: {error}") from error

    def collect_static(self) -> None:
        """Collect into the data folder when a source changed since the last time."""
        stamp = Path(settings.STATIC_ROOT) / STATIC_STAMP
        state = static_state()
        if stamp.exists() and stamp.read_text() == state:
            return
        call_command("collectstatic", interactive=False, verbosity=0, clear=True)
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(state)

    def prepare_clickhouse(self) -> None:
        """Create the tables in ClickHouse; until that can be done, rows stay where they are."""
        if not settings.CLICKHOUSE_URL:
            return
        try:
            call_command("prepare_clickhouse", stdout=self.stdout)
        except CommandError as error:
            self.stderr.write(f"{error} Metrics are not packed until it can; runs are logged without it.")

    def try_bucket(self, *, create: bool) -> None:
        """Say what is wrong with the bucket of the settings; runs are logged without it, and it may come back.

        Raises:
            CommandError: it is to be created, and cannot be for BUCKET_WAIT_S: its server may be starting, too.
        """
        deadline = time.monotonic() + BUCKET_WAIT_S
        while settings.STORAGE_URL and (error := self.bucket_error(create=create)):
            if not create:
                self.stderr.write(f"{error} Files are refused until it can; SDKs send them again.")
                return
            if time.monotonic() > deadline:
                raise CommandError(error)
            time.sleep(BUCKET_PAUSE_S)

    def bucket_error(self, *, create: bool) -> str:
        """Try the bucket; return what is wrong with it."""
        try:
            call_command("check_storage", create=create, stdout=self.stdout, stderr=self.stderr)
        except CommandError as error:
            return str(error)
        return ""


def finish_move(name: str) -> None:
    """Make a database that `move_database` has filled an installation's.

    Raises:
        CommandError: it is not whole, or was not compared.
    """
    progress = Progress(connection)
    if not progress.exists():
        return
    if not progress.is_same:
        raise CommandError(
            f"Refusing to start: the move to {name} was cut off. Run move-database again on the SQLite database."
        )
    with transaction.atomic():
        emit_post_migrate_signal(verbosity=0, interactive=False, db=connection.alias)
        progress.drop()


def refuse_newer(loader: MigrationLoader, name: str) -> None:
    """Let pass a database whose migrations of our apps are all known.

    Raises:
        CommandError: one is not.
    """
    if newer := ", ".join(unknown_migrations(loader)):
        raise CommandError(
            f"Refusing to start: {name} was migrated by a newer Runyard, or by one from before 0.1.0 ({newer})."
        )


def refuse_other_tables(loader: MigrationLoader, name: str, *, is_complete: bool) -> None:
    """Let pass a database that is empty, or as the migrations that it has seen leave one today.

    Raises:
        CommandError: they were others when they were applied.
    """
    applied = [key for key in loader.applied_migrations if key in loader.graph.nodes]
    if not applied:
        return
    seen = apps if is_complete else loader.project_state(applied).apps
    if difference := first_difference(connection, seen):
        raise earlier(name, difference)


def earlier(name: str, difference: str) -> CommandError:
    """Return the refusal of a database from which no migration leads here, with what to do."""
    fresh = "a new data folder (RUNYARD_HOME)"
    if connection.vendor != "sqlite":
        fresh += " and an empty database (RUNYARD_DATABASE_URL)"
    return CommandError(
        f"Refusing to start: {name} was made by an earlier version of Runyard whose tables differ ({difference})."
        f" Start with {fresh}, or start the version that made it."
    )


def static_state() -> str:
    """Hash the names, sizes and times of all static sources (5 ms; collecting takes seconds)."""
    state = hashlib.sha256(repr(settings.STORAGES["staticfiles"]).encode())
    for finder in get_finders():
        for path, storage in finder.list([]):
            stat = Path(storage.path(path)).stat()
            state.update(
                f"{getattr(storage, 'prefix', '')}/{path} {stat.st_size} {stat.st_mtime_ns}\n".encode()
            )
    return state.hexdigest()
