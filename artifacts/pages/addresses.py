"""Addresses of pages; those of a version are the ones that SDKs print."""

from typing import Any

from django.urls import reverse

from artifacts.models import Collection, Membership, Registry
from runs.models import Project


def names_of(collection: Collection) -> list[str]:
    """Return what addresses of a collection are made of; its project and type are loaded."""
    project = collection.project
    return [project.team.name, project.name, collection.type.name, collection.name]


def collection_page(collection: Collection) -> str:
    """Return the address of a collection."""
    return reverse("artifacts:collection", args=names_of(collection))


def version_page(place: Membership, part: str = "version") -> str:
    """Return the address of a version in a collection, or of one of its parts: files, lineage, compare."""
    return reverse(f"artifacts:{part}", args=[*names_of(place.collection), place.label])


def registry_page(registry: Registry, part: str = "registry") -> str:
    """Return the address of a registry, or of its members, settings or automations; its project and team are loaded."""
    return reverse(f"artifacts:{part}", args=[registry.project.team.name, registry.name])


def trash_page(project: Project) -> str:
    """Return the address of what was deleted from a project; its team is loaded."""
    return reverse("artifacts:deleted", args=[project.team.name, project.name])


def path_of(place: Membership) -> str:
    """Return what code calls a version: ``entity/project/name:v3``."""
    project: Any = place.collection.project
    return f"{project.team.name}/{project.name}/{place.collection.name}:{place.label}"
