"""The settings of a registry, and its deletion."""

from django.conf import settings as django_settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from access.engine import can
from access.routes import declare
from access.web.requests import actor_of
from artifacts.access import RegistryAction
from artifacts.models import Registry
from artifacts.pages.addresses import registry_page
from artifacts.registries.services import MAX_NAME, RegistryChanges, delete_registry, update_registry
from artifacts.views.registries.base import registry_context, registry_of
from artifacts.views.registries.forms import EVERYONE, words_of
from common.errors import Conflict, Invalid


@declare(RegistryAction.UPDATE)
@never_cache
@require_http_methods(["GET", "POST"])
def settings(request: HttpRequest, **names: str) -> HttpResponse:
    """Show and change name, description, visibility, types and protected aliases: whatever the form sends."""
    registry, actor = registry_of(request, names, RegistryAction.UPDATE), actor_of(request)
    if request.method == "POST":
        return _save(request, registry)
    context = {
        **registry_context(request, registry),
        "types": list(registry.project.artifact_types.order_by("name")),
        "protected_rows": list(registry.protected_aliases.order_by("name")),
        "code_path": f"{registry.project.team.name}/{registry.project.name}/…",
        "max_name": MAX_NAME,
        "deleted_kept_days": django_settings.DELETED_KEPT_DAYS,
        "everyone": EVERYONE,
        "can_protect": can(actor, RegistryAction.PROTECT_ALIASES, registry),
        "can_delete": can(actor, RegistryAction.DELETE, registry),
    }
    return render(request, "artifacts/registries/settings.html", context)


def _save(request: HttpRequest, registry: Registry) -> HttpResponse:
    try:
        registry = update_registry(
            actor=actor_of(request), registry=registry, changes=_changes(request, registry)
        )
    except (Conflict, Invalid) as refusal:
        messages.error(request, refusal.message)
        registry.refresh_from_db()
    else:
        messages.success(request, _("Settings saved."))
    return redirect(registry_page(registry, "registry_settings"))


def _changes(request: HttpRequest, registry: Registry) -> RegistryChanges:
    given = request.POST
    added, removed = _types(given, registry)
    return RegistryChanges(
        name=given.get("name"),
        description=given.get("description"),
        everyone_role=given.get("everyone_role"),
        all_types_allowed=given["all_types"] == "on" if "all_types" in given else None,
        types_to_add=added,
        types_to_remove=removed,
        protected_aliases=_protected(request, registry),
    )


def _types(given: QueryDict, registry: Registry) -> tuple[list[str], list[str]]:
    """Return which types are added and removed; limiting a registry to some removes all others."""
    if given.get("all_types") == "on":
        return [], []
    added, removed = words_of(given.get("add_types", "")), given.getlist("remove_type")
    if registry.all_types_allowed and added:
        removed += registry.project.artifact_types.exclude(name__in=added).values_list("name", flat=True)
    return added, removed


def _protected(request: HttpRequest, registry: Registry) -> list[str] | None:
    """Return which aliases are protected once one is added or removed; None where the form is about others."""
    added = words_of(request.POST.get("add_protected", ""))
    removed = request.POST.get("remove_protected")
    if not added and removed is None:
        return None
    names = registry.protected_aliases.values_list("name", flat=True)
    return list(dict.fromkeys([*(name for name in names if name != removed), *added]))


@declare(RegistryAction.DELETE)
@require_POST
def delete(request: HttpRequest, **names: str) -> HttpResponse:
    """Delete the registry whose name was typed, and show where it can be restored."""
    registry = registry_of(request, names, RegistryAction.DELETE)
    if request.POST.get("name", "").strip() != registry.name:
        text = _("Type the registry’s name, %(name)s, to delete it.") % {"name": registry.name}
        messages.error(request, text)
        return redirect(registry_page(registry, "registry_settings"))
    delete_registry(actor=actor_of(request), registry=registry)
    messages.success(request, _("Registry “%(name)s” deleted.") % {"name": registry.name})
    return redirect("artifacts:deleted_registries")
