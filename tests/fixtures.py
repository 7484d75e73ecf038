"""Fixtures that any test may use.

`server`       a real installation with the production command lines, one for the session (`Installation`)
`new_server`   makes further ones: ``new_server(RUNYARD_CRASH_TIMEOUT_S="60")``
`bucket_servers`  ``bucket_servers("moto").new_bucket()`` is a bucket (`tests.fakes.buckets`)
`clickhouse`   lets the test's process keep packed metrics in two shards (`tests.fakes.clickhouse`)
`sdk`          ``sdk("0.31.0")`` is the Python that has this release of the SDK
`member_of`    makes a user with a role in a team, `api_key` a key for a user (`tests.factories`)
`run_script`   runs a script with such a Python: ``run_script(sdk("0.31.0"), code, server.client_env(key))``
"""

import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests import sdks
from tests.committed import NewInstallation
from tests.databases import Database, prepared_database
from tests.factories import api_key, member_of
from tests.installation import Installation
from tests.matrix import report
from tests.matrix.report import checked
from tests.plugin import HOME, SHARED, WORKER, redis_was_used
from tests.sdk import table

if TYPE_CHECKING:  # the providers' libraries are for those who ask for a bucket
    from tests.fakes.buckets import BucketServer
    from tests.fakes.clickhouse import Shards

__all__ = ["api_key", "checked", "member_of"]
RERUN_TOLD = 3_000
"""Characters of what a first try said that are printed: the end, with the error."""


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what the access matrix and the SDK's scenarios have counted, and why tests needed a second try."""
    for tried in terminalreporter.getreports("rerun"):
        terminalreporter.write_sep("_", f"second try of {tried.nodeid}, {tried.when}")
        terminalreporter.write_line(tried.longreprtext[-RERUN_TOLD:])
    report.pytest_terminal_summary(terminalreporter)
    table.print_table(terminalreporter)


@pytest.fixture(scope="session")
def django_db_setup(django_test_environment: None, django_db_blocker: Any) -> Iterator[Callable[[], None]]:
    """Give this process a copy of the prepared database, instead of what Django would migrate.

    On SQLite it is a *file*: a shared in-memory database knows neither WAL nor waiting for a lock.

    Returns:
        What removes all that was committed; it runs after each test whose transactions commit.
    """
    from django.db import connection
    from django.test import TransactionTestCase

    name, file = f"{SHARED.name}-{WORKER}", HOME / "test.sqlite3"
    database = Database(name, file)
    database.create(like=prepared_database())
    connection.close()
    connection.settings_dict["NAME"] = name if database.url else str(file)
    with django_db_blocker.unblock():
        new = NewInstallation.of(connection)

    def restore(*_: Any) -> None:
        new.restore(connection)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", restore)
        yield restore
    with django_db_blocker.unblock():
        connection.close()
        getattr(connection, "close_pool", lambda: None)()  # PostgreSQL alone has one
    database.drop()


@pytest.fixture(scope="session", autouse=True)
def _every_recorded_action_has_words() -> None:
    """Fail whatever records an action, or something of it, that the audit log could not say in words."""
    from django.db.models.signals import pre_save

    from access.audit.values import field_of
    from access.audit.words import words_of
    from access.models import AuditEntry

    def check(instance: AuditEntry, **_: Any) -> None:
        name = str(instance.action)
        if "." in name and words_of(name) == name and not name.startswith("test."):
            raise LookupError(f"access.audit.words has no words for the action {name!r}")
        if not name.startswith("test."):
            for told in {**instance.before, **instance.after}:
                if field_of(instance, told) is None:
                    raise LookupError(f"access.audit.values does not know {told!r} of the action {name!r}")

    pre_save.connect(check, sender=AuditEntry, weak=False)


@pytest.fixture(autouse=True)
def _nothing_in_the_cache() -> None:
    """Limits are counted there (ACC-23): what one test does too often is no matter of the next."""
    from django.core.cache import cache

    if redis_was_used.is_set():
        cache.clear()


@pytest.fixture(autouse=True)
def _no_key_sets_in_memory() -> None:
    """A process remembers key sets by ids, which the next test's database gives to others."""
    from metrics.store import keysets

    keysets.clear_cache()


@pytest.fixture(autouse=True)
def _no_buckets_in_memory() -> None:
    """A process remembers the buckets of teams by ids, likewise."""
    from storage.buckets import services

    services.forget()


@pytest.fixture(autouse=True)
def _no_columns_in_memory() -> None:
    """A process keeps columns of projects by ids, likewise."""
    from runs.column_index import kept

    kept.clear()


@contextmanager
def installed(**variables: Any) -> Iterator[Installation]:
    """Run an installation of its own, with the given variables."""
    with (
        tempfile.TemporaryDirectory(prefix="runyard-server-") as folder,
        Installation(Path(folder), **variables) as installation,
    ):
        yield installation


@pytest.fixture(scope="session")
def server() -> Iterator[Installation]:
    """Run one installation for the session. A test that kills a process starts it again, or uses `new_server`."""
    with installed() as installation:
        yield installation


@pytest.fixture
def new_server() -> Iterator[Callable[..., Installation]]:
    """Give a function that starts an installation with the given variables; all end with the test."""
    with ExitStack() as stack:
        yield lambda **variables: stack.enter_context(installed(**variables))


@pytest.fixture(scope="session")
def bucket_servers() -> "Iterator[Callable[[str], BucketServer]]":
    """Return what starts a server of buckets by its kind, once for the session."""
    from tests.fakes.buckets import BucketServer, bucket_server

    running: dict[str, BucketServer] = {}
    with ExitStack() as stack:

        def get(kind: str) -> BucketServer:
            if kind not in running:
                running[kind] = stack.enter_context(bucket_server(kind))
            running[kind].faults.mend()
            return running[kind]

        yield get


@pytest.fixture(scope="session")
def clickhouse_shards() -> "Iterator[Shards]":
    """Return a cluster of two ClickHouse servers, for the session."""
    from tests.fakes.clickhouse import shards

    with shards() as cluster:
        yield cluster


@pytest.fixture
def clickhouse(clickhouse_shards: "Shards", settings: Any) -> "Iterator[Shards]":
    """Let the test's own process keep packed metrics in a database of ClickHouse that is empty."""
    from metrics.store.clickhouse import servers, tables
    from tests.fakes.clickhouse import CLUSTER

    clickhouse_shards.start()
    database = f"tests_{uuid.uuid4().hex}"
    settings.CLICKHOUSE_URL, settings.CLICKHOUSE_CLUSTER = clickhouse_shards.url(database), CLUSTER
    tables.create(servers.cluster_servers())
    yield clickhouse_shards
    for server in clickhouse_shards.servers:
        server.ask(f"DROP DATABASE {database}")


@pytest.fixture(scope="session")
def sdk() -> Callable[[str], Path]:
    """Give the function that finds, or makes, the Python of one release of the SDK."""
    return sdks.python_of


@pytest.fixture
def run_script(tmp_path: Path) -> Callable[..., "sdks.Ran"]:
    """Give the function that runs a script in the test's own folder; keywords as in `sdks.run_script`."""

    def run(python: Path, code: str, env: dict[str, str], **options: Any) -> sdks.Ran:
        return sdks.run_script(python, code, env=env, cwd=tmp_path, **options)

    return run
