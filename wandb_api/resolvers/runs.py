"""Runs: begin, go on, change, stop, delete, read."""

import json
from contextlib import suppress
from datetime import timedelta
from typing import Any
from urllib.parse import unquote_plus

from django.db import transaction
from django.utils.html import escape

from access.actor import Actor
from access.engine import can, visible
from common.database.kept_queries import KeptQuery
from common.errors import Conflict, DomainError, Invalid, NotFound
from ingest.services import log_run, team_for
from metrics.ingest.branching import fork_run, rewind_run
from metrics.models import StreamKind
from metrics.store import reads
from runs.access import RunAction
from runs.bulk_actions import deletion
from runs.config.flatten import sdk_part
from runs.lifecycle import services as lifecycle
from runs.lifecycle.alerts import send_alert
from runs.lifecycle.fields import RunFields
from runs.models import Project, Run
from runs.selectors import changeable, get_run, get_run_by_any_name
from storage.quota import require_quota
from sweeps.trials.joining import fields_in_sweep
from teams.models import Team
from wandb_api.graphql.bindings import mutation, project_type, root, run_type
from wandb_api.graphql.context import Context, Info
from wandb_api.graphql.global_ids import from_id
from wandb_api.graphql.masking import shown_json, shown_text
from wandb_api.graphql.nodes import project_node, run_node

_RELATED = ("project__team__organization", "user", "logged_by", "pulse", "project__created_by")


def run_by_id(actor: Actor, text: str) -> Run:
    """Return a visible run by its global id.

    Raises:
        NotFound: it does not exist, or the actor may not see it.
    """
    runs = Run.objects.live().select_related(*_RELATED).filter(pk=from_id("Run", text))
    run = visible(actor, RunAction.VIEW, runs).first()
    if run is None:
        raise NotFound(f"The run with the ID “{text}” doesn’t exist, or you don’t have access to it.")
    return run


_with_related = KeptQuery(lambda pk: Run.objects.select_related(*_RELATED).filter(pk=pk))


def _fresh(run: Run) -> dict[str, Any]:
    return run_node(_with_related.get(run.pk))


_FIELDS = {
    "display_name": "displayName", "notes": "notes", "description": "description", "tags": "tags",
    "group": "groupName", "job_type": "jobType", "host": "host", "program": "jobProgram", "git_remote": "jobRepo",
    "git_commit": "commit", "config_text": "config", "summary_text": "summaryMetrics",
}  # fmt: skip


def _fields_of(given: dict[str, Any]) -> RunFields:
    return RunFields(**{ours: given.get(theirs) for ours, theirs in _FIELDS.items()})


def _begin(context: Context, team: Team, fields: RunFields, given: dict[str, Any]) -> tuple[Run, bool]:
    """Begin a run or go on with it; a new one whose config names a branch point takes its parent's history over."""
    run, inserted = log_run(
        actor=context.actor,
        team=team,
        project_name=given.get("modelName") or "uncategorized",
        uid=given.get("name") or "",
        fields=fields,
        state=given.get("state") or "",
        wrapper=context.wrapper,
        writer=context.writer,
    )
    branch = _branch_point(run) if inserted else None
    if branch is not None:
        fork_run(actor=context.actor, run=run, parent_uid=branch[0], step=branch[1])
    return run, inserted


def _in_sweep(actor: Actor, team: Team, fields: RunFields, given: dict[str, Any]) -> RunFields:
    """Add the sweep of a run to its fields; who may not log to the project is refused that, and learns of no sweep."""
    name = given.get("modelName") or "uncategorized"
    projects = Project.objects.live()
    project = projects.filter(team=team, name=name).first() or projects.called_before(team.name, name).first()
    if project is not None and not can(actor, RunAction.LOG, project):
        return fields
    return fields_in_sweep(project, given.get("name") or "", given["sweep"], fields)


def _branch_point(run: Run) -> tuple[str, int] | None:
    """Return (parent's id, last step) of a fork, which the SDK names in the config alone."""
    point = sdk_part(run.config_text).get("branch_point")
    if not isinstance(point, dict) or not isinstance(point.get("run_id"), str):
        return None
    step = point.get("step")
    return (point["run_id"], int(step)) if isinstance(step, int | float) and abs(step) < 2**63 else None


