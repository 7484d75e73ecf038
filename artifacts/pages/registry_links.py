"""Where a version can be linked: the registries and the collections in them that a form offers."""

from django.db.models import Q, QuerySet

from access.actor import Actor
from access.engine import visible
from artifacts.access import ArtifactAction
from artifacts.models import ArtifactType, Collection, Registry
from artifacts.registries.selectors import registries_seen
from runs.models import Project

_MOST_SUGGESTED = 200


def registries_taking(actor: Actor, type_name: str) -> QuerySet[Registry]:
    """Return the registries in which the actor may link, and that take versions of the type."""
    projects = visible(actor, ArtifactAction.CREATE, Project.objects.registries()).order_by()
    limited_to = ArtifactType.objects.filter(name=type_name).values("project")
    takes = Q(all_types_allowed=True) | Q(project__in=limited_to)
    rows = registries_seen(actor).filter(takes, project__in=projects.values("pk"))
    return rows.order_by("project__team__name", "project__name")


def collections_taking(registry: Registry, type_name: str) -> list[str]:
    """Return the names of a registry's collections of a type; the caller may link there."""
    rows = Collection.objects.live().filter(project=registry.project, type__name=type_name)
    return list(rows.order_by("name").values_list("name", flat=True)[:_MOST_SUGGESTED])
