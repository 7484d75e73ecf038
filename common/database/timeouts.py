"""How long statements may take where somebody waits for them."""

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections


def limit_statements() -> None:
    """Let PostgreSQL end statements of this process that take longer than RUNYARD_DATABASE_TIMEOUT_S.

    Call it before the process connects. A pooler takes no settings of a session: there the role has them
    (docs/operate/run.md).
    """
    config = connections.settings[DEFAULT_DB_ALIAS]
    if (
        config["ENGINE"].endswith("postgresql")
        and not settings.DATABASE_POOLER
        and settings.DATABASE_TIMEOUT_S
    ):
        options = config["OPTIONS"]
        timeout = f"-c statement_timeout={settings.DATABASE_TIMEOUT_S * 1000}"
        options["options"] = f"{options.get('options', '')} {timeout}".strip()