def check_addressable(uid: str) -> None:
    """Refuse ids of which the SDK would lose everything but config and files.

    It writes ids into the address of its stream as they are: `.` and `..` are resolved there, `%41` is decoded, and
    with another `%` the address is lost (tried with 0.19.11 to 0.31.0). REST takes them.

    Raises:
        Invalid: the id is such a one.
    """
    if uid in {".", ".."} or "%" in uid:
        raise Invalid(
            f"The SDK cannot send history and log of a run with the ID “{uid}”: it does not encode `%`, `.` and `..` in"
            " addresses. Choose an ID other than `.` and `..`, without `%`."
        )


@root(mutation, "upsertBucket", RunAction.LOG)
def resolve_upsert_bucket(_: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:
    """Begin a run or go on with it (by names), or change one (by id alone, as `run.update()` does)."""
    actor = info.context.actor
    fields = _fields_of(input)
    if input.get("id") and not input.get("name"):
        run = lifecycle.update_run(actor=actor, run=run_by_id(actor, input["id"]), fields=fields)
        return {"bucket": _fresh(run), "inserted": False}
    check_addressable(input.get("name") or "")
    team = team_for(actor, input.get("entityName"))
    if input.get("sweep"):
        fields = _in_sweep(actor, team, fields, input)
    with transaction.atomic():  # a fork that cannot be made leaves no empty run behind
        run, inserted = _begin(info.context, team, fields, input)
    return {
        "bucket": _fresh(run),
        "inserted": inserted,
        "serverSettings": {"serverMessages": _messages(team)},
    }


def _messages(team: Team) -> list[dict[str, Any]]:
    """Return what SDKs before 0.18 print at a run's end: that its files are not stored; wandb-core never asks."""
    try:
        require_quota(team.pk)
    except DomainError as error:
        text = f"Files of this run will not be stored: {error.message}"
        return [
            {
                "plainText": text,
                "utfText": text,
                "htmlText": escape(text),
                "messageType": "footer",
                "messageLevel": 30,
            }
        ]
    return []


@root(mutation, "stopRun", RunAction.STOP)
def resolve_stop_run(_: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:
    """Ask a run to stop."""
    actor = info.context.actor
    with suppress(Conflict):  # stopping what has ended has no effect, says the SDK
        lifecycle.stop_run(actor=actor, run=run_by_id(actor, input["id"]))
    return {"success": True}


@root(mutation, "updateRunState", RunAction.UPDATE)
def resolve_update_run_state(_: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:
    """Move a run to pending or failed."""
    actor = info.context.actor
    lifecycle.change_state(actor=actor, run=run_by_id(actor, input["id"]), state=input["state"])
    return {"success": True}


@root(mutation, "rewindRun", RunAction.LOG)
def resolve_rewind_run(_: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:
    """Cut a run's history after a step."""
    actor = info.context.actor
    if input["metricName"] != "_step":
        raise Invalid(f"Runs are rewound by _step, not by {input['metricName']!r}.")
    if abs(step := input["metricValue"]) >= 2**63:
        raise Invalid(f"metricValue must be a step of the run, not {step!r}.")
    entity = input.get("entityName") or team_for(actor, None).name
    run = get_run_by_any_name(actor, entity, input.get("projectName") or "uncategorized", input["runName"])
    return {"rewoundRun": _fresh(rewind_run(actor=actor, run=run, step=int(step)))}


@root(mutation, "notifyScriptableRunAlert", RunAction.LOG)
def resolve_notify(_: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:
    """Store an alert that code sent."""
    actor = info.context.actor
    run = get_run_by_any_name(actor, input["entityName"], input["projectName"], input["runName"])
    sent = send_alert(
        actor=actor,
        run=run,
        title=input["title"],
        text=input["text"],
        level=input.get("severity") or "INFO",
        wait=timedelta(milliseconds=min(max(0, input.get("waitDuration") or 0), 10**12)),
    )
    return {"success": sent is not None}


@root(mutation, "deleteRun", RunAction.DELETE)
def resolve_delete_run(_: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:
    """Delete a run; SDKs whose answer was lost ask again, and get the same one."""
    actor = info.context.actor
    gone = Run.objects.filter(pk=from_id("Run", input["id"]), deleted_at__isnull=False)
    if not visible(actor, RunAction.DELETE, gone).exists():
        run = run_by_id(actor, input["id"])
        deletion.delete_run(actor=actor, run=run, with_artifacts=bool(input.get("deleteArtifacts")))
    return {"clientMutationId": input.get("clientMutationId")}


def _run_in(project: dict[str, Any], info: Info, name: str) -> dict[str, Any] | None:
    row = project["row"]
    try:
        return run_node(get_run(info.context.actor, row.team.name, row.name, name))
    except NotFound:
        return None


@project_type.field("run")
def resolve_run(
    project: dict[str, Any],
    info: Info,
    name: str,
    desc: str | None = None,
) -> dict[str, Any] | None:
    """Return a visible run of the project or null; its id may be encoded, as `Run.path` of the public API is."""
    decoded = unquote_plus(name)
    return _run_in(project, info, name) or (_run_in(project, info, decoded) if decoded != name else None)


@project_type.field("bucket")
def resolve_bucket(
    project: dict[str, Any],
    info: Info,
    name: str,
    desc: str | None = None,
    missingOk: bool | None = None,  # noqa: FBT001
) -> dict[str, Any] | None:
    """Return a visible run, for resuming; null when there is none.

    Raises:
        NotFound: it does not exist, and the client did not say that this is all right.
    """
    found = _run_in(project, info, name)
    if found is None and not missingOk:
        raise NotFound(f"The run “{name}” doesn’t exist in {project['entityName']}/{project['name']}.")
    return found


@run_type.field("project")
def resolve_project_of_run(run: dict[str, Any], info: Info) -> dict[str, Any]:
    """Return the run's project."""
    return project_node(run["row"].project)


@run_type.field("readOnly")
def resolve_run_read_only(run: dict[str, Any], info: Info) -> bool:
    """Say whether the viewer can change the run."""
    return run["row"].pk not in run["siblings"].ask(changeable, info.context.actor)


@run_type.field("config")
def resolve_config(run: dict[str, Any], info: Info) -> str:
    """Return the configuration as it was logged, or with secrets masked."""
    return shown_json(run, info, run["row"].config_text)


@run_type.field("summaryMetrics")
def resolve_summary(run: dict[str, Any], info: Info) -> str:
    """Return the summary as it was logged, or with secrets masked."""
    return shown_json(run, info, run["row"].pulse.summary_text)


@run_type.field("notes")
def resolve_notes(run: dict[str, Any], info: Info) -> str:
    """Return the notes as they were written, or with secrets masked."""
    return shown_text(run, info, run["row"].notes)


@run_type.field("description")
def resolve_description(run: dict[str, Any], info: Info) -> str | None:
    """Return the description as it was written, or with secrets masked; null where there is none."""
    return shown_text(run, info, run["row"].description) or None


@run_type.field("wandbConfig")
def resolve_wandb_config(run: dict[str, Any], info: Info, keys: list[str]) -> str:
    """Return some keys of the SDK's own part of the config; `t` tells resuming that the run has begun."""
    own = sdk_part(run["row"].config_text)
    return shown_json(run, info, json.dumps({key: own[key] for key in keys if key in own}))


def _rows_of(run: dict[str, Any], kind: StreamKind) -> int:
    return int(run["siblings"].ask(reads.cursors, kind).get(run["row"].pk, 0))


@run_type.field("historyLineCount")
def resolve_history_line_count(run: dict[str, Any], info: Info) -> int:
    """Return the rows of history; the SDK begins its offsets there."""
    return _rows_of(run, StreamKind.HISTORY)


@run_type.field("eventsLineCount")
def resolve_events_line_count(run: dict[str, Any], info: Info) -> int:
    """Return the rows of system metrics."""
    return _rows_of(run, StreamKind.SYSTEM)
