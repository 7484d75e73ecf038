"""Whether the replica shows all that the primary has committed: asked for each request, so that no page is stale.

What somebody was just told is stored, and a right that was just taken away, are seen in the next request. So a request
reads from the replica only once this has replayed what the primary had written when the request began. Where that takes
longer than a moment, or the replica is away, it reads from the primary.
"""

import logging
import time
from enum import StrEnum
from typing import Any

from django.db import (
    DEFAULT_DB_ALIAS,
    InterfaceError,
    InternalError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    connections,
)

from common.database.connecting import unreachable_because

logger = logging.getLogger(__name__)

PRIMARY, REPLICA = DEFAULT_DB_ALIAS, "replica"
"""Names of the two in settings.DATABASES."""

WAITS_S = (0.001, 0.002, 0.004, 0.008, 0.015)
"""How long a request waits for the replica, before it looks again each time."""
BEHIND_FOR_S = 1.0
"""How long requests wait no more for a replica that was behind after that."""
REST_S = 5.0
"""How long nothing is asked of a replica that did not answer, or is none."""
BUSY_REST_S = 0.5
"""How long nothing is asked of one whose connections are all in use."""

_POSITION = """
SELECT system_identifier::text, substr(pg_walfile_name(pg_current_wal_flush_lsn()), 1, 8),
    pg_current_wal_flush_lsn()::text
FROM pg_control_system() WHERE NOT pg_is_in_recovery()
"""
"""Which cluster it is, its timeline, and the end of what it has committed."""
_REPLAYED = """
SELECT pg_is_in_recovery() AND system_identifier::text = %s AND lpad(upper(to_hex(timeline_id)), 8, '0') = %s,
    pg_last_wal_replay_lsn() >= %s::pg_lsn
FROM pg_control_system(), pg_control_checkpoint()
"""
"""Whether it is a standby with the primary's history (not one that a failover left behind), and has all of it."""


class Freshness(StrEnum):
    """How the replica is for a request; what `REPLICA_REQUESTS` counts."""

    FRESH = "replica"
    """It has all that the primary had: the request reads from it."""
    BEHIND = "behind"
    UNAVAILABLE = "unavailable"
    """It does not answer, or all connections to it are in use."""
    FOREIGN = "foreign"
    """It is no standby of this primary."""


class _Process:
    """What this process found last."""

    trouble = ""
    """Why the replica is not used."""
    rests_until = 0.0
    waits_again_at = 0.0


def trouble() -> str:
    """Return why this process does not read from the replica; "" while it does."""
    return _Process.trouble


def look() -> Freshness:
    """Say whether what is read from the replica from now on is at least as new as what the primary shows now.

    Raises:
        OperationalError: the primary does not answer.
    """
    found = _look()
    if found is not Freshness.FRESH:
        connections[REPLICA].close()  # for others, who do read from it
    return found


def _look() -> Freshness:
    now = time.monotonic()
    if now < _Process.rests_until:
        return Freshness.UNAVAILABLE
    if _Process.trouble:  # one request tries; the others do not wait with it
        _Process.rests_until = now + REST_S
    try:
        position = _position()
        found = _compared(position) if position else Freshness.FOREIGN
    except InternalError:  # its control file was being written (PostgreSQL before 16)
        return Freshness.UNAVAILABLE
    except (NotSupportedError, ProgrammingError) as error:  # a service that shares its disk instead of a log
        _rest(str(error).strip())
        return Freshness.UNAVAILABLE
    if found is Freshness.FOREIGN:
        _rest("it is no standby of the primary, or has not followed it through the last failover yet")
    elif found is not Freshness.UNAVAILABLE and _Process.trouble:
        logger.info("pages are read from the replica again")
        _Process.trouble, _Process.rests_until = "", 0.0
    return found


def _rest_after(error: Exception) -> None:
    """Leave the replica alone: for a moment where it lives, and all connections to it are in use."""
    from psycopg_pool import PoolTimeout  # SQLite does without the driver

    if isinstance(error.__cause__, PoolTimeout):
        reason = unreachable_because(REPLICA)
        if not reason:
            _Process.rests_until = time.monotonic() + BUSY_REST_S
            return
        error = reason
    _rest(str(error).strip())


def _rest(trouble: str) -> None:
    """Leave the replica alone for a while; say why the first time."""
    if not _Process.trouble:
        logger.warning("pages are read from the primary, not from the replica: %s", trouble)
    _Process.trouble, _Process.rests_until = trouble, time.monotonic() + REST_S


def _position() -> tuple[str, str, str] | None:
    """Return where the primary is; None while it is one no more. A connection that was taken for it is given back."""
    was_connected = connections[PRIMARY].connection is not None
    try:
        found: tuple[str, str, str] | None = _row(PRIMARY, _POSITION)
    finally:
        if not was_connected:
            connections[PRIMARY].close()
    return found


def _compared(position: tuple[str, str, str]) -> Freshness:
    """Look, and wait for a moment, until the replica has replayed all up to a position."""
    try:
        for wait_s in (0.0, *WAITS_S):
            if wait_s:
                time.sleep(wait_s)
            is_standby, has_all = _row(REPLICA, _REPLAYED, position)
            if not is_standby:
                return Freshness.FOREIGN
            if has_all:
                return Freshness.FRESH
            if time.monotonic() < _Process.waits_again_at:
                return Freshness.BEHIND
    except (OperationalError, InterfaceError) as error:
        _rest_after(error)
        return Freshness.UNAVAILABLE
    _Process.waits_again_at = time.monotonic() + BEHIND_FOR_S
    return Freshness.BEHIND


def _row(alias: str, statement: str, parameters: tuple[str, ...] = ()) -> Any:
    with connections[alias].cursor() as cursor:
        cursor.execute(statement, parameters)
        return cursor.fetchone()
