"""Linking a version into a registry."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from access.routes import declare
from access.web.requests import actor_of
from artifacts.access import ArtifactAction, require_for
from artifacts.models import Membership, Registry
from artifacts.pages.addresses import version_page
from artifacts.pages.registry_links import collections_taking, registries_taking
from artifacts.registries.selectors import can_begin_model_registry
from artifacts.registries.services import ensure_model_registry
from artifacts.versions.links import link_version
from artifacts.versions.protection import protected_in
from artifacts.views.registries.forms import words_of
from artifacts.views.rows import place_of
from artifacts.views.version import version_context
from common.errors import Conflict, Forbidden, Invalid
from common.formats.numbers import parse_int


@declare(ArtifactAction.DOWNLOAD)
@never_cache
@require_http_methods(["GET", "POST"])
def link(request: HttpRequest, **names: str) -> HttpResponse:
    """Show the form that links a version, and link it; HTMX asks for what depends on the registry chosen."""
    place, actor = place_of(request, names), actor_of(request)
    require_for(actor, ArtifactAction.DOWNLOAD, place.version)
    given = request.POST if request.method == "POST" else request.GET
    offered = list(registries_taking(actor, place.version.collection.type.name))
    wanted = parse_int(given.get("registry", "")) or 0
    chosen = next((row for row in offered if row.pk == wanted), None)
    error = ""
    team = place.collection.project.team
    if "create_models" in request.POST:
        made = ensure_model_registry(actor=actor, team=team)
        return redirect(f"{version_page(place, 'version_link')}?registry={made.pk}")
    if request.method == "POST":
        try:
            return _link(request, place, chosen)
        except (Conflict, Invalid, Forbidden) as refusal:
            error = refusal.message
    context: dict[str, Any] = {
        **version_context(request, place, tab="link"),
        "offered": offered,
        "chosen": chosen,
        "can_create_models": can_begin_model_registry(actor, team),
        "suggested": collections_taking(chosen, place.version.collection.type.name) if chosen else [],
        "protected_there": sorted(protected_in(chosen.project)) if chosen else [],
        "name": given.get("name", "") or place.version.collection.name,
        "aliases": given.get("aliases", ""),
        "error": error,
    }
    part = "artifacts/version/link.html"
    if request.htmx:  # type: ignore[attr-defined]  # of HtmxMiddleware
        part += "#target" if "registry" in given else "#form"
    return render(request, part, context, status=422 if error else 200)


def _link(request: HttpRequest, place: Membership, registry: Registry | None) -> HttpResponse:
    if registry is None:
        raise Invalid(_("Choose a registry."))
    linked = link_version(
        actor=actor_of(request), version=place.version, project=registry.project,
        name=request.POST.get("name", "").strip(), aliases=words_of(request.POST.get("aliases", "")),
    )  # fmt: skip
    there = f"{registry.project.team.name} / {registry.name} / {linked.collection.name}:{linked.label}"
    text = _("Linked to %(place)s.")
    link_there = format_html('<a href="{}">{}</a>', version_page(linked), there)
    messages.success(request, format_html(text.replace("%(place)s", "{}"), link_there))
    return redirect(version_page(place))
