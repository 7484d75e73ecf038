"""Migrations beside processes that serve: none waits for a lock for long, since all others queue up behind it."""

import time
from collections.abc import Callable

from django.conf import settings
from django.db import OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper

WAIT_S = 3
"""So long a statement waits for a lock, and whoever wants to read or write the table waits with it."""
PAUSE_S = 5.0
TRIES = 60
_LOCK_NOT_AVAILABLE = "55P03"


def with_short_locks(
    connection: BaseDatabaseWrapper, act: Callable[[], object], tell: Callable[[str], object]
) -> None:
    """Do something that is safe to begin again; begin again where a lock could not be had at once.

    Through a pooler it waits for as long as it takes: there nothing may be set for a session.

    Args:
        connection: On which it is done.
        act: Does it, each part in a transaction of its own.
        tell: Takes a line for people.

    Raises:
        OperationalError: a lock could not be had in TRIES tries.
    """
    if connection.vendor != "postgresql" or settings.DATABASE_POOLER:
        act()
        return
    for left in reversed(range(TRIES)):
        try:
            _act_once(connection, act)
        except OperationalError as error:
            if not left or getattr(error.__cause__, "sqlstate", None) != _LOCK_NOT_AVAILABLE:
                raise
            tell(
                f"A table is in use ({str(error).strip()}); trying again in {PAUSE_S:.0f} s, {left} times at most."
            )
            time.sleep(PAUSE_S)
        else:
            return


def _act_once(connection: BaseDatabaseWrapper, act: Callable[[], object]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SET lock_timeout = '{WAIT_S}s'")
    try:
        act()
    finally:
        if connection.connection is not None and not connection.in_atomic_block:
            with connection.cursor() as cursor:
                cursor.execute("RESET lock_timeout")
