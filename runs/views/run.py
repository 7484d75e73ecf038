"""The run page's head and its Overview: read and edited."""

from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from access.engine import require
from access.routes import declare
from access.web.framing import is_framed
from access.web.requests import actor_of
from accounts.operators.impersonation import person_only
from common.errors import Invalid
from common.formats.strict_json import strict_json
from common.web.responses import attachment, page_of_ours
from runs import selectors
from runs.access import RunAction
from runs.bulk_actions import annotations
from runs.bulk_actions.redaction import redact_run
from runs.config.metric_definitions import definitions_of
from runs.config.redaction import read_keys
from runs.ingest.bad_lines import bad_lines_of
from runs.lifecycle import services as lifecycle
from runs.lifecycle.fields import RunFields
from runs.lifecycle.timeline import timeline_of
from runs.models import Run, RunAlert
from runs.run_page.context import run_context
from runs.run_page.overview import about_facts, environment_facts
from runs.run_page.value_tree import ADDED_BY_SDK, config_tree, leaves_of, nodes_of, summary_tree
from runs.secrets.masking import FoundSecret, mask, mask_tree
from runs.secrets.reveal import conceal, is_revealed, reveal
from runs.secrets.services import reveal_secrets

EDITABLE = {"display_name", "notes", "description", "group", "job_type"}
_BEFORE_SCRIPT = 100
"""Keys that are in the page itself; the script shows the others."""
_LISTED = 50
PARTS = ("config", "summary")


def _tree_of(run: Run, part: str) -> dict[str, Any]:
    return config_tree(run.config_text) if part == "config" else summary_tree(run.pulse.summary_text)


def _shown_tree_of(run: Run, part: str) -> dict[str, Any]:
    """Return what people logged: step, time and runtime, which SDKs add, are facts of the run."""
    return {key: value for key, value in _tree_of(run, part).items() if key not in ADDED_BY_SDK}


def run_of(request: HttpRequest, names: dict[str, Any]) -> Run:
    """Return the run of the address, if it may be seen."""
    return selectors.get_run(actor_of(request), names["entity"], names["project"], names["uid"])


@declare(RunAction.VIEW)
@require_GET
def run_short(request: HttpRequest, entity: str, project: str, uid: str) -> HttpResponse:
    """Lead ``/entity/project/id`` to the run's page."""
    run = selectors.get_run(actor_of(request), entity, project, uid)
    return redirect("metrics:run_workspace", entity, project, run.uid)


def _alerts(run: Run) -> list[dict[str, Any]]:
    levels = {"INFO": _("Info"), "WARN": _("Warning"), "ERROR": _("Error")}
    return [
        {"level": alert.level, "label": levels.get(alert.level, alert.level), "title": mask(alert.title),
         "text": mask(alert.text), "at": alert.at}
        for alert in RunAlert.objects.filter(run=run, is_sent=True)[:_LISTED]
    ]  # fmt: skip


@declare(RunAction.VIEW)
@never_cache
@require_GET
def run_overview(request: HttpRequest, **names: str) -> HttpResponse:
    """Show what the run is, its life, its configuration and summary (RUN-40)."""
    run = run_of(request, names)
    revealed = is_revealed(request, run)
    environment, found = environment_facts(run, revealed=revealed)
    suggested = ["metadata.args"] if found else []
    parts = []
    for part in PARTS:
        nodes, some = nodes_of(_shown_tree_of(run, part), revealed=revealed)
        parts.append({"id": part, "nodes": nodes, "leaves": leaves_of(nodes, _BEFORE_SCRIPT)})
        found += some
        suggested += [f"config.{one.where}" for one in some if part == "config"]
    texts = {name: getattr(run, name) for name in ("notes", "description")}
    shown = texts if revealed else {name: mask(text) for name, text in texts.items()}
    found += [FoundSecret(name, "text") for name, text in texts.items() if mask(text) != text]
    context = {
        "texts": shown,
        **run_context(actor_of(request), run, tab="overview"),
        "facts": about_facts(run),
        "environment": environment,
        "config": parts[0],
        "summary": parts[1],
        "timeline": timeline_of(run),
        "alerts": _alerts(run),
        "definitions": definitions_of(run).listed(),
        "bad_lines": bad_lines_of(run),
        "secrets": found,
        "suggested_keys": "\n".join(suggested),
        "revealed": revealed,
    }
    return render(request, "runs/run_page/overview/page.html", context)


@declare(RunAction.VIEW)
@never_cache
@require_GET
def run_head(request: HttpRequest, **names: str) -> HttpResponse:
    """Return what changes in a run's head: state, runtime, the stop button, a hint when there is no signal (RUN-44)."""
    run = run_of(request, names)
    context = run_context(actor_of(request), run, tab="", read_only=is_framed(request))
    return render(request, "runs/run_page/facts.html", {**context, "is_update": True})


