"""Indexes of tables in use: on PostgreSQL others write while one is built, and one that was cut off is built again."""

import threading
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.db import connection, models
from django.db.migrations import CreateModel, DeleteModel
from django.db.migrations.state import ProjectState

from common.database.online_indexes import AddIndexOnline, RemoveIndexOnline
from tests.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)
INDEX = models.Index(fields=["text"], name="notes_by_text")
COLUMNS: list[tuple[str, models.Field[Any, Any]]] = [
    ("id", models.BigAutoField(primary_key=True)),
    ("text", models.TextField()),
]
BUILDS = "FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX CONCURRENTLY%' AND wait_event = 'virtualxid'"


def apply(operation: Any, before: ProjectState, *, backwards: bool = False) -> ProjectState:
    """Do it, or take it back; return the state after it."""
    after = before.clone()
    operation.state_forwards("notes", after)
    with connection.schema_editor(atomic=False) as editor:
        if backwards:
            operation.database_backwards("notes", editor, after, before)
        else:
            operation.database_forwards("notes", editor, before, after)
    return after


def has_index() -> bool:
    with connection.cursor() as cursor:
        return INDEX.name in connection.introspection.get_constraints(cursor, "notes_note")


@pytest.fixture
def table() -> Iterator[ProjectState]:
    before = ProjectState()
    state = apply(CreateModel("Note", COLUMNS), before)
    yield state
    apply(DeleteModel("Note"), state)


def test_an_index_comes_and_goes_both_ways(table: ProjectState) -> None:
    add, remove = AddIndexOnline("note", INDEX), RemoveIndexOnline("note", INDEX.name)
    with_index = apply(add, table)
    assert has_index()
    apply(remove, with_index)
    assert not has_index()
    apply(remove, with_index, backwards=True)
    assert has_index()
    apply(add, table, backwards=True)
    assert not has_index()


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time")
def test_others_write_while_it_is_built_and_it_can_be_begun_again(table: ProjectState) -> None:
    parameters: Any = connection.get_connection_params()
    given = {
        name: parameters[name]
        for name in ("dbname", "user", "password", "host", "port")
        if name in parameters
    }
    with psycopg.connect(**given) as writer, psycopg.connect(**given, autocommit=True) as other:
        writer.execute("INSERT INTO notes_note (text) VALUES ('not committed')")
        builder = threading.Thread(target=_build, args=(table,))
        builder.start()
        until(
            lambda: other.execute(f"SELECT count(*) {BUILDS}").fetchone() == (1,), "it to wait for who writes"
        )
        other.execute("SET lock_timeout = '5s'")
        other.execute("INSERT INTO notes_note (text) VALUES ('meanwhile')")
        other.execute(f"SELECT pg_cancel_backend(pid) {BUILDS}")
        builder.join()
        writer.commit()
    assert has_index()  # but it cannot be used
    apply(AddIndexOnline("note", INDEX), table)
    with connection.cursor() as cursor:
        cursor.execute("SELECT indisvalid FROM pg_index WHERE indexrelid = 'notes_by_text'::regclass")
        assert cursor.fetchall() == [(True,)]


def _build(table: ProjectState) -> None:
    """Build it, in a thread that is cut off."""
    with pytest.raises(Exception, match="canceling statement"):
        apply(AddIndexOnline("note", INDEX), table)
    connection.close()
