"""What the triggers noted: which runs of a project changed since a mark.

SQLite has one writer at a time, so that its counts become visible in their order. Transactions of PostgreSQL do not:
there the next mark lies before the oldest that is under way, and some changes are seen twice.
"""

from dataclasses import dataclass

from django.db import connection

from common.database.replica.routing import reading_connection
from runs.models import RunChange


@dataclass(frozen=True, slots=True)
class Changes:
    """Which runs were created, changed or left the project, and the mark from which to look the next time."""

    run_ids: list[int]
    mark: int


def is_committed() -> bool:
    """Say whether what is read here is committed: within a transaction, changes may be taken back."""
    blocks = connection.atomic_blocks  # a test's own is told by the same attribute as in Django
    return not blocks or getattr(blocks[-1], "_from_testcase", False)


def mark_of(project_id: int) -> int:
    """Return the mark of what is visible now; what is read after this call has at least that."""
    if connection.vendor == "postgresql":
        with reading_connection().cursor() as cursor:  # no more than what is read along with it
            cursor.execute("SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1")
            return int(cursor.fetchone()[0])
    rows = RunChange.objects.filter(project_id=project_id).order_by("-at").values_list("at", flat=True)
    return rows.first() or 0


def changes_since(project_id: int, mark: int, most: int) -> Changes | None:
    """Return what changed after a mark; None for more than so many runs."""
    next_mark = mark_of(project_id) if connection.vendor == "postgresql" else mark
    rows = RunChange.objects.filter(project_id=project_id, at__gt=mark).values_list("run_id", "at")
    found = list(rows[: most + 1])
    if len(found) > most:
        return None
    if connection.vendor != "postgresql":
        next_mark = max((at for _run_id, at in found), default=mark)
    return Changes([run_id for run_id, _at in found], next_mark)
