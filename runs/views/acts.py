"""Acts on many runs of a project, chosen one by one or by the table's query (RUN-4, RUN-7)."""

from typing import Any

from django.http import HttpRequest, JsonResponse, QueryDict
from django.views.decorators.http import require_POST

from access.actor import Actor
from access.routes import declare
from access.web import actor_of
from common.errors import NotFound
from runs import selectors
from runs.access import RunAction
from runs.acts import ACTS, ON_DELETED
from runs.models import Project
from runs.table.query import TableQuery, matching

_UNDO = {"delete": "restore", "protect": "unprotect", "unprotect": "protect"}


def _chosen(actor: Actor, project: Project, act: str, given: QueryDict) -> list[int]:
    if act in ON_DELETED:
        runs = selectors.deleted_runs_of(actor, project)
    elif given.get("all"):
        runs = matching(actor, project, TableQuery.of(given))
    else:
        runs = selectors.runs_of(actor, project)
    if not given.get("all"):
        runs = runs.filter(uid__in=_uids(given, "uid"))
    return list(runs.exclude(uid__in=_uids(given, "except")).values_list("pk", flat=True))


def _uids(given: QueryDict, name: str) -> list[str]:
    """Return ids, given repeatedly or with commas between, which no id has: a form takes no more than 1,000 fields."""
    return [uid for text in given.getlist(name) for uid in text.split(",")]


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
    outcome = do(actor, _chosen(actor, row, act, request.POST), request.POST.getlist("value"))
    undo: dict[str, Any] | None = {"act": _UNDO[act], "uid": outcome.done} if act in _UNDO else None
    refused = [{"uid": uid, "reason": reason} for uid, reason in outcome.refused.items()]
    return JsonResponse(
        {"done": len(outcome.done), "refused": refused, "undo": undo if outcome.done else None}
    )
