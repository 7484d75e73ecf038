"""The audit log as CSV, JSON lines and JSON: everything that matches, written while it is read."""

from collections.abc import Callable, Iterator
from typing import Any

import orjson
from django.http import StreamingHttpResponse

from access.actor import Actor
from access.audit.log import record
from access.models import AuditEntry
from accounts.models import User
from common.errors import Invalid
from common.formats.csv_safety import csv_text
from common.web.streaming import in_thread
from teams.audit.log import AuditFilter, AuditLine, chunks, matching, require_log
from teams.models import Organization

COLUMNS = (
    "id", "at", "actor", "actor_kind", "api_key", "address", "action", "description", "object_type", "object_id",
    "object_name", "organization", "team", "before", "after",
)  # fmt: skip
_TYPES = {"csv": "text/csv; charset=utf-8", "ndjson": "application/x-ndjson"}


def entry_to_dict(line: AuditLine) -> dict[str, Any]:
    """Return an entry as programs read it."""
    entry = line.entry
    values = (
        entry.pk, entry.at.isoformat(), entry.actor_name, entry.actor_kind, line.key or None, entry.address,
        entry.action, line.words, entry.object_type, entry.object_id, entry.object_name, line.organization or None,
        line.team or None, entry.before, entry.after,
    )  # fmt: skip
    return dict(zip(COLUMNS, values, strict=True))


def _csv_value(value: Any) -> Any:
    if isinstance(value, dict):
        return orjson.dumps(value).decode() if value else ""
    return value


def _csv_lines(lines: list[AuditLine]) -> str:
    return csv_text([_csv_value(value) for value in entry_to_dict(line).values()] for line in lines)


def _json_lines(lines: list[AuditLine]) -> str:
    return "".join(
        orjson.dumps(entry_to_dict(line), option=orjson.OPT_APPEND_NEWLINE).decode() for line in lines
    )


_WRITERS: dict[str, Callable[[list[AuditLine]], str]] = {"csv": _csv_lines, "ndjson": _json_lines}


def _pieces(form: str, found: Iterator[list[AuditLine]]) -> Iterator[str]:
    if form == "csv":
        yield csv_text([COLUMNS])
    for lines in found:
        yield _WRITERS[form](lines)


def export(
    actor: Actor, given: AuditFilter, organization: Organization | None, form: str
) -> StreamingHttpResponse:
    """Stream what matches, and record the export; its own entry is not in it.

    Raises:
        Invalid: there is no such form.
        Forbidden: the organization's plan does not include the log.
    """
    require_log(actor, organization)
    if form not in _TYPES:
        raise Invalid(f"The form must be one of {', '.join(_TYPES)}.")
    rows = matching(actor, given, organization)
    newest = AuditEntry.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    _record_export(actor, given, organization, form)
    pieces = _pieces(form, chunks(actor, rows.filter(pk__lte=newest)))
    response = StreamingHttpResponse(in_thread(pieces), content_type=_TYPES[form])
    name = organization.name if organization else "all"
    response["Content-Disposition"] = f'attachment; filename="{name}-audit-log.{form}"'
    return response


def _record_export(actor: Actor, given: AuditFilter, organization: Organization | None, form: str) -> None:
    fields = ("person", "action", "kind", "team", "address", "text", "since", "until")
    criteria = {name: str(value) for name in fields if (value := getattr(given, name))}
    place = organization.pk if organization else None
    thing = organization or User.objects.get(pk=actor.lookup_id)
    record(actor, "audit.export", thing, organization_id=place, after={"form": form, **criteria})
