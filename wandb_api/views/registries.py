"""W&B's addresses of registries, which its SDKs print of linked versions; the pages of ours check who may see them.

Source: wandb 0.31.0, ``wandb/sdk/artifacts/artifact.py``: ``_construct_registry_url`` and the one after it.
"""

from contextlib import suppress

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from access.actor import Actor
from access.routes import Open, declare
from access.web.requests import actor_of
from artifacts.pages.addresses import collection_page, version_page
from artifacts.registries.selectors import get_registry
from artifacts.selectors import find_membership, get_collection
from common.errors import NotFound
from runs.names.registries import MODEL_REGISTRY


@declare(Open.ANYONE)
@require_safe
def model_registry(request: HttpRequest, entity: str) -> HttpResponse:
    """Lead to the version of a team's model registry that the address selects, or to the registry."""
    return _lead(request, entity, MODEL_REGISTRY)


@declare(Open.ANYONE)
@require_safe
def registry(request: HttpRequest, entity: str, name: str, rest: str = "") -> HttpResponse:
    """Lead to the version of an organization's registry that the address selects, or to the registry."""
    return _lead(request, entity, name)


def _lead(request: HttpRequest, entity: str, name: str) -> HttpResponse:
    path = request.GET.get("selectionPath", "").strip("/")
    selected = _selected(actor_of(request), path, request.GET.get("version", ""))
    return redirect(selected) if selected else redirect("artifacts:registry", entity, name)


def _selected(actor: Actor, path: str, label: str) -> str:
    """Return the page of ``entity/registry/collection``, or of its version of this label; "" for what is not seen."""
    with suppress(NotFound, ValueError):
        entity, registry, name = path.split("/")
        collection = get_collection(actor, get_registry(actor, entity, registry).project, name)
        place = find_membership(collection, label) if label else None
        return collection_page(collection) if place is None else version_page(place)
    return ""
