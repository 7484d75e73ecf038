"""The page "Explain access" of a team, of an organization, and of oneself: why, or why not (TEAM-21)."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.actions import ActionSpec, actions_by_group, all_actions
from access.actor import Actor
from access.resource_paths import named_models, resolve_path
from access.resources.registry import explainable_models
from access.web.requests import actor_of
from common.errors import DomainError, NotFound
from common.web.responses import fragment
from teams.explain import choices
from teams.explain.services import Question, explain_to
from teams.models import Organization, Team
from teams.roles.builtin import addable_actions
from teams.scope import PageScope, scoped


@never_cache
@require_GET
@scoped
def explain(request: HttpRequest, scope: PageScope) -> HttpResponse:
    """Explain what somebody may in a team, or in an organization and its teams; on one's own page what one may oneself.

    Pages that refuse something lead to one's own.
    """
    if scope.row is None:
        return _page(request, "teams/explain/own.html", {}, None)
    if scope.team is not None:
        return _page(request, "teams/explain/team.html", {"team": scope.team}, scope.team)
    organization = scope.organization
    return _page(request, "teams/explain/organization.html", {"organization": organization}, organization)


def _page(
    request: HttpRequest, template: str, context: dict[str, Any], within: Team | Organization | None
) -> HttpResponse:
    asker = actor_of(request)
    question = Question(
        action=request.GET.get("action", ""),
        on=request.GET.get("on", "").strip() or (within.name if within else ""),
        user=request.GET.get("user", "") if within else "",
        key=request.GET.get("key", "").strip(),
    )
    # called by the templates that list them, which the answer alone does not
    context |= {
        "question": question,
        "groups": lambda: _actions_on(asker, question.on),
        "people": lambda: choices.people_of(within) if within else [],
        "paths": lambda: choices.paths_of(asker, within),
        "keys": lambda: choices.keys_of(asker, within),
    }
    if request.headers.get("HX-Target") == "explain-what":  # another thing is named: nothing is asked yet
        return render(request, "teams/explain/action_field.html", context)
    if question.action:
        try:
            context["found"] = explain_to(asker, question, within=within)
        except DomainError as error:
            context["problem"] = error.message
    return render(request, fragment(request, template, "answer"), context)


def _actions_on(asker: Actor, named: str) -> dict[str, dict[str, ActionSpec]]:
    """Return the actions that apply to what is named, to anything that has a name where nothing is, by group.

    What is done in teams comes first, as it is asked about most.
    """
    try:
        kinds = frozenset({resolve_path(asker, named)._meta.label})
    except NotFound:
        kinds = named_models()
    groups = actions_by_group(
        {action for action, spec in all_actions() if kinds & explainable_models(spec.on)}
    )
    of_teams = addable_actions()
    return dict(sorted(groups.items(), key=lambda group: of_teams.isdisjoint(group[1])))
