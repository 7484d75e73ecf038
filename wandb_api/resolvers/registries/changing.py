"""Creating, changing, renaming and deleting registries, which SDKs do as with projects (protocol 3.6)."""

from typing import Any

from artifacts.access import RegistryAction
from artifacts.models import Registry, RegistryRole
from artifacts.registries.selectors import get_registry, registries_of
from artifacts.registries.services import (
    RegistryChanges,
    create_registry,
    delete_registry,
    update_registry,
)
from common.errors import Invalid
from runs.names.registries import MODEL_REGISTRY, PREFIX, is_registry_name
from teams.models import Organization
from wandb_api.graphql.bindings import mutation, root
from wandb_api.graphql.context import Info
from wandb_api.registries.nodes import registry_node
from wandb_api.registries.rows import registry_with_id

Node = dict[str, Any]
ACCESS = ("PRIVATE", "RESTRICTED")
"""Of registries: seen by the organization, or by their members only."""


def upsert_registry(info: Info, organization: Organization, input: Node) -> Node:
    """Create a registry of an organization, or change one; returns the payload of ``upsertModel``.

    Raises:
        Invalid: an access that registries do not have, or types that contradict each other.
    """
    actor, name, access = info.context.actor, input["name"], input.get("access")
    if access and access not in ACCESS:
        raise Invalid(f"access of a registry must be one of {', '.join(ACCESS)}, not {access!r}.")
    rows = registries_of(actor, organization).filter(project__name=name)
    existing = rows.first()
    if existing is None:
        row = _create(info, organization, input)
    else:
        row = update_registry(actor=actor, registry=existing, changes=_changes(existing, input))
    node = registry_node(row)
    return {"project": node, "model": node, "inserted": existing is None}


def _types(input: Node) -> list[str]:
    return [kind["name"] for kind in input.get("artifactTypes") or []]


def _create(info: Info, organization: Organization, input: Node) -> Registry:
    types, takes_all = _types(input), input.get("allowAllArtifactTypesInRegistry")
    if takes_all is not None and takes_all == bool(types):
        raise Invalid("A new registry takes artifacts of all types, or of those that `artifactTypes` names.")
    return create_registry(
        actor=info.context.actor, organization=organization, name=input["name"].removeprefix(PREFIX),
        description=input.get("description") or "", types=types,
        everyone_role="" if input.get("access") == "RESTRICTED" else RegistryRole.VIEWER,
    )  # fmt: skip


def _changes(registry: Registry, input: Node) -> RegistryChanges:
    """Return what an input changes; what everybody may do is left alone where they see the registry already."""
    is_restricted, role = input.get("access") == "RESTRICTED", None
    if input.get("access") and is_restricted != registry.is_restricted:
        role = "" if is_restricted else RegistryRole.VIEWER.value
    return RegistryChanges(
        description=input.get("description"), everyone_role=role, types_to_add=_types(input),
        all_types_allowed=input.get("allowAllArtifactTypesInRegistry"),
    )  # fmt: skip


@root(mutation, "renameProject", RegistryAction.UPDATE)
def resolve_rename(_: Any, info: Info, input: Node) -> Node:
    """Rename a registry."""
    actor, entity = info.context.actor, input["entityName"]
    old, new = input["oldProjectName"], input["newProjectName"]
    if not is_registry_name(old):
        raise Invalid("This call renames registries only. Rename a project in its settings.")
    registry = get_registry(actor, entity, old)
    if not new.startswith(PREFIX) and old != MODEL_REGISTRY:
        raise Invalid(f"The name of a registry begins with {PREFIX}, unlike “{new[:128]}”.")
    row = update_registry(actor=actor, registry=registry, changes=RegistryChanges(name=new))
    node = registry_node(row)
    return {"project": node, "model": node, "inserted": False}


@root(mutation, "deleteModel", RegistryAction.DELETE)
def resolve_delete(_: Any, info: Info, input: Node) -> Node:
    """Delete a registry; its versions stay where they were logged."""
    delete_registry(actor=info.context.actor, registry=registry_with_id(info.context.actor, input["id"]))
    return {"success": True, "clientMutationId": input.get("clientMutationId")}
