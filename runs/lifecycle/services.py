"""The life of a run: made, brought up to date, stopped, ended, found crashed."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from accounts.models import User
from common import live
from common.database.commits import after_commit
from common.database.kept_queries import KeptQuery
from common.errors import Conflict, Gone, Invalid
from common.formats.lenient_json import clean_text
from runs.access import RunAction
from runs.config.flatten import flat_summary, with_sdk_part
from runs.config.width import excess_of_text
from runs.hosts.services import record_hosts_of_config
from runs.lifecycle import host_runs, participants, wrapped_commands, writers
from runs.lifecycle.client_clock import began_another
from runs.lifecycle.fields import RunFields, apply_fields
from runs.lifecycle.offline_times import likely_begin, missing_summary, own_times, set_own_times
from runs.lifecycle.storage_ledger import HISTORY, LOG, settle_run
from runs.models import Project, Pulse, Run, RunWriter, StateChange
from runs.names.display_names import random_display_name, random_uid
from runs.names.run_ids import check_run_id
from runs.states import ACTIVE, PREEMPTION, RunState, state_after_exit, state_after_silence


def set_summary(run: Run, text: str) -> None:
    """Replace a run's summary by hand.

    Raises:
        Invalid: not JSON, or over a limit.
    """
    reason = excess_of_text(text)
    if reason:
        raise Invalid(f"summaryMetrics has {reason}.")
    try:
        flat = flat_summary(text)
    except ValueError as error:
        raise Invalid(f"summaryMetrics is not a JSON object: {error}") from None
    Pulse.objects.filter(run=run).update(summary_text=clean_text(text), summary_flat=flat)
    if run.is_host and host_runs.has_values(flat):
        host_runs.mark_as_training(run)


def path_of(run: Run) -> str:
    """Return the path of a run's page, percent-encoded; its project and team must be loaded."""
    return reverse("metrics:run_workspace", args=[run.project.team.name, run.project.name, run.uid])


def _announce(run: Run) -> None:
    """Notify open pages after commit."""

    def notify() -> None:
        messages: list[tuple[str, dict[str, Any]]] = [
            (live.run_group(run.pk), {"type": "state", "state": run.state}),
            (live.project_group(run.project_id), {"type": "run", "uid": run.uid, "state": run.state}),
        ]
        if run.user_id is not None:
            told = {"type": "run", "url": path_of(run), "state": run.state}
            messages.append((live.user_group(run.user_id), told))
        live.send_each(messages)

    after_commit(notify)  # a listener that fails must not undo or repeat the change


def set_state(
    run: Run,
    state: RunState,
    *,
    at: datetime,
    exit_code: int | None = None,
    claimed_at: datetime | None = None,
) -> None:
    """Move a locked run to a state as of ``at``; does nothing when it is there already.

    ``claimed_at`` is when that was as the client says. Apps that count time get ``at``, when the server heard of it.
    """
    before = run.state
    if before == state and (exit_code is None or exit_code == run.exit_code):
        return
    was_at = at
    if state in ACTIVE:
        was_at = _apply_begin(run, at, claimed_at)
    elif run.is_active or exit_code is not None:
        was_at = _apply_end(run, at, claimed_at)
    if exit_code is not None:
        # a late finish overrides an assumed crash, and the time up to it counts (wish 4)
        if run.finished_at is not None and was_at > run.finished_at:
            run.active_before_s += (was_at - run.finished_at).total_seconds()
            run.finished_at = was_at
        run.exit_code = exit_code
    run.state = state
    run.save(
        update_fields=["state", "active_since", "active_before_s", "finished_at", "exit_code", "stop_requested_at",
                       "created_at", "started_at", "synced_at", "updated_at"]
    )  # fmt: skip
    StateChange.objects.create(run=run, state=state, at=was_at)
    participants.state_changed(run, before, at)
    _announce(run)


