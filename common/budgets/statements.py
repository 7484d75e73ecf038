"""Ends statements of SQLite when the request that reads is over: they work in our thread, whose time the budget counts.

PostgreSQL ends long ones itself (`common.database.connecting`).
"""

from typing import Any

from django.db import OperationalError
from django.db.backends.signals import connection_created

from common.budgets.budget import current
from common.errors import Invalid

_STEPS = 200_000
"""Of SQLite's virtual machine between two looks: some milliseconds."""


def watch() -> None:
    """Let each new connection look at the budget while it works."""
    connection_created.connect(_prepare, dispatch_uid="common.budgets.statements")


def _prepare(connection: Any, **_: Any) -> None:
    if connection.vendor == "sqlite":
        connection.connection.set_progress_handler(_is_over, _STEPS)


def _is_over() -> bool:
    budget = current()
    return budget.only_reads and budget.is_over


def refusal_of(error: Exception) -> Invalid | None:
    """Return why a statement was ended, where the budget was the reason."""
    budget = current()
    is_ended = isinstance(error, OperationalError) and budget.only_reads and budget.is_over
    return budget.out_of_time if is_ended else None
