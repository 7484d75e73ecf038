"""Registries of organizations and teams: what there is, a new one, and those that were deleted."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from access.engine import require
from access.routes import Open, declare
from access.web.requests import actor_of
from artifacts.access import RegistryAction
from artifacts.models import Registry
from artifacts.pages.addresses import registry_page
from artifacts.pages.registries import (
    as_deleted,
    creatable_in,
    deleted_registries,
    grouped,
    matching,
    model_code,
    registry_rows,
)
from artifacts.registries.selectors import can_begin_model_registry, get_organization, registries_seen
from artifacts.registries.services import create_registry, ensure_model_registry, restore_registry
from artifacts.views.registries.forms import NewRegistryForm
from common.errors import Conflict, Invalid, NotFound
from common.formats.numbers import parse_int
from common.web.responses import fragment
from runs.access import ProjectAction
from runs.selectors import get_team

_MOST_TEXT = 200


@declare(Open.SIGNED_IN)
@never_cache
@require_GET
def registries(request: HttpRequest) -> HttpResponse:
    """List all registries that the viewer sees, by organization; teams' own model registries after them."""
    return _render(request)


@declare(RegistryAction.VIEW)
@never_cache
@require_GET
def registries_of(request: HttpRequest, entity: str) -> HttpResponse:
    """List the registries of an organization and its teams, or the model registry of a team."""
    actor = actor_of(request)
    try:
        organization = get_organization(actor, entity)
    except NotFound:
        return _render(request, team=get_team(actor, entity))
    return _render(request, organization=organization)


def _render(request: HttpRequest, **place: Any) -> HttpResponse:
    """Render the registries of a place: ``organization``, ``team``, or without either all."""
    actor = actor_of(request)
    text = request.GET.get("q", "").replace("\x00", "").strip()[:_MOST_TEXT]
    rows, creatable = registries_seen(actor), creatable_in(actor)
    if place:
        ((name, owner),) = place.items()
        rows = rows.filter(**{f"project__team__{name}" if name == "organization" else "project__team": owner})
        creatable = creatable.filter(pk=owner.pk) if name == "organization" else creatable.none()
    shown = registry_rows(actor, matching(rows, text))
    groups = grouped(shown, creatable, shows_empty=not text)
    context = {
        **place,
        "groups": groups,
        "q": text,
        "can_create": creatable.exists(),
        "can_create_models": "team" in place and can_begin_model_registry(actor, place["team"]),
        "code": model_code(place["team"].name) if "team" in place else "",
        "can_restore": deleted_registries(actor).exists(),
    }
    return render(request, fragment(request, "artifacts/registries/list.html", "groups"), context)


@declare(RegistryAction.CREATE)
@never_cache
@require_http_methods(["GET", "POST"])
def new_registry(request: HttpRequest, entity: str) -> HttpResponse:
    """Create a registry of an organization."""
    actor = actor_of(request)
    organization = get_organization(actor, entity)
    require(actor, RegistryAction.CREATE, organization)
    form = NewRegistryForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            registry = create_registry(actor=actor, organization=organization, **form.given())
        except (Conflict, Invalid) as refusal:
            form.add_error("name", refusal.message)
        else:
            messages.success(request, _("Registry “%(name)s” created.") % {"name": registry.name})
            return redirect(registry_page(registry))
    context = {"organization": organization, "form": form}
    return render(request, "artifacts/registries/new.html", context, status=422 if form.errors else 200)


@declare(ProjectAction.CREATE)
@require_POST
def new_model_registry(request: HttpRequest, entity: str) -> HttpResponse:
    """Create the model registry of a team or a person, as the first ``run.link_model`` does."""
    actor = actor_of(request)
    team = get_team(actor, entity)
    require(actor, ProjectAction.CREATE, team)
    registry = ensure_model_registry(actor=actor, team=team)
    messages.success(request, _("Model registry created."))
    return redirect(registry_page(registry))


@declare(Open.SIGNED_IN)
@never_cache
@require_http_methods(["GET", "POST"])
def deleted(request: HttpRequest) -> HttpResponse:
    """List deleted registries that the viewer may restore; POST restores one."""
    rows = deleted_registries(actor_of(request))
    if request.method == "POST":
        return _restore(request, rows.filter(pk=parse_int(request.POST.get("restore", "")) or 0).first())
    context = {"rows": [as_deleted(row) for row in rows], "row_icon": "library"}
    return render(request, "artifacts/registries/deleted.html", context)


def _restore(request: HttpRequest, registry: Registry | None) -> HttpResponse:
    if registry is None:
        messages.error(request, _("This doesn’t exist, or it can no longer be restored."))
        return redirect("artifacts:deleted_registries")
    try:
        restore_registry(actor=actor_of(request), registry=registry)
    except Conflict as refusal:
        messages.error(request, refusal.message)
        return redirect("artifacts:deleted_registries")
    messages.success(request, _("“%(name)s” restored.") % {"name": registry.name})
    return redirect(registry_page(registry))
