"""Actions on many runs at once: what may be changed is, and each run left alone is named with the reason.

A chunk of runs is one transaction with a fixed number of statements, whatever its size.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actions import spec_of
from access.actor import Actor
from access.audit.log import record_many
from access.engine import visible
from common import live
from common.database.commits import after_commit
from common.errors import DomainError, Forbidden
from runs.access import RunAction
from runs.lifecycle.participants import relisted
from runs.models import Run

CHUNK = 500
"""Runs in one transaction: SQLite has one writer, and a group commit must not wait long for it."""

Change = Callable[[Run, datetime], bool]
"""Sets columns of a locked run whose project and team are loaded, at a time; says whether that changed anything.

It raises a DomainError to leave the run as it is.
"""
_MOST_UPDATES = 10
"""Up to so many different outcomes in a chunk are written by a statement each."""


@dataclass(slots=True)
class BulkActionResult:
    """What came of a bulk action."""

    done: list[str] = field(default_factory=list)
    """Ids (``uid``) of the runs that are now as requested."""
    refused: dict[str, str] = field(default_factory=dict)
    """Id of a run that was left alone, and why."""
    kept: list[str] = field(default_factory=list)
    """What was to go with the runs that were deleted and was kept, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkAction:
    """One kind of change."""

    action: str
    """What the actor needs on each run."""
    change: Change
    fields: tuple[str, ...]
    """Columns that ``change`` sets."""
    recorded: str = ""
    """Under which name the audit log has it; "" for what needs no entry."""
    state: str = ""
    """What open lists get instead of the run's state."""


_LISTING = frozenset({"deleted_at", "project"})
"""Columns that decide in which lists a run is."""


def change_runs(*, actor: Actor, run_ids: Collection[int], bulk_action: BulkAction) -> BulkActionResult:
    """Change runs the actor may see; each on which that is not possible stays as it is."""
    result = BulkActionResult()
    pks = sorted(run_ids)
    for start in range(0, len(pks), CHUNK):
        _change_chunk(actor, pks[start : start + CHUNK], bulk_action, result)
    return result


@transaction.atomic
def _change_chunk(actor: Actor, pks: list[int], bulk_action: BulkAction, result: BulkActionResult) -> None:
    rows = Run.objects.filter(pk__in=pks)
    seen = set(visible(actor, RunAction.VIEW, rows).values_list("pk", flat=True))
    allowed = set(visible(actor, bulk_action.action, rows).values_list("pk", flat=True))
    changed: list[Run] = []
    now = timezone.now()
    locked = Run.objects.locked().select_related("project__team").defer("config_text", "config_flat")
    for run in locked.filter(pk__in=seen):
        try:
            if run.pk not in allowed:
                raise Forbidden(
                    _("You don’t have the permission “%(what)s” for it.")
                    % {"what": spec_of(bulk_action.action).label},
                    action=bulk_action.action,
                )
            if bulk_action.change(run, now):
                run.updated_at = now
                changed.append(run)
            result.done.append(run.uid)
        except DomainError as error:
            result.refused[run.uid] = error.message
    _save(changed, [*bulk_action.fields, "updated_at"])
    if changed and not _LISTING.isdisjoint(bulk_action.fields):
        relisted([run.pk for run in changed])
    if bulk_action.recorded:
        record_many(actor, bulk_action.recorded, [(run, run.project.team) for run in changed])
    after_commit(live.send_each, _notices(changed, bulk_action.state))


def _save(runs: list[Run], fields: Sequence[str]) -> None:
    """Write columns: most acts leave all runs alike, and writing those apart costs ten times as much."""
    alike: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        alike[repr([getattr(run, field) for field in fields])].append(run)
    if len(alike) > _MOST_UPDATES:
        Run.objects.bulk_update(runs, fields, batch_size=100)
        return
    for group in alike.values():
        values = {field: getattr(group[0], field) for field in fields}
        Run.objects.filter(pk__in=[run.pk for run in group]).update(**values)


def _notices(runs: list[Run], state: str) -> list[tuple[str, dict[str, Any]]]:
    """One message for a project, which names the run when there is just one: lists read themselves again anyway."""
    last = {run.project_id: run for run in runs}
    return [
        (live.project_group(pk), {"type": "run", "uid": run.uid, "state": state or run.state})
        for pk, run in last.items()
    ]
