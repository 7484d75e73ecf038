"""``manage.py serve``: the whole installation by one command (docs/operate/run.md)."""

import errno
import fcntl
import hashlib
import http.client
import os
import shutil
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection
from django.db.migrations.exceptions import InconsistentMigrationHistory, MigrationSchemaMissing
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from common.database.schema_check import first_difference
from common.server import embedded_redis
from common.server.supervisor import Supervisor, raise_open_files, web_command, worker_command
from common.telemetry import VARIABLE
from common.telemetry.folder import shared_folder

STATIC_STAMP = "collected-from"
NOT_READY_AFTER_S = 60


class Command(BaseCommand):
    help = (
        "Migrate the database, then run web, worker, beat and (without RUNYARD_REDIS_URL) Redis until Ctrl-C."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Prepare, start, wait, stop.

        Raises:
            CommandError: something is wrong with the installation; the message says what.
        """
        with ExitStack() as stack:
            stack.enter_context(only_one(settings.DATA_FOLDER))
            require_free_port(settings.HOST, settings.PORT)
            given = settings.REDIS_URL_GIVEN
            folder = None if given else stack.enter_context(redis_folder())
            redis_url = embedded_redis.url_of(folder) if folder else given
            measured = str(stack.enter_context(shared_folder(settings.DATA_FOLDER)))
            environment = {
                **os.environ, "RUNYARD_REDIS_URL": redis_url, VARIABLE: measured, "PYTHONUNBUFFERED": "1"
            }  # fmt: skip
            supervisor = Supervisor(env=environment, out=sys.stdout)
            supervisor.listen()
            if advice := raise_open_files():
                supervisor.say(advice)
            stack.callback(supervisor.stop)
            if folder:
                start_redis(supervisor, folder)
            self.prepare()
            status = 0 if supervisor.stopping else self.supervise(supervisor, embedded=not given)
        if status:
            raise CommandError(
                "Runyard stopped because one of its processes keeps ending.", returncode=status
            )
        self.stdout.write("Runyard has stopped.")

    def prepare(self) -> None:
        """Bring the database and the static files up to date and see that somebody can sign in."""
        self.migrate()
        self.collect_static()
        self.try_bucket()
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

    def try_bucket(self) -> None:
        """Say what is wrong with the bucket of the settings; runs are logged without it, and it may come back."""
        if settings.STORAGE_URL:
            try:
                call_command("check_storage", stdout=self.stdout, stderr=self.stderr)
            except CommandError as error:
                self.stderr.write(f"{error} Files are refused until it can; SDKs send them again.")

    def supervise(self, supervisor: Supervisor, *, embedded: bool) -> int:
        """Start web and worker, tell when they serve, and wait."""
        supervisor.start("web", web_command(settings.HOST, settings.PORT))
        supervisor.start("worker", worker_command())
        begin, announced = time.monotonic(), False

        def announce() -> None:
            nonlocal announced
            if announced:
                return
            if answers(settings.HOST, settings.PORT):
                self.stdout.write(banner(embedded=embedded, seconds=time.monotonic() - begin))
                self.stdout.flush()  # a pipe would keep it until the next line
            elif time.monotonic() - begin < NOT_READY_AFTER_S:
                return
            else:
                supervisor.say(f"web has not answered for {NOT_READY_AFTER_S} s; see its lines above.")
            announced = True

        return supervisor.wait(announce)


def refuse_newer(loader: MigrationLoader, name: str) -> None:
    """Let pass a database whose migrations of our apps are all known.

    Raises:
        CommandError: one is not.
    """
    ours = loader.graph.nodes
    apps_of_ours = {app for app, _ in ours}
    unknown = sorted(key for key in loader.applied_migrations if key not in ours and key[0] in apps_of_ours)
    if unknown:
        newer = ", ".join(f"{app}.{migration}" for app, migration in unknown)
        raise CommandError(f"Refusing to start: {name} was migrated by a newer Runyard ({newer}).")


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


@contextmanager
def only_one(home: Path) -> Iterator[None]:
    """Hold the data folder; a second server on it would corrupt nothing but confuse everything."""
    home.mkdir(parents=True, exist_ok=True)
    with (home / "serve.lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise CommandError(
                f"Another Runyard (process {lock.read().strip() or 'unknown'}) already serves the data folder"
                f" {home}. Stop it, or give this one its own folder by RUNYARD_HOME."
            ) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


def require_free_port(host: str, port: int) -> None:
    """Let pass when the address can be bound.

    Raises:
        CommandError: it is taken, not ours to take, or no address of this machine.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise CommandError(
                f"Port {port} on {host} is taken by another program. Stop it, or choose another by RUNYARD_PORT."
            ) from None
        raise CommandError(f"Cannot listen on {host} port {port}: {error.strerror or error}.") from None


@contextmanager
def redis_folder() -> Iterator[Path]:
    """Make the folder of the embedded Redis and let other commands find its URL; both go at the end."""
    if settings.REDIS_URL_FILE.exists():  # only a killed server leaves it: we hold the lock
        embedded_redis.remove_left_over(settings.REDIS_URL_FILE.read_text().strip())
    try:
        folder = embedded_redis.make_folder()
    except embedded_redis.EmbeddedRedisError as error:
        raise CommandError(str(error)) from None
    try:
        settings.REDIS_URL_FILE.write_text(embedded_redis.url_of(folder))
        yield folder
    finally:
        settings.REDIS_URL_FILE.unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)


def start_redis(supervisor: Supervisor, folder: Path) -> None:
    """Start the embedded Redis and wait for it."""
    try:
        process = supervisor.start("redis", embedded_redis.command(folder), last=True)
        embedded_redis.wait_until_ready(folder, process)
    except embedded_redis.EmbeddedRedisError as error:
        raise CommandError(str(error)) from None


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


def answers(host: str, port: int) -> bool:
    """Whether the web process answers /healthz."""
    reachable = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - compared, not bound
    try:
        link = http.client.HTTPConnection(reachable, port, timeout=2)
        link.request("GET", "/healthz", headers={"Host": "localhost", "Connection": "close"})
        return link.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False


def banner(*, embedded: bool, seconds: float) -> str:
    """Say where to go, where the data is and how to stop."""
    place = settings.DATABASES["default"]
    database = (
        place["NAME"]
        if connection.vendor == "sqlite"
        else f"{place['NAME']} on {place['HOST'] or 'localhost'}"
    )
    redis = "embedded, holds nothing that must be kept" if embedded else "the one of RUNYARD_REDIS_URL"
    return (
        f"\n  Runyard is running (ready after {seconds:.1f} s)\n\n"
        f"      open      {settings.BASE_URL}\n"
        f"      data      {settings.DATA_FOLDER}\n"
        f"      database  {connection.vendor}: {database}\n"
        f"      redis     {redis}\n"
        f"      stop      Ctrl-C\n"
    )
