"""Acts on many runs of a project, chosen one by one or by the table's query (RUN-4, RUN-7)."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from access.actor import Actor
from access.engine import require
from access.routes import declare
from access.web.requests import actor_of
from common.errors import DomainError, NotFound
from common.templatetags.runyard import filesize_binary
from runs import selectors
from runs.access import RunAction
from runs.bulk_actions.catalogue import BULK_ACTIONS, ON_DELETED
from runs.bulk_actions.services import BulkActionResult
from runs.lifecycle.participants import count_outputs
from runs.models import Project, Run
from runs.run_page.neighbours import neighbour
from runs.table.query import TableQuery, matching_runs

_NEEDED = {"remove_from_sweep": RunAction.UPDATE}
"""What an act from a run's page needs, where that is not to delete the run."""
_UNDO = {"delete": "restore", "protect": "unprotect", "unprotect": "protect"}


def _chosen_run_ids(actor: Actor, project: Project, act: str, given: QueryDict) -> list[int]:
    if act in ON_DELETED:
        runs = selectors.deleted_runs_of(actor, project)
    elif given.get("all"):
        runs = matching_runs(actor, project, TableQuery.of(given))
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
def perform_bulk_action(request: HttpRequest, entity: str, project: str, act: str) -> JsonResponse:
    """Do one act on runs: ``uid`` repeated, or ``all`` with the table's query and ``except`` repeated.

    Returns:
        ``{"done": n, "refused": [{"uid", "reason"}], "kept": [reason], "undo": {"act", "uid": […]} | null}``
    """
    actor = actor_of(request)
    row = selectors.get_project(actor, entity, project)
    do = BULK_ACTIONS.get(act)
    if do is None:
        raise NotFound(f"Unknown action “{act}”: {', '.join(BULK_ACTIONS)}.")
    result = do(actor, _chosen_run_ids(actor, row, act, request.POST), request.POST.getlist("value"))
    undo: dict[str, Any] | None = {"act": _UNDO[act], "uid": result.done} if act in _UNDO else None
    refused = [{"uid": uid, "reason": reason} for uid, reason in result.refused.items()]
    return JsonResponse(
        {
            "done": len(result.done),
            "refused": refused,
            "kept": result.kept,
            "undo": undo if result.done else None,
        }
    )


@declare(RunAction.VIEW)
@never_cache
@require_GET
def outputs(request: HttpRequest, entity: str, project: str) -> JsonResponse:
    """Say which artifact versions would be deleted with runs, which are named as for acts, in words."""
    actor = actor_of(request)
    row = selectors.get_project(actor, entity, project)
    count, size = count_outputs(actor, _chosen_run_ids(actor, row, "delete", request.GET))
    text = ngettext("%(n)d version, %(size)s", "%(n)d versions, %(size)s", count)
    return JsonResponse({"text": text % {"n": count, "size": filesize_binary(size)} if count else _("None")})


TABS = ("metrics:run_workspace", "metrics:run_media", "metrics:run_system", "runs:run_overview", "runs:run_logs",
        "runs:run_files")  # fmt: skip


def _page_of(run: Run, tab: str = "runs:run_overview") -> HttpResponse:
    return redirect(tab, run.project.team.name, run.project.name, run.uid)


@declare(RunAction.DELETE)
@require_POST
def perform_run_action(request: HttpRequest, entity: str, project: str, uid: str, act: str) -> HttpResponse:
    """Delete, move, protect or unprotect a page's run, or take it out of its sweep; ``value`` names a project."""
    actor, done = actor_of(request), _success_messages()
    run = selectors.get_run(actor, entity, project, uid)
    require(actor, _NEEDED.get(act, RunAction.DELETE), run)
    if act not in done:
        raise NotFound(f"Unknown action “{act}”: {', '.join(done)}.")
    value = request.POST.get("value", "").strip()
    if act == "move" and "/" not in value:
        value = f"{entity}/{value}"
    try:
        result = BULK_ACTIONS[act](actor, [run.pk], [value])
    except DomainError as error:
        result = BulkActionResult(refused={run.uid: error.message})
    for reason in (*result.refused.values(), *result.kept[:5]):
        messages.error(request, reason)
    if result.refused:
        return _page_of(run)
    messages.success(request, done[act])
    if act == "delete":
        return redirect("runs:runs", entity, project)
    return _page_of(Run.objects.select_related("project__team").get(pk=run.pk))


def _success_messages() -> dict[str, str]:
    """Return the acts of a run's page, with what is said when they are done."""
    return {
        "delete": _("Run deleted. You can restore it under Recently deleted."),
        "move": _("Run moved"),
        "remove_from_sweep": _("Run removed from its sweep"),
        "protect": _("Run protected from deletion"),
        "unprotect": _("Run unprotected"),
    }


@declare(RunAction.VIEW)
@never_cache
@require_GET
def run_beside(request: HttpRequest, entity: str, project: str, uid: str, way: str) -> HttpResponse:
    """Lead to the ``next`` or ``previous`` run of the workspace's list, at the same ``tab``.

    It is looked for only when it is asked for: no page pays for a link that is not followed.
    """
    if way not in {"next", "previous"}:
        raise NotFound(f"Use next or previous, not {way[:40]!r}.")
    run = selectors.get_run(actor_of(request), entity, project, uid)
    found = neighbour(actor_of(request), run, is_next=way == "next")
    if found is None:
        ends = {
            "next": _("This is the last run in the list."),
            "previous": _("This is the first run in the list."),
        }
        messages.info(request, ends[way])
    tab = request.GET.get("tab", "")
    place = tab if tab in TABS else TABS[0]
    return redirect(place, entity, project, (found or run).uid)
