"""Taking history over: forks and rewinds (RUN-6)."""

import itertools
from typing import Any

from django.db import transaction
from django.utils import timezone

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from common.errors import Invalid, NotFound
from metrics.ingest.points import PointWriter
from metrics.ingest.post import PostedRows
from metrics.models import Sequence, Stream, StreamKind, Tail
from metrics.store import reads
from metrics.store.codec import MAX_ROWS
from runs.access import RunAction
from runs.lifecycle import participants
from runs.lifecycle.services import set_summary
from runs.lifecycle.storage_ledger import HISTORY, LOG, settle_run
from runs.models import BadLine, LogBlock, Pulse, Run, StateChange


def _copy_history(source: Run, target: Run, step: int) -> None:
    """Append the source's rows up to and with ``step`` to the target's empty history, and its summary as of then."""
    writer = PointWriter([target.pk], timezone.now())
    summary: dict[str, Any] = {}
    rows: list[dict[str, Any]] = []
    offset = 0
    for _, row in reads.scan(source.pk, StreamKind.HISTORY, x_to=float(step)):
        rows.append(row)
        summary.update(row)
        if len(rows) == MAX_ROWS:
            writer.write(target.pk, StreamKind.HISTORY, "", PostedRows.of(offset, rows))
            offset, rows = offset + len(rows), []
    if rows:
        writer.write(target.pk, StreamKind.HISTORY, "", PostedRows.of(offset, rows))
    after = writer.flush()
    transaction.on_commit(after)
    set_summary(target, reads.json_line(summary))


@transaction.atomic
def fork_run(*, actor: Actor, run: Run, parent_uid: str, step: int) -> Run:
    """Begin a new run's history with its parent's up to a step; the client then goes on after it.

    Raises:
        NotFound: the parent is not in the project, or the actor may not see it.
        Invalid: the run has a history of its own, or the parent has no such step.
    """
    require(actor, RunAction.LOG, run)
    parent = Run.objects.live().filter(project_id=run.project_id, uid=parent_uid).first()
    if parent is None or parent.pk == run.pk:
        raise NotFound(
            f"The run “{parent_uid}” to fork from doesn’t exist in {run.project}, or you don’t have access to it."
        )
    require(actor, RunAction.VIEW, parent)
    Run.objects.locked().get(pk=run.pk)
    if reads.cursor(run.pk, StreamKind.HISTORY):
        raise Invalid(f"The run “{run.uid}” already has a history; only a new run can be a fork.")
    _check_step(parent, step)
    _copy_history(parent, run, step)
    run.forked_from, run.forked_at_step = parent, step
    run.save(update_fields=["forked_from", "forked_at_step", "updated_at"])
    settle_run(run.pk, HISTORY)
    return run


def _check_step(run: Run, step: int) -> None:
    """Refuse a step after a run's last one: the steps between would be a hole in the new history.

    Raises:
        Invalid: it is.
    """
    last = reads.last_steps([run.pk])[run.pk]
    if step > last:
        known = f"its last step is {last}" if last >= 0 else "it has no steps"
        raise Invalid(f"The run “{run.uid}” has no step {step}: {known}.")


def _free_uid(run: Run, number: int) -> str:
    """Return the id of what a run had before a rewind; people choose ids like it, too."""
    taken = set(
        Run.objects.filter(project_id=run.project_id, uid__contains=".rewound-").values_list("uid", flat=True)
    )
    uids = (f"{run.uid}.rewound-{n}"[-128:] for n in itertools.count(number))
    return next(uid for uid in uids if uid not in taken)


def _create_archive(run: Run) -> Run:
    """Make a run beside this one that takes over its points, log and files' past; returns it."""
    count = run.archives.count() + 1
    archive = Run.objects.get(pk=run.pk)
    archive.pk, archive.uid, archive.archive_of = None, _free_uid(run, count), run
    archive.display_name = f"{run.display_name[:100]} (before rewind {count})"
    archive.state = "finished" if run.is_active else run.state
    archive.finished_at, archive.active_since = run.finished_at or timezone.now(), None
    archive._state.adding = True
    archive.save()
    pulse = Pulse.objects.get(run=run)
    Pulse.objects.create(
        run=archive, heartbeat_at=pulse.heartbeat_at, summary_text=pulse.summary_text,
        summary_flat=pulse.summary_flat, log_lines=pulse.log_lines, bad_lines=pulse.bad_lines,
    )  # fmt: skip
    StateChange.objects.create(run=archive, state=archive.state, at=archive.finished_at)
    for model in (Stream, Sequence, Tail, LogBlock, BadLine):  # segments follow their stream
        model._default_manager.filter(run=run).update(run=archive)
    return archive


@transaction.atomic
def rewind_run(*, actor: Actor, run: Run, step: int) -> Run:
    """Cut a run's history after a step; all that was there stays in a run beside it, from which it can be recovered.

    Logs and system metrics begin anew (semantics section 4).
    """
    require(actor, RunAction.LOG, run)
    run = Run.objects.locked().select_related("project__team").get(pk=run.pk)
    archive = _create_archive(run)
    Pulse.objects.filter(run=run).update(log_lines=0, bad_lines=0)
    _copy_history(archive, run, step)
    run.forked_from, run.forked_at_step = archive, step
    run.save(update_fields=["forked_from", "forked_at_step", "updated_at"])
    participants.rewound(run, archive)
    for one in (archive, run):
        settle_run(one.pk, HISTORY, LOG)
    team = run.project.team
    record(
        actor, "run.rewind", run, organization_id=team.organization_id, team_id=team.pk,
        after={"step": step, "kept_in": archive.uid},
    )  # fmt: skip
    return run
