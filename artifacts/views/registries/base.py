"""What the pages of a registry share."""

from typing import Any

from django.http import HttpRequest

from access.engine import can, require
from access.web.requests import actor_of
from artifacts.access import RegistryAction
from artifacts.models import Registry
from artifacts.registries.selectors import get_registry


def registry_of(request: HttpRequest, names: dict[str, str], action: str = RegistryAction.VIEW) -> Registry:
    """Return the registry of an address, on which the viewer may do the action.

    Raises:
        NotFound: there is none, or the viewer may not see it.
        Forbidden: they see it but lack the action.
    """
    actor = actor_of(request)
    registry = get_registry(actor, names["entity"], names["name"])
    require(actor, action, registry)
    return registry


def registry_context(request: HttpRequest, registry: Registry) -> dict[str, Any]:
    """Return the context that ``artifacts/registries/head.html`` and the rail need."""
    return {
        "registry": registry,
        "project": registry.project,
        "team": registry.project.team,
        "can_update": can(actor_of(request), RegistryAction.UPDATE, registry),
    }
