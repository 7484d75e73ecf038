"""Lists of automations, what one of them did, and what is done with it (ALR-6)."""

from collections.abc import Callable
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from access.engine import can, require
from access.routes import Open, declare
from access.web.requests import actor_of
from alerts.access import AlertAction
from alerts.outbox.services import retry_message
from alerts.views.scope import team_in
from artifacts.registries.selectors import get_registry
from automations.access import AutomationAction
from automations.conditions.events import ARTIFACT_EVENTS, SWEEP_EVENTS
from automations.editor.choices import PAUSES
from automations.editor.words import event_words, runs_words
from automations.firing.plan import has_automations
from automations.history import executions, seen_messages, with_causes
from automations.models import Automation
from automations.selectors import (
    automation_summaries,
    automations_of,
    creatable_projects,
    get_automation,
    seen_automations,
)
from automations.services import AutomationFields, change_automation, copy_automation, delete_automation
from automations.views.scope import home_of, may_create, scope_of
from common.errors import NotFound
from common.rest.responses import is_key
from teams.scope import PageScope, scoped, scoped_by
from teams.teams.selectors import personal_team_of
from teams.views.base import answer

_PER_PAGE = 25


def _list(request: HttpRequest, scope: PageScope) -> HttpResponse:
    actor = actor_of(request)
    rows = [
        (row, home_of(row.automation))
        for row in automation_summaries(actor, automations_of(actor, team_in(scope), scope.project))
    ]
    context = {
        **scope.context("automations"),
        "rows": rows,
        "has_feature": has_automations(team_in(scope)),
        "can_create": may_create(request, scope),
        "shows_project": scope.project is None,
    }
    return render(request, "automations/list.html", context)


@never_cache
@require_GET
@scoped
def automation_list(request: HttpRequest, scope: PageScope) -> HttpResponse:
    """List the automations of a team, or those that act in a project: its own and those of all projects."""
    return _list(request, scope)


@declare(AutomationAction.VIEW)
@never_cache
@require_GET
def of_registry(request: HttpRequest, entity: str, name: str) -> HttpResponse:
    """Lead to the automations of a registry, which are where those of projects are."""
    registry = get_registry(actor_of(request), entity, name)
    require(actor_of(request), AutomationAction.VIEW, registry.project)
    return redirect(scope_of(registry.project.team, registry.project).url("automations"))


@declare(Open.SIGNED_IN)
@never_cache
@require_GET
def own(request: HttpRequest) -> HttpResponse:
    """Settings, section Automations: those of the viewer's personal projects."""
    team = personal_team_of(actor_of(request))
    if team is None:
        raise NotFound(_("This account has no personal entity."))
    require(actor_of(request), AutomationAction.VIEW, team)
    return _list(request, scope_of(team))


def _about(automation: Automation) -> dict[str, Any]:
    """Return what a page says of an automation above its history."""
    pauses = {seconds: str(label) for seconds, label in PAUSES}
    seconds = automation.once_in_s
    return {
        "automation": automation,
        "when": event_words(automation),
        "runs": runs_words(automation),
        "is_of_artifacts": automation.event in ARTIFACT_EVENTS,
        "is_of_sweeps": automation.event in SWEEP_EVENTS,
        "pause": pauses.get(seconds, _("%(n)d seconds") % {"n": seconds}),
    }


@never_cache
@require_GET
@scoped_by("")
def detail(request: HttpRequest, scope: PageScope, pk: int) -> HttpResponse:
    """Show what an automation is, and page by page what it did; ``state`` narrows to waiting, sent or failed."""
    actor = actor_of(request)
    automation = get_automation(actor, team_in(scope), scope.project, pk)
    messages = with_causes(seen_messages(actor).filter(automation=automation))
    state = request.GET.get("state", "")
    if state in {"waiting", "sent", "failed"}:
        messages = messages.filter(state=state)
    page = Paginator(messages, _PER_PAGE).get_page(request.GET.get("page"))
    can_manage = can(actor, AutomationAction.MANAGE, automation)
    context = {
        **scope.context("automations"),
        **_about(automation),
        "page": page,
        "executions": executions(actor, list(page.object_list)),
        "state": state,
        "can_manage": can_manage,
        "can_retry": can_manage or can(actor, AlertAction.MANAGE, team_in(scope)),
        "can_copy": may_create(request, scope),
        "projects": creatable_projects(actor, team_in(scope)),
        "urls": {part: scope.url(f"automation_{part}", pk) for part in ("edit", "act")},
    }
    return render(request, "automations/detail.html", context)


@require_POST
@scoped_by("")
def perform(request: HttpRequest, scope: PageScope, pk: int) -> HttpResponse:
    """Switch, copy or delete an automation, or retry a message of it, as the button ``act`` says."""
    actor = actor_of(request)
    automation = get_automation(actor, team_in(scope), scope.project, pk)
    action = _ACTIONS.get(request.POST.get("act", ""))
    if action is None:
        return redirect(scope.url("automation", pk))
    if request.headers.get("HX-Request") and action is _switch:
        _switch(request, automation)
        rows = automation_summaries(actor, seen_automations(actor).filter(pk=pk))
        shows_project = bool(request.POST.get("shows_project"))
        context = {"row": rows[0], "home": scope, "shows_project": shows_project}
        return render(request, "automations/row.html", context)
    back = (
        scope.url("automations")
        if action is _delete
        else request.POST.get("next") or scope.url("automation", pk)
    )
    return answer(request, lambda: action(request, automation), _own_path(back, scope, pk))


def _own_path(path: str, scope: PageScope, pk: int) -> str:
    """Return where to go back to: only the list or the automation's own page."""
    own = scope.url("automation", pk)
    return path if path in {scope.url("automations"), own} else own


def _switch(request: HttpRequest, automation: Automation) -> str:
    is_on = request.POST.get("act") == "on"
    change_automation(actor=actor_of(request), automation=automation, fields=AutomationFields(is_on=is_on))
    message = (
        _("%(name)s turned on.")
        if is_on
        else _("%(name)s turned off. It does nothing until you turn it on again.")
    )
    return message % {"name": automation.name}


def _copy(request: HttpRequest, automation: Automation) -> str:
    actor, name = actor_of(request), request.POST.get("project", "")
    project = automation.project
    if name:
        project = creatable_projects(actor, automation.team).filter(name=name).first()
        if project is None:
            raise NotFound(_("This project doesn’t exist here, or you cannot create automations in it."))
    copy_name = request.POST.get("name", "").strip() or _("Copy of %(name)s") % {"name": automation.name}
    copy = copy_automation(actor=actor, automation=automation, name=copy_name[:128], project=project)
    return _("%(name)s created for %(where)s.") % {
        "name": copy.name, "where": copy.project or _("all projects")
    }  # fmt: skip


def _delete(request: HttpRequest, automation: Automation) -> str:
    delete_automation(actor=actor_of(request), automation=automation)
    return _("%(name)s and its history deleted.") % {"name": automation.name}


def _retry(request: HttpRequest, automation: Automation) -> str:
    text = request.POST.get("message", "")
    rows = seen_messages(actor_of(request)).filter(automation=automation)
    message = rows.filter(pk=int(text)).first() if is_key(text) else None
    if message is None:
        raise NotFound(_("This is no longer in the history."))
    retry_message(actor=actor_of(request), message=message)
    return _("Retrying now.")


_ACTIONS: dict[str, Callable[[HttpRequest, Automation], str]] = {
    "on": _switch, "off": _switch, "copy": _copy, "delete": _delete, "retry": _retry
}  # fmt: skip
