"""What goes wrong, as the SDK reads it: always ``{"errors": [{"message": …}]}``, with a fitting HTTP status.

The SDK shows ``errors[0].message`` verbatim; up to 0.18 it has words of its own for 403 and 404. It does not retry 400,
401, 403, 404, 410, 413 and 422, retries 429 and 5xx. UpsertBucket also retries 409, and SDKs up to 0.18 retry 410 for
two minutes, so neither is used for refusals that last, but where an SDK looks for one (`NameTaken`).
"""

import logging
import re
from typing import Any

from django.db import DataError, InterfaceError, OperationalError
from graphql import GraphQLError

from common.database.sql import is_lasting, what_failed
from common.errors import Conflict, DomainError, Unavailable
from common.telemetry.definitions import database_failed
from ingest.services import NowhereToLog

logger = logging.getLogger(__name__)

_QUOTED = re.compile(r"'([^']*)'")


class NameTaken(Conflict):
    """There is one of this name. Answered 409, by which `create_automation(fetch_existing=True)` knows it."""


def status_of(error: DomainError) -> int:
    """Return the HTTP status the SDK should see; of an unknown entity the one by which `wandb.init()` says which."""
    is_plain = error.status in {409, 410} and not isinstance(error, NameTaken)
    return 400 if is_plain or isinstance(error, NowhereToLog) else error.status


def body_of(message: str, code: str = "") -> dict[str, Any]:
    """Return the body of a whole request's refusal."""
    return {"errors": [{"message": message, **({"extensions": {"code": code}} if code else {})}]}


def requoted(message: str) -> str:
    """Write names as ``"x"``: graphql-core writes ``'x'``, and some fallbacks of the SDK match on the former."""
    return _QUOTED.sub(r'"\1"', message)


def answer_to(errors: list[GraphQLError], *, is_query: bool) -> tuple[int, list[dict[str, Any]]]:
    """Return (HTTP status, errors of the body); a programming error is logged and answered without details.

    An unknown entity in a query is a 200: of any other, `wandb.Api()` up to 0.22 says "400 Client Error" alone.
    """
    status = 200
    entries: list[dict[str, Any]] = []
    for error in errors:
        cause = error.original_error
        entry: dict[str, Any] = {"message": error.message, "path": error.path}
        if isinstance(cause, DomainError):
            is_shown = is_query and isinstance(cause, NowhereToLog)
            status = max(status, 200 if is_shown else status_of(cause))
            entry["extensions"] = {"code": cause.code}
            if isinstance(cause, NowhereToLog):
                entry["message"] += " Set WANDB_ENTITY to one."
        elif isinstance(cause, DataError | OperationalError) and is_lasting(cause):
            logger.error("GraphQL field %s: the database refused: %s", error.path, cause)
            status = max(status, 400)
            entry["message"] = "The database cannot store this request; sending it again does not help."
        elif isinstance(
            cause, OperationalError | InterfaceError
        ):  # locked, full, or away: SDKs send it again
            logger.error("GraphQL field %s: the database failed: %s", error.path, cause)
            database_failed("graphql", cause)
            status = max(status, Unavailable.status)
            entry |= {"message": what_failed(cause), "extensions": {"code": Unavailable.code}}
        elif cause is not None and not isinstance(cause, GraphQLError):
            logger.error("GraphQL field %s failed", error.path, exc_info=cause)
            database_failed("graphql", cause)
            status = max(status, 500)
            entry["message"] = "The server failed on this request; its log says why."
        else:
            status = max(status, 400)
        entries.append(entry)
    return status, entries
