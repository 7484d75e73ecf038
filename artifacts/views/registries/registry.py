"""The page of a registry: the collections into which versions are linked."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.engine import can
from access.routes import declare
from access.web.requests import actor_of
from artifacts.access import ArtifactAction, RegistryAction
from artifacts.models import Registry
from artifacts.pages.addresses import registry_page
from artifacts.pages.registries import linking_code, role_names, types_taken
from artifacts.pages.registry_collections import collections_linked, rows_of
from artifacts.pages.trash import deleted_collections
from artifacts.registries.selectors import counted
from artifacts.selectors import types_of
from artifacts.versions.protection import protected_in
from artifacts.views.registries.base import registry_context, registry_of
from common.web.responses import fragment

_A_PAGE = 50
_MOST_TEXT = 200


@declare(RegistryAction.VIEW)
@never_cache
@require_GET
def registry(request: HttpRequest, **names: str) -> HttpResponse:
    """List the collections of a registry with their newest versions."""
    row, actor = registry_of(request, names), actor_of(request)
    text = request.GET.get("q", "").replace("\x00", "").strip()[:_MOST_TEXT]
    chosen = request.GET.get("type", "")
    listed = collections_linked(actor, row, type_name=chosen, text=text)
    page = Paginator(listed, _A_PAGE).get_page(request.GET.get("page"))
    types: list[Any] = list(types_of(actor, row.project))  # with ``collection_count``
    context = {
        **registry_context(request, row),
        "counts": counted(Registry.objects.filter(pk=row.pk)).get(),
        "types": types,
        "total": sum(one.collection_count for one in types),
        "taken": types_taken(row),
        "role_name": role_names(actor, [row]).get(row.pk, ""),
        "chosen_type": chosen,
        "q": text,
        "page": page,
        "rows": rows_of(list(page.object_list)),
        "can_link": can(actor, ArtifactAction.CREATE, row.project),
        "can_restore": bool(deleted_collections(actor, row.project)),
        "protected": protected_in(row.project),
        "code": linking_code(row),
    }
    return render(request, fragment(request, "artifacts/registries/registry.html", "rows"), context)


@declare(RegistryAction.VIEW)
@never_cache
@require_GET
def project_page(request: HttpRequest, **names: str) -> HttpResponse:
    """Lead from the address that a registry has as a project to its own page."""
    return redirect(registry_page(registry_of(request, names)))
