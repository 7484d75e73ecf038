"""While a migration waits for a lock, so does everybody who comes after it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
import pytest
from django.core.management import get_commands
from django.db import OperationalError, connection

from common.database import migration_locks
from common.database.migration_locks import with_short_locks
from tests.databases import GIVEN

pytestmark = [
    pytest.mark.dialect,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not GIVEN.startswith("postgres"), reason="SQLite locks no tables"),
]


@pytest.fixture(autouse=True)
def _table(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(migration_locks, "WAIT_S", 1)
    monkeypatch.setattr(migration_locks, "PAUSE_S", 0)
    execute("CREATE TABLE in_use (id int)")
    yield
    execute("DROP TABLE in_use")


def execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


@contextmanager
def holding_the_table() -> Iterator[Callable[[], None]]:
    """Read the table in a transaction that stays open; give what ends it."""
    given = connection.get_connection_params()
    names = given.keys() & {"dbname", "host", "port", "user", "password"}
    with psycopg.connect(**{name: given[name] for name in names}) as link:
        link.execute("SELECT * FROM in_use")
        yield link.rollback
        link.rollback()


def alter() -> None:
    execute("ALTER TABLE in_use ADD COLUMN later int")


def test_what_cannot_be_locked_at_once_is_tried_again() -> None:
    told: list[str] = []
    with holding_the_table() as release:

        def tell(line: str) -> None:
            told.append(line)
            release()

        with_short_locks(connection, alter, tell)
    assert "trying again" in told[0]
    with connection.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        assert cursor.fetchone() == ("0",), "the session is as before"


def test_a_table_that_stays_in_use_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migration_locks, "TRIES", 2)
    with holding_the_table(), pytest.raises(OperationalError, match="lock timeout"):
        with_short_locks(connection, alter, lambda _line: None)


def test_migrate_is_done_so() -> None:
    assert get_commands()["migrate"] == "common"
