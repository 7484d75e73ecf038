"""What addresses of pages name, as far as the viewer may see it."""

from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _

from access.engine import can, require
from access.web.requests import actor_of
from artifacts.access import ArtifactAction, RegistryAction
from artifacts.models import Collection, Membership
from artifacts.selectors import find_membership, get_collection
from artifacts.versions.protection import protected_in
from common.errors import NotFound
from runs.models import Project
from runs.selectors import get_project


def project_of(request: HttpRequest, names: dict[str, Any]) -> Project:
    """Return the project of an address whose artifacts may be seen."""
    actor = actor_of(request)
    project = get_project(actor, names["entity"], names["project"], registries=True)
    require(actor, ArtifactAction.VIEW, project)
    return project


def collection_of(request: HttpRequest, names: dict[str, Any]) -> Collection:
    """Return the collection of an address; its type may have been changed since the address was copied."""
    return get_collection(actor_of(request), project_of(request, names), names["name"])


def place_of(request: HttpRequest, names: dict[str, Any]) -> Membership:
    """Return the version of an address, by its number or an alias.

    Raises:
        NotFound: there is none, or it was deleted.
    """
    collection = collection_of(request, names)
    found = find_membership(collection, names["label"])
    if found is None:
        raise NotFound(
            _("The version %(label)s of “%(name)s” doesn’t exist, or was deleted.")
            % {"label": names["label"], "name": collection.name}
        )
    return found


def rights_of(request: HttpRequest, collection: Collection) -> dict[str, Any]:
    """Return what the viewer may do with a collection and its versions, as templates ask for it."""
    actor = actor_of(request)
    protected = protected_in(collection.project)
    return {
        "protected": protected,
        "can_protect": bool(protected) and can(actor, RegistryAction.PROTECT_ALIASES, collection.project.registry)
    } | {
        f"can_{action.value.partition('.')[2]}": can(actor, action, collection)
        for action in (
            ArtifactAction.UPDATE, ArtifactAction.DELETE, ArtifactAction.DOWNLOAD, ArtifactAction.SET_ALIAS,
            ArtifactAction.DELETE_ALIAS,
        )
    }  # fmt: skip
