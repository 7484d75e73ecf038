"""Acts on many runs of a project, chosen one by one or by the table's query (RUN-4, RUN-7)."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, JsonResponse, QueryDict
from django.views.decorators.http import require_POST

from access.actor import Actor
from access.routes import declare
from access.web import actor_of
from common.errors import DomainError, Invalid, NotFound
from runs import selectors
from runs.access import RunAction
from runs.models import Project, Run
from runs.services import annotations, deletion, lifecycle, moving
from runs.services.bulk import Outcome
from runs.services.lifecycle import RunFields
from runs.table.query import TableQuery, matching

Value = QueryDict
Do = Callable[[Actor, list[int], Value], Outcome]


def _tags(given: Value) -> list[str]:
    return [tag for tag in (text.strip() for text in given.getlist("value")) if tag]


def _project(actor: Actor, given: Value) -> Project:
    entity, slash, name = given.get("value", "").partition("/")
    if not slash:
        raise Invalid("Name the project to move to as entity/project.")
    return selectors.get_project(actor, entity, name)


def _stop(actor: Actor, run_ids: list[int], given: Value) -> Outcome:
    outcome = Outcome()
    for run in Run.objects.filter(pk__in=run_ids).select_related("project__team").order_by("pk"):
        try:
            lifecycle.stop_run(actor=actor, run=run)
            outcome.done.append(run.uid)
        except DomainError as error:
            outcome.refused[run.uid] = error.message
    return outcome


def _annotate(actor: Actor, run_ids: list[int], fields: RunFields) -> Outcome:
    return annotations.annotate_runs(actor=actor, run_ids=run_ids, fields=fields)


def _plain(service: Callable[..., Outcome]) -> Do:
    return lambda actor, run_ids, given: service(actor=actor, run_ids=run_ids)


ACTS: dict[str, Do] = {
    "tag": lambda actor, ids, given: annotations.tag_runs(actor=actor, run_ids=ids, tags=_tags(given)),
    "untag": lambda actor, ids, given: annotations.untag_runs(actor=actor, run_ids=ids, tags=_tags(given)),
    "rename": lambda actor, ids, given: _annotate(actor, ids, RunFields(display_name=given.get("value"))),
    "note": lambda actor, ids, given: _annotate(actor, ids, RunFields(notes=given.get("value"))),
    "group": lambda actor, ids, given: _annotate(actor, ids, RunFields(group=given.get("value"))),
    "stop": _stop,
    "delete": _plain(deletion.delete_runs),
    "restore": _plain(deletion.restore_runs),
    "purge": _plain(deletion.purge_now),
    "protect": _plain(deletion.protect_runs),
    "unprotect": _plain(deletion.unprotect_runs),
    "move": lambda actor, ids, given: moving.move_runs(
        actor=actor, run_ids=ids, project=_project(actor, given)
    ),
}
_UNDO = {"delete": "restore", "protect": "unprotect", "unprotect": "protect"}
_ON_DELETED = {"restore", "purge"}


def _chosen(actor: Actor, project: Project, act: str, given: Value) -> list[int]:
    if act in _ON_DELETED:
        runs = selectors.deleted_runs_of(actor, project)
    elif given.get("all"):
        runs = matching(actor, project, TableQuery.of(given))
    else:
        runs = selectors.runs_of(actor, project)
    if not given.get("all"):
        runs = runs.filter(uid__in=given.getlist("uid"))
    return list(runs.exclude(uid__in=given.getlist("except")).values_list("pk", flat=True))


@declare(RunAction.VIEW)
@require_POST
def act_on_runs(request: HttpRequest, entity: str, project: str, act: str) -> JsonResponse:
    """Do one act on runs: ``uid`` repeated, or ``all`` with the table's query and ``except`` repeated.

    Returns:
        ``{"done": n, "refused": [{"uid", "reason"}], "undo": {"act", "uid": […]} | null}``
    """
    actor = actor_of(request)
    row = selectors.get_project(actor, entity, project)
    do = ACTS.get(act)
    if do is None:
        raise NotFound(f"There is no act {act!r}: {', '.join(ACTS)}.")
    outcome = do(actor, _chosen(actor, row, act, request.POST), request.POST)
    undo: dict[str, Any] | None = {"act": _UNDO[act], "uid": outcome.done} if act in _UNDO else None
    refused = [{"uid": uid, "reason": reason} for uid, reason in outcome.refused.items()]
    return JsonResponse(
        {"done": len(outcome.done), "refused": refused, "undo": undo if outcome.done else None}
    )
