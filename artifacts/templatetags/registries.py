"""What pages of several apps ask about registries."""

from typing import Any

from django import template

from access.engine import can
from access.web.requests import actor_of
from artifacts.access import RegistryAction
from artifacts.models import Registry
from artifacts.pages.registries import RegistryRow, creatable_in, registry_rows
from artifacts.registries.selectors import registries_of
from teams.models import Organization

register = template.Library()


@register.simple_tag(takes_context=True)
def may_update_registry(context: dict[str, Any], registry: Registry) -> bool:
    """Whether the viewer may change the registry."""
    return can(actor_of(context["request"]), RegistryAction.UPDATE, registry)


@register.inclusion_tag("artifacts/registries/of_organization.html", takes_context=True)
def registries_of_organization(context: dict[str, Any], organization: Organization) -> dict[str, Any]:
    """List the registries of an organization that the viewer sees, in a fixed number of queries."""
    actor = actor_of(context["request"])
    rows: list[RegistryRow] = registry_rows(actor, registries_of(actor, organization))
    may_create = creatable_in(actor).filter(pk=organization.pk).exists()
    return {"organization": organization, "rows": rows, "can_create": may_create}
