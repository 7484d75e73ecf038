"""The Code tab: saved files, changes that were not committed, packages, and the environment beside another run's."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.actor import Actor
from access.routes import declare
from access.web.requests import actor_of
from runs.access import RunAction
from runs.code.environments import compare_environments, packages_of, runs_beside, steps_to_repeat
from runs.code.patches import read_patch
from runs.code.saved import CONDA, PATCH, REQUIREMENTS, SavedCode, text_of, tree_of
from runs.files.code_saving import code_refusal_reason
from runs.models import Run
from runs.run_page.context import run_context
from runs.run_page.overview import environment_facts, program_of
from runs.secrets.reveal import is_revealed
from runs.selectors import environments_of, get_run
from runs.views.run import run_of


@declare(RunAction.VIEW)
@never_cache
@require_GET
def run_code(request: HttpRequest, **names: str) -> HttpResponse:
    """Show one part of a run's code beside the list of all; HTMX asks for the part alone."""
    run, actor = run_of(request, names), actor_of(request)
    code = SavedCode(actor, run)
    show = request.GET.get("show", "")
    part = show if show in _PARTS else "file"
    context = {
        **run_context(actor, run, tab="code"),
        "code": code,
        "part": part,
        "part_template": f"runs/code/{part}.html",
        "revealed": is_revealed(request, run),
        **_PARTS[part](request, actor, run, code),
    }
    if _is_fragment(request):
        return render(request, context["part_template"], context)
    context |= {
        "trees": [(source, tree_of(source)) for source in code.sources],
        "requirements": code.named(REQUIREMENTS),
        "conda": code.named(CONDA),
        "refused": "" if code.sources else code_refusal_reason(run),
    }
    return render(request, "runs/code/page.html", context)


def _is_fragment(request: HttpRequest) -> bool:
    htmx: Any = request.htmx  # type: ignore[attr-defined]  # of HtmxMiddleware
    return bool(htmx) and not htmx.history_restore_request


def _file(request: HttpRequest, _actor: Actor, run: Run, code: SavedCode) -> dict[str, Any]:
    key = request.GET.get("file", "")
    file = (
        (code.find(key) or code.named(key))
        if key
        else code.main_file(program_of(run, environments_of(run)[0]))
    )
    return {"file": file, "text": text_of(file, revealed=is_revealed(request, run))}


def _changes(request: HttpRequest, _actor: Actor, run: Run, code: SavedCode) -> dict[str, Any]:
    name = request.GET.get("patch", "") or (code.patches[0].name if code.patches else PATCH)
    file = code.named(name)
    text = text_of(file, revealed=is_revealed(request, run))
    patch = read_patch(text.text, is_cut=text.is_cut) if text else None
    return {"file": file, "text": text, "patch": patch}


def _packages(_request: HttpRequest, _actor: Actor, _run: Run, code: SavedCode) -> dict[str, Any]:
    return {"file": code.named(REQUIREMENTS), "packages": packages_of(code)}


def _environment(request: HttpRequest, actor: Actor, run: Run, code: SavedCode) -> dict[str, Any]:
    facts, _secrets = environment_facts(run, revealed=is_revealed(request, run))
    others, uid = runs_beside(actor, run), request.GET.get("with", "")
    context: dict[str, Any] = {"facts": facts, "steps": steps_to_repeat(run, code), "others": others}
    if uid:
        other = get_run(actor, run.project.team.name, run.project.name, uid)
        if other not in others:
            others.append(other)
        context["comparison"] = compare_environments(actor, run, code, other)
    return context


_PARTS: dict[str, Callable[[HttpRequest, Actor, Run, SavedCode], dict[str, Any]]] = {
    "file": _file,
    "changes": _changes,
    "packages": _packages,
    "environment": _environment,
}
