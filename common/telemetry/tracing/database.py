"""Statements as spans: their text without values, which Django passes apart from it."""

from collections.abc import Callable
from typing import Any

from django.db import connections
from django.db.backends.signals import connection_created

from common.telemetry.tracing import spans

_MAX_TEXT = 2000


def _trace_statement(
    execute: Callable[..., Any], sql: str, params: Any, many: Any, context: dict[str, Any]
) -> Any:
    if not spans.are_recorded():
        return execute(sql, params, many, context)
    operation = sql.lstrip(" (").partition(" ")[0].upper()
    attributes = {
        "db.system.name": context["connection"].vendor,
        "db.operation.name": operation,
        "db.query.text": sql[:_MAX_TEXT],
    }
    with spans.span(operation, "client", attributes):
        return execute(sql, params, many, context)


def _wrap(connection: Any, **_: Any) -> None:
    if _trace_statement not in connection.execute_wrappers:
        connection.execute_wrappers.append(_trace_statement)


def listen() -> None:
    """Record the statements of all connections from now on."""
    connection_created.connect(_wrap)
    for connection in connections.all(initialized_only=True):
        _wrap(connection)
