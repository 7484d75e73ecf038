"""Statements written by hand, where the ORM costs more than the database; and what its errors mean."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection

from common.database.connecting import CANCELED
from common.database.replica.routing import reading_connection
from common.errors import UNANSWERED


def execute_many(statement: str, rows: Sequence[tuple[Any, ...]]) -> int:
    """Execute a statement for each row of parameters, nothing without rows; return how many rows it changed."""
    if not rows:
        return 0
    with connection.cursor() as cursor:
        cursor.executemany(statement, rows)
        return int(cursor.rowcount)


def execute_in(statement: str, values: Sequence[Any], rest: str = "") -> list[tuple[Any, ...]]:
    """Return the rows of a statement whose IN lacks its list, with ``rest`` after it; none for an empty list."""
    if not values:
        return []
    with reading_connection().cursor() as cursor:
        cursor.execute(f"{statement} ({', '.join(['%s'] * len(values))}) {rest}", values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


def is_lasting(error: Exception) -> bool:
    """Say whether what failed would fail again: no where the database is away, locked or full, or memory is short."""
    if not isinstance(error, OperationalError | InterfaceError):
        return not isinstance(error, MemoryError)
    cause = error.__cause__
    state = getattr(cause, "sqlstate", None) or ""  # 22: data exception, 54: program limit exceeded
    return state[:2] in {"22", "54"} or getattr(cause, "sqlite_errorname", "") == "SQLITE_TOOBIG"


def what_failed(error: Exception) -> str:
    """Say of an error that does not last what somebody who waits should know."""
    if getattr(error.__cause__, "sqlstate", None) != CANCELED:
        return UNANSWERED
    limit = f"{settings.DATABASE_TIMEOUT_S} s for this (RUNYARD_DATABASE_TIMEOUT_S)"
    if settings.DATABASE_POOLER:  # then the limit is the role's
        limit = "its statement_timeout for this"
    return f"The database needed more than {limit}; try again, or ask for less at once."