def _apply_begin(run: Run, at: datetime, claimed_at: datetime | None) -> datetime:
    """Set the columns of a run that is active from now on; return since when it was, as far as anybody knows."""
    if run.is_active:
        return at
    known_until = run.finished_at
    run.active_since, run.finished_at, run.exit_code, run.stop_requested_at = at, None, None, None
    began_at = likely_begin(claimed_at, at)
    return max(began_at, known_until or began_at)


def _apply_end(run: Run, at: datetime, claimed_at: datetime | None) -> datetime:
    """Set the columns of a run that is active no more; return when it ended."""
    own = own_times(run, at, claimed_at)
    if (summary := missing_summary(run)) is not None:
        set_summary(run, summary)
    if own is not None:
        set_own_times(run, own)
        at = own.ended_at
    elif claimed_at is not None and (known_until := run.active_since or run.finished_at):
        at = max(known_until, min(claimed_at, at))
    if run.is_active:
        run.active_before_s += run.lifetime_s(at) if own is None else own.seconds
        run.active_since, run.finished_at = None, at
        settle_run(run.pk, HISTORY, LOG)
    return at


_writers = RunWriter.objects.filter(run=OuterRef("pk")).order_by()
_locked = KeptQuery(
    lambda pk: (
        Run.objects.locked()
        .select_related("project__team")
        .annotate(has_writers=Exists(_writers))
        .filter(pk=pk)
    )
)
_locked_projects = KeptQuery(
    lambda pk: (
        Project.objects.live().select_for_update(no_key=True).filter(pk=pk).order_by().values_list("pk")
    )
)


def _lock_run(pk: int) -> Run:
    return _locked.get(pk)


def _insert(
    *, actor: Actor, project: Project, uid: str, user: User | None, state: RunState, fields: RunFields,
    claimed_at: datetime | None,
) -> Run:  # fmt: skip
    require(actor, RunAction.LOG, project)
    now = timezone.now()
    began_at = likely_begin(claimed_at, now)
    Project.objects.filter(pk=project.pk).update(runs_made=F("runs_made") + 1, last_active_at=now)
    project.refresh_from_db(fields=["runs_made"])
    run = Run(
        project=project, uid=uid, number=project.runs_made, display_name=random_display_name(project.runs_made),
        user_id=user.pk if user else actor.user_id, logged_by_id=actor.user_id, state=state,
        created_at=began_at, started_at=began_at, synced_at=now if began_at < now else None,
        active_since=now if state in ACTIVE else None,
    )  # fmt: skip
    apply_fields(run, fields)
    run.display_name = run.display_name or random_display_name(run.number)
    run.is_host = host_runs.is_host_monitor(run)
    run.save()
    record_hosts_of_config(run, fields.config_text)
    Pulse.objects.create(run=run, heartbeat_at=now)
    StateChange.objects.create(run=run, state=state, at=began_at)
    participants.state_changed(run, "", now)
    _announce(run)
    return run