@declare(RunAction.VIEW)
@never_cache
@require_GET
def run_values(request: HttpRequest, part: str, **names: str) -> HttpResponse:
    """Return the nodes of config or summary, or with ``raw`` its JSON as a file, secrets masked."""
    run = run_of(request, names)
    if part not in PARTS:
        raise Invalid(f"Use config or summary, not {part[:40]!r}.")
    revealed = is_revealed(request, run)
    if "raw" not in request.GET:
        return JsonResponse({"nodes": nodes_of(_shown_tree_of(run, part), revealed=revealed)[0]})
    tree = _tree_of(run, part)
    shown = tree if revealed else mask_tree(tree)[0]
    reply = HttpResponse(strict_json(shown, indent=2), content_type="application/json")
    reply["Content-Disposition"] = attachment(f"{run.uid}-{part}.json")
    return reply


def _done(request: HttpRequest, run: Run) -> HttpResponse:
    """Answer an edit: the run as it is now to a script, the page again to a form."""
    if "text/html" in request.headers.get("Accept", ""):
        return redirect("runs:run_overview", run.project.team.name, run.project.name, run.uid)
    run.refresh_from_db()
    return JsonResponse({name: getattr(run, name) for name in [*sorted(EDITABLE), "tags"]})


@declare(RunAction.UPDATE)
@require_POST
def run_edit(request: HttpRequest, **names: str) -> HttpResponse:
    """Set the fields that are given: ``display_name``, ``notes``, ``description``, ``group``, ``job_type``."""
    run = run_of(request, names)
    given: dict[str, Any] = {name: str(value) for name, value in request.POST.items() if name in EDITABLE}
    if "display_name" in given and not given["display_name"].strip():
        raise Invalid(_("Enter a name for the run."))
    lifecycle.update_run(actor=actor_of(request), run=run, fields=RunFields(**given))
    return _done(request, run)


@declare(RunAction.UPDATE)
@require_POST
def run_tag(request: HttpRequest, **names: str) -> HttpResponse:
    """Add the tag ``add``, or take the tag ``remove`` away."""
    run, actor = run_of(request, names), actor_of(request)
    require(actor, RunAction.UPDATE, run)
    added, removed = request.POST.get("add", "").strip(), request.POST.get("remove", "")
    change = (
        partial(annotations.tag_runs, tags=[added])
        if added
        else partial(annotations.untag_runs, tags=[removed])
    )
    if refused := change(actor=actor, run_ids=[run.pk]).refused:
        raise Invalid(refused[run.uid])
    return _done(request, run)


@declare(RunAction.VIEW)
@require_GET
def run_tags(request: HttpRequest, **names: str) -> HttpResponse:
    """Return the tags that runs of the project have, for completion."""
    run = run_of(request, names)
    return JsonResponse({"tags": selectors.project_tags(actor_of(request), run.project)})


@declare(RunAction.UPDATE)
@person_only
@require_POST
def run_reveal(request: HttpRequest, **names: str) -> HttpResponse:
    """Show what is masked as a secret for some minutes, or with ``hide`` no longer."""
    run = run_of(request, names)
    if "hide" in request.POST:
        conceal(request, run)
    else:
        reveal_secrets(actor=actor_of(request), run=run)
        reveal(request, run)
    tab = "runs:run_logs" if request.POST.get("tab") == "logs" else "runs:run_overview"
    return redirect(tab, names["entity"], names["project"], names["uid"])


@declare(RunAction.DELETE)
@require_POST
def run_redact(request: HttpRequest, **names: str) -> HttpResponse:
    """Remove the values of ``keys``, one a line, from the run for good."""
    run = run_of(request, names)
    require(actor_of(request), RunAction.DELETE, run)
    try:
        keys = read_keys([request.POST.get("keys", "")])
        redact_run(actor=actor_of(request), run=run, keys=keys)
        messages.success(request, _("Values redacted: %(keys)s") % {"keys": ", ".join(keys)})
    except Invalid as error:
        messages.error(request, error.message)
    return redirect("runs:run_overview", names["entity"], names["project"], run.uid)


@declare(RunAction.STOP)
@require_POST
def run_stop(request: HttpRequest, **names: str) -> HttpResponse:
    """Ask the run to stop, and go back to the tab where that was."""
    run = run_of(request, names)
    lifecycle.stop_run(actor=actor_of(request), run=run)
    messages.info(request, _("The run was asked to stop."))
    charts = reverse("metrics:run_workspace", args=[names["entity"], names["project"], run.uid])
    return redirect(page_of_ours(request, request.POST.get("next", ""), charts))
