"""The page of a version: what it is, its files, its lineage, and how it differs from another."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from access.actor import Actor
from access.engine import visible
from access.routes import declare
from access.web.requests import actor_of
from artifacts.access import ArtifactAction
from artifacts.lineage.graph import lineage_of
from artifacts.lineage.selectors import run_that_logged, runs_using
from artifacts.models import AliasChange, Collection, Membership
from artifacts.pages.addresses import collection_page, version_page
from artifacts.pages.code import api_code, usage_code
from artifacts.pages.lineage import connections_of, graph_document
from artifacts.pages.registry_links import registries_taking
from artifacts.registries.selectors import can_begin_model_registry
from artifacts.versions.aliases import add_aliases, delete_aliases
from artifacts.versions.deletion import delete_version
from artifacts.versions.services import Changes, update_version
from artifacts.versions.time_to_live import ends_of, inherited_ttl
from artifacts.views.collection import DAY_S, ttl_of_form
from artifacts.views.refusals import refusals_shown
from artifacts.views.rows import place_of, rights_of
from artifacts.views.steps import offer_undo
from common.errors import Conflict
from runs.run_page.value_tree import leaves_of, nodes_of, read_tree

_LISTED = 50
_BEFORE_SCRIPT = 200


def version_context(request: HttpRequest, place: Membership, *, tab: str) -> dict[str, Any]:
    """Return the context of ``artifacts/version/base.html``."""
    rights, actor = rights_of(request, place.collection), actor_of(request)
    can_link = rights["can_download"] and (
        registries_taking(actor, place.version.collection.type.name).exists()
        or can_begin_model_registry(actor, place.collection.project.team)
    )
    return {
        "project": place.collection.project,
        "team": place.collection.project.team,
        "collection": place.collection,
        "place": place,
        "version": place.version,
        "ends_at": ends_of([place.version]).get(place.version_id),
        "tab": tab,
        "can_link": can_link,
        **rights,
    }


def _other_places(actor: Actor, place: Membership) -> list[Membership]:
    """Return where else the version is, as far as the actor may see it."""
    others = [one for one in place.version.memberships.all() if one.pk != place.pk]
    live = Collection.objects.live().filter(pk__in=[one.collection_id for one in others])
    seen = set(visible(actor, ArtifactAction.VIEW, live).values_list("pk", flat=True))
    return [one for one in others if one.collection_id in seen]


@declare(ArtifactAction.VIEW)
@never_cache
@require_GET
def version(request: HttpRequest, **names: str) -> HttpResponse:
    """Show what the version is, who logged it and who used it, and the history of its aliases."""
    place, actor = place_of(request, names), actor_of(request)
    row = place.version
    users, hidden = runs_using(actor, row)
    nodes, _secrets = nodes_of(read_tree(row.metadata_text))
    changes = AliasChange.objects.filter(collection=place.collection, index=place.index).select_related(
        "user"
    )
    others = _other_places(actor, place)
    context = {
        **version_context(request, place, tab="overview"),
        "other_places": others,
        "source": next((one for one in others if one.collection_id == row.collection_id), None),
        "logged_by": run_that_logged(actor, row),
        "users": users[:_LISTED],
        "users_more": max(0, len(users) - _LISTED),
        "users_hidden": hidden,
        "metadata": leaves_of(nodes, _BEFORE_SCRIPT),
        "changes": changes[:_LISTED],
        "usage_code": usage_code(place),
        "api_code": api_code(place),
        "ttl_days": row.ttl_s // DAY_S if row.ttl_s else None,
        "inherited_days": inherited_ttl(row.collection) // DAY_S,
    }
    return render(request, "artifacts/version/overview.html", context)


@declare(ArtifactAction.VIEW)
@never_cache
@require_GET
def lineage(request: HttpRequest, **names: str) -> HttpResponse:
    """Show what the version was made from and what was made of it, as a graph and as a list."""
    place = place_of(request, names)
    graph = lineage_of(actor_of(request), place)
    document = graph_document(graph)
    if request.GET.get("format") == "json":
        return JsonResponse(document)
    context = {
        **version_context(request, place, tab="lineage"),
        "graph": graph,
        "document": document,
        "rows": connections_of(document),
    }
    return render(request, "artifacts/version/lineage.html", context)


def _changes_of(given: Any) -> Changes:
    return Changes(
        description=given.get("description"),
        metadata=given.get("metadata"),
        tags_to_add=[word.strip() for word in given.get("add_tag", "").split(",") if word.strip()],
        tags_to_remove=[given["remove_tag"]] if given.get("remove_tag") else [],
        has_ttl="ttl" in given,
        ttl_s=ttl_of_form(given.get("ttl", ""), given.get("ttl_days", "")),
        is_protected=given["protected"] == "on" if "protected" in given else None,
    )


@declare(ArtifactAction.UPDATE)
@require_POST
def version_update(request: HttpRequest, **names: str) -> HttpResponse:
    """Change description, metadata, tags, time to live or protection: whatever the form sends."""
    place = place_of(request, names)
    with refusals_shown(request):
        update_version(actor=actor_of(request), version=place.version, changes=_changes_of(request.POST))
    return redirect(version_page(place))


@declare(ArtifactAction.SET_ALIAS)
@require_POST
def version_aliases(request: HttpRequest, **names: str) -> HttpResponse:
    """Give the version the aliases in ``add``, or take the one in ``remove`` from it."""
    place, actor = place_of(request, names), actor_of(request)
    with refusals_shown(request):
        if request.POST.get("remove"):
            delete_aliases(actor=actor, membership=place, names=[request.POST["remove"]])
        else:
            wanted = [word.strip() for word in request.POST.get("add", "").split(",") if word.strip()]
            add_aliases(actor=actor, membership=place, names=wanted)
    return redirect(version_page(place))


@declare(ArtifactAction.DELETE)
@require_POST
def version_delete(request: HttpRequest, **names: str) -> HttpResponse:
    """Delete the version with its aliases, and show its collection."""
    place, at = place_of(request, names), timezone.now()
    try:
        delete_version(actor=actor_of(request), version=place.version, with_aliases=True, at=at)
    except Conflict as refusal:
        messages.error(request, refusal.message)
        return redirect(version_page(place))
    offer_undo(request, at, 1)
    return redirect(collection_page(place.collection))