@transaction.atomic
def log_run(
    *, actor: Actor, project: Project, uid: str, fields: RunFields, user: User | None = None, state: str = "",
    wrapper: str = "", writer: str = "", claimed_at: datetime | None = None, is_begin: bool = False,
) -> tuple[Run, bool]:  # fmt: skip
    """Begin a run, or go on with the one of this id; the second value says whether it was made now.

    A run that had ended is Running again, and so is one whose machine was taken away when another process goes on with
    it.

    Args:
        user: The member a service account logs for (TEAM-34).
        wrapper: The id of the run that the agent records the command as.
        writer: The ID of the process, if it writes to the run beside others: their fields are joined, and the run's
            state follows its primary writer (`runs.lifecycle.writers`).
        claimed_at: When it began, by the client's word.
        is_begin: Whether a process begins; SDKs, which say what they log again and again, do not tell.

    Raises:
        Invalid: no run may have the id, or a field is over its limit.
        Gone: the id belonged to a deleted run (RUN-9).
    """
    uid = check_run_id(uid or random_uid())
    if state and state not in {RunState.RUNNING, RunState.PENDING}:
        raise Invalid(f"A run must start as running or pending, not as {state!r}.")
    # two first posts of one id wait for each other here
    if not _locked_projects.rows(project.pk):
        raise Gone(f"The project {project} was deleted; log to another one.")
    pk = wrapped_commands.pk_of(project, uid)
    wrapped = None
    if pk is None:
        wrapped = wrapped_commands.take_over(actor=actor, project=project, uid=uid, wrapper=wrapper)
        pk = wrapped.pk if wrapped else None
    if pk is None:
        first = RunState(state or RunState.RUNNING)
        run = _insert(
            actor=actor,
            project=project,
            uid=uid,
            user=user,
            state=first,
            fields=fields,
            claimed_at=claimed_at,
        )
        writers.add_first_writer(run, writer)
        inserted = True
    else:
        run = _lock_run(pk)
        inserted = wrapped is not None
        require(actor, RunAction.LOG, run)
        if run.deleted_at is not None:
            raise Gone(
                f"The run {uid!r} of {project} was deleted and its ID cannot be reused; choose another ID."
            )
        config_before, leads = run.config_text, True
        if writer or getattr(run, "has_writers", False):
            fields, leads = writers.joined_fields(run, writer, fields)
        changed = apply_fields(run, fields)
        run.save(update_fields=[*changed, "updated_at"])
        host_runs.reclassify_by_job_type(run)
        record_hosts_of_config(run, fields.config_text)
        now = timezone.now()
        Pulse.objects.filter(run=run).update(heartbeat_at=now)
        is_new = run.state == RunState.PREEMPTING and (
            is_begin or began_another(config_before, run.config_text)
        )
        if (run.state not in ACTIVE or is_new) and leads and not state:
            set_state(run, RunState.RUNNING, at=now, claimed_at=claimed_at)
    if fields.summary_text is not None:
        set_summary(run, fields.summary_text)
    return run, inserted


@transaction.atomic
def update_run(*, actor: Actor, run: Run, fields: RunFields) -> Run:
    """Rename, tag, annotate, group, reconfigure; the state stays as it is."""
    require(actor, RunAction.UPDATE, run)
    run = _lock_run(run.pk)
    before = _audit_snapshot(run)
    if fields.config_text is not None:
        fields = replace(fields, config_text=with_sdk_part(fields.config_text, run.config_text))
    changed = apply_fields(run, fields)
    run.save(update_fields=[*changed, "updated_at"])
    host_runs.reclassify_by_job_type(run)
    record_hosts_of_config(run, fields.config_text)
    if fields.summary_text is not None:
        set_summary(run, fields.summary_text)
    _record_update(actor, run, before)
    return run


def _audit_snapshot(run: Run) -> dict[str, Any]:
    """Return what the audit log tells of a run's words; configuration and summary are data, too long for it."""
    words = {"name": run.display_name, "group": run.group, "job_type": run.job_type, "tags": run.tags}
    return words | {"notes": run.notes[:500]}


def _record_update(actor: Actor, run: Run, before: dict[str, Any]) -> None:
    """Write down which words changed, if any did: programs send configuration again and again."""
    after = _audit_snapshot(run)
    changed = [name for name, value in after.items() if value != before[name]]
    if changed:
        team = run.project.team
        record(
            actor, RunAction.UPDATE, run, organization_id=team.organization_id, team_id=team.pk,
            before={name: before[name] for name in changed}, after={name: after[name] for name in changed},
        )  # fmt: skip


def finish_run(*, run_id: int, exit_code: int, at: datetime, claimed_at: datetime | None = None) -> None:
    """Close a run with its process's exit code; also overrides an assumed crash (RUN-2).

    Part of the ingest's transaction, which has checked the actor.
    """
    run = _lock_run(run_id)
    state = state_after_exit(run.state, exit_code, stop_requested=participants.is_stop_requested(run))
    set_state(run, state, at=at, exit_code=exit_code, claimed_at=claimed_at)


def end_stopped_run(*, run_id: int, at: datetime) -> None:
    """Close a run whose process is gone after it was told to stop; its exit code may still come."""
    run = _lock_run(run_id)
    if run.state in ACTIVE:
        set_state(run, RunState.KILLED, at=at)


