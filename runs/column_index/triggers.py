"""The database notes which runs change, whoever changes them, in the transaction that does.

Triggers and not our own code, since rows are written in many places and by SQL, too. They are created anew after each
migration: SQLite loses those of a table that a migration rewrites.
"""

from typing import Any

from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from runs.models import RunChange

_NOTE = """
    INSERT INTO runs_runchange (project_id, run_id, at)
    SELECT run.project_id, run.id, {now} FROM runs_run AS run WHERE {which}
    ON CONFLICT (project_id, run_id) DO UPDATE SET at = excluded.at;
"""
_NOTE_LEFT = """
    INSERT INTO runs_runchange (project_id, run_id, at) SELECT OLD.project_id, OLD.id, {now} WHERE {when}
    ON CONFLICT (project_id, run_id) DO UPDATE SET at = excluded.at;
"""
_SQLITE_NOW = """
    (SELECT COALESCE(MAX(before.at), 0) + 1 FROM runs_runchange AS before WHERE before.project_id = {project})
"""
_POSTGRESQL_NOW = "pg_current_xact_id()::text::bigint"

_SQLITE_FOUND = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
_POSTGRESQL_FOUND = "SELECT tgname, prosrc FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid"

_ITSELF = "run.id = NEW.id"
_ARCHIVES = "run.archive_of_id = NEW.id"
"""What a rewind set aside is listed once the run is deleted."""
_EVENTS = {
    "run_created": ("INSERT ON runs_run", _ITSELF, ""),
    "run_changed": ("UPDATE ON runs_run", _ITSELF, "OLD.project_id <> NEW.project_id"),
    "run_deleted": ("UPDATE OF deleted_at ON runs_run", _ARCHIVES, ""),
    "run_gone": ("DELETE ON runs_run", "", "true"),
    "pulse_created": ("INSERT ON runs_pulse", "run.id = NEW.run_id", ""),
    "pulse_changed": ("UPDATE OF summary_flat ON runs_pulse", "run.id = NEW.run_id", ""),
}
"""Trigger to event, which runs are noted, and when also that a run left its project."""


def _statements(which: str, left_when: str, now: str) -> str:
    noted = _NOTE.format(now=now.format(project="run.project_id"), which=which) if which else ""
    left = _NOTE_LEFT.format(now=now.format(project="OLD.project_id"), when=left_when) if left_when else ""
    return left + noted


def _sqlite(name: str, event: str, body: str) -> list[str]:
    return [
        f"DROP TRIGGER IF EXISTS runs_note_{name}",
        f"CREATE TRIGGER runs_note_{name} AFTER {event} BEGIN {body} END",
    ]


def _postgresql(name: str, event: str, body: str) -> list[str]:
    table, function, body = event.rpartition(" ")[2], f"runs_note_{name}()", f"BEGIN {body} RETURN NULL; END"
    return [
        f"CREATE OR REPLACE FUNCTION {function} RETURNS trigger LANGUAGE plpgsql AS $$ {body} $$",
        f"DROP TRIGGER IF EXISTS runs_note_{name} ON {table}",
        f"CREATE TRIGGER runs_note_{name} AFTER {event} FOR EACH ROW EXECUTE FUNCTION {function}",
    ]


def create_triggers(using: str = "default", **_: Any) -> None:
    """Create the triggers that are missing or of another release; connected to post_migrate.

    In one transaction, and none that is there: other processes may be serving, and a table is locked meanwhile.
    """
    connection: BaseDatabaseWrapper = connections[using]
    if RunChange._meta.db_table not in connection.introspection.table_names():
        return  # migrated back to a time before it
    written, now, found = {
        "sqlite": (_sqlite, _SQLITE_NOW, _SQLITE_FOUND),
        "postgresql": (_postgresql, _POSTGRESQL_NOW, _POSTGRESQL_FOUND),
    }[connection.vendor]
    with transaction.atomic(using=using), connection.cursor() as cursor:
        cursor.execute(found)
        there = dict(cursor.fetchall())
        for name, (event, which, left_when) in _EVENTS.items():
            statements = written(name, event, _statements(which, left_when, now))
            if (source := there.get(f"runs_note_{name}")) is None or source not in "".join(statements):
                for statement in statements:
                    cursor.execute(statement)
        if connection.vendor == "postgresql":
            # from a copy of another server, whose count was ahead of this one's
            cursor.execute(f"DELETE FROM runs_runchange WHERE at > {_POSTGRESQL_NOW}")  # noqa: S608 - no values
