"""What people write on runs, one or many: tags, notes, groups, names (RUN-7)."""

from collections.abc import Collection
from datetime import datetime

from access.actor import Actor
from runs.access import RunAction
from runs.bulk_actions.services import BulkAction, BulkActionResult, Change, change_runs
from runs.lifecycle.fields import RunFields, apply_fields
from runs.models import Run


def annotate_runs(*, actor: Actor, run_ids: Collection[int], fields: RunFields) -> BulkActionResult:
    """Set the same name, notes, group or job type on all of them."""
    names = tuple(
        name for name in ("display_name", "notes", "group", "job_type") if getattr(fields, name) is not None
    )

    def change(run: Run, now: datetime) -> bool:
        return bool(apply_fields(run, fields))

    columns = (*names, "masked_notes") if "notes" in names else names
    bulk_action = BulkAction(
        action=RunAction.UPDATE, change=change, fields=columns, recorded=RunAction.UPDATE
    )
    return change_runs(actor=actor, run_ids=run_ids, bulk_action=bulk_action)


def tag_runs(*, actor: Actor, run_ids: Collection[int], tags: list[str]) -> BulkActionResult:
    """Add tags; those a run has already stay where they are."""

    def change(run: Run, now: datetime) -> bool:
        return bool(apply_fields(run, RunFields(tags=[*run.tags, *tags])))

    return _retag(actor, run_ids, change)


def untag_runs(*, actor: Actor, run_ids: Collection[int], tags: list[str]) -> BulkActionResult:
    """Take tags away."""

    def change(run: Run, now: datetime) -> bool:
        return bool(apply_fields(run, RunFields(tags=[tag for tag in run.tags if tag not in tags])))

    return _retag(actor, run_ids, change)


def _retag(actor: Actor, run_ids: Collection[int], change: Change) -> BulkActionResult:
    bulk_action = BulkAction(
        action=RunAction.UPDATE, change=change, fields=("tags",), recorded=RunAction.UPDATE
    )
    return change_runs(actor=actor, run_ids=run_ids, bulk_action=bulk_action)