def revive_run(*, run_id: int, at: datetime, preempting: bool = False) -> None:
    """Make a run active again that was taken for dead, because its data came; part of the ingest's transaction.

    It is still the process that said that its machine is about to be taken away: another one begins with `log_run`.
    """
    run = _lock_run(run_id)
    if run.state in {RunState.CRASHED, RunState.PREEMPTED, RunState.PENDING, *ACTIVE}:
        stop_requested_at = run.stop_requested_at
        is_preempting = preempting or run.state in PREEMPTION
        set_state(run, RunState.PREEMPTING if is_preempting else RunState.RUNNING, at=at)
        if stop_requested_at is not None and run.stop_requested_at is None:
            Run.objects.filter(pk=run.pk).update(stop_requested_at=stop_requested_at)


_MANUAL_TRANSITIONS = {
    RunState.PENDING: {RunState.RUNNING, RunState.FAILED, RunState.CRASHED, RunState.PREEMPTED},
    RunState.FAILED: {RunState.PENDING, RunState.RUNNING},
}
"""To which state a program may move a run, and from which (the SDK's `Run.update_state`)."""


@transaction.atomic
def change_state(*, actor: Actor, run: Run, state: str) -> Run:
    """Move a run to pending or failed by hand, to queue it again or to give up on a lost one.

    Raises:
        Invalid: another state.
        Conflict: not from the state it is in.
    """
    require(actor, RunAction.UPDATE, run)
    run = _lock_run(run.pk)
    if state not in _MANUAL_TRANSITIONS:
        raise Invalid(
            f"A run's state can be set to pending or failed: to {state!r} is an invalid state transition."
        )
    if run.state not in _MANUAL_TRANSITIONS[RunState(state)]:
        raise Conflict(f"{run} is {run.state_label}: to {state} is an invalid state transition.")
    before, team = run.state, run.project.team
    set_state(run, RunState(state), at=timezone.now())
    record(
        actor, "run.change_state", run, organization_id=team.organization_id, team_id=team.pk,
        before={"state": before}, after={"state": state},
    )  # fmt: skip
    return run


@transaction.atomic
def stop_run(*, actor: Actor, run: Run) -> Run:
    """Ask a run to stop; its client learns of it from the reply to its next post (RUN-4).

    Raises:
        Conflict: it has ended.
    """
    require(actor, RunAction.STOP, run)
    run = _lock_run(run.pk)
    if run.state != RunState.PENDING and run.state not in ACTIVE:
        raise Conflict(
            _("%(run)s has ended (%(state)s); there is nothing to stop.")
            % {"run": run, "state": run.state_label}
        )
    run.stop_requested_at = run.stop_requested_at or timezone.now()
    if run.state == RunState.PENDING:
        set_state(run, RunState.KILLED, at=timezone.now())
    run.save(update_fields=["stop_requested_at", "updated_at"])
    team = run.project.team
    record(actor, RunAction.STOP, run, organization_id=team.organization_id, team_id=team.pk)
    return run


def find_crashed_runs(now: datetime | None = None) -> int:
    """End the active runs whose heartbeats stopped CRASH_TIMEOUT_S ago (RUN-2); returns how many.

    A run ends as of its last heartbeat, not of the moment it was noticed.
    """
    now = now or timezone.now()
    silent_since = now - timedelta(seconds=settings.CRASH_TIMEOUT_S)
    silent = Run.objects.filter(state__in=sorted(ACTIVE), pulse__heartbeat_at__lt=silent_since)
    found = 0
    for pk in list(silent.values_list("pk", flat=True)):
        with transaction.atomic():
            run = _lock_run(pk)
            heartbeat_at = Pulse.objects.get(run_id=pk).heartbeat_at
            if run.state not in ACTIVE or heartbeat_at >= silent_since:  # its data came in the meantime
                continue
            state = state_after_silence(run.state, stop_requested=participants.is_stop_requested(run))
            set_state(run, state, at=heartbeat_at)
            found += 1
    return found
