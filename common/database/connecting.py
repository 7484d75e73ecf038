"""Connections to PostgreSQL: how long their statements may take, and why there is none."""

from typing import Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections


def limit_statements() -> None:
    """Let PostgreSQL end statements of this process that take longer than RUNYARD_DATABASE_TIMEOUT_S.

    Call it before the process connects. A pooler takes no settings of a session: there the role has them
    (docs/operate/run.md).
    """
    if settings.DATABASE_POOLER or not settings.DATABASE_TIMEOUT_S:
        return
    timeout = f"-c statement_timeout={settings.DATABASE_TIMEOUT_S * 1000}"
    for config in connections.settings.values():
        if config["ENGINE"].endswith("postgresql"):
            options = config["OPTIONS"]
            options["options"] = f"{options.get('options', '')} {timeout}".strip()


CANCELED = "57014"
"""What PostgreSQL says of a statement that it ended for its length."""


def unreachable_because(alias: str) -> Exception | None:
    """Connect beside the pool, which tells no more than that it has waited; return the error, None without one."""
    connection: Any = connections[alias]
    try:
        connection.Database.connect(**connection.get_connection_params()).close()
    except connection.Database.Error as error:
        found: Exception = error
        return found
    return None


def why_refused(
    error: Exception, *, alias: str = DEFAULT_DB_ALIAS, setting: str = "RUNYARD_DATABASE_URL"
) -> tuple[str, str]:
    """Say why a database does not let this process in, and how to mend it.

    Args:
        error: The one of the pool, which tells no more than that it has waited.
        alias: The database, of settings.DATABASES.
        setting: Which has its address.
    """
    connection: Any = connections[alias]
    reason = str(error)
    if connection.vendor == "postgresql":
        reason = str(unreachable_because(alias) or error)
    if "startup parameter" in reason:
        return reason.strip(), "It is a pooler: set RUNYARD_DATABASE_POOLER=true (docs/operate/run.md)."
    return reason.strip(), f"Start it, or mend {setting}."
