"""Registries as GraphQL objects: they are projects there."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.db.models import QuerySet

from access.actor import Actor
from access.engine import visible
from artifacts.access import ArtifactAction
from artifacts.models import ArtifactType, Membership, Registry, RegistryMember, Version
from runs.models import Project
from wandb_api.artifacts.nodes import membership_node, type_node
from wandb_api.graphql.batch_loading import Siblings
from wandb_api.graphql.global_ids import to_id
from wandb_api.graphql.nodes import entity_node, organization_node, project_node

Node = dict[str, Any]


def registry_node(registry: Registry, siblings: Siblings | None = None) -> Node:
    """Return a registry, with the organization that whoever sees it may know of."""
    team = registry.project.team
    organization = None if team.organization is None else organization_node(team.organization)
    node = project_node(registry.project, siblings)
    return {**node, "entity": {**node["entity"], "organization": organization}}


def registry_nodes(page: Sequence[Registry]) -> list[Node]:
    """Return the registries of one page."""
    siblings = Siblings()
    return [registry_node(row, siblings) for row in page]


def types_by_registry(projects: Sequence[int], actor: Actor) -> dict[int, list[Node]]:
    """Return the artifact types of registries by project, of those that the actor may see."""
    seen = visible(actor, ArtifactAction.VIEW, Project.objects.filter(pk__in=projects)).values("pk")
    types: dict[int, list[Node]] = {}
    for row in ArtifactType.objects.filter(project__in=seen).select_related("project__team").order_by("name"):
        types.setdefault(row.project_id, []).append(type_node(row, row.project))
    return types


def place_nodes(actor: Actor, page: Sequence[Membership]) -> list[Node]:
    """Return the places of one page, with what the actor may know of where their versions were logged."""
    versions = Version.objects.filter(pk__in=[place.version_id for place in page])
    seen = set(visible(actor, ArtifactAction.VIEW, versions).values_list("pk", flat=True))
    node = partial(membership_node, siblings=Siblings())
    return [
        node(place, is_source_hidden=_is_elsewhere(place) and place.version_id not in seen) for place in page
    ]


def _is_elsewhere(place: Membership) -> bool:
    return place.collection.project_id != place.version.collection.project_id


def member_nodes(rows: QuerySet[RegistryMember], told: set[int]) -> list[Node]:
    """Return people with a role in a registry; ``told``: of whom the reader may know the address."""
    return [
        {
            "id": to_id("User", row.user.pk),
            "name": row.user.display_name or row.user.username,
            "username": row.user.username,
            "email": row.user.email if row.user.pk in told else None,
            "role": {"name": row.role},
        }
        for row in rows
        if row.user is not None
    ]


def team_member_nodes(rows: QuerySet[RegistryMember]) -> list[Node]:
    """Return teams with a role in a registry; SDKs cannot read that a team's bytes are not told, as elsewhere."""
    return [
        {"team": {**entity_node(row.team), "bytes_if_hidden": 0}, "role": {"name": row.role}}
        for row in rows
        if row.team is not None
    ]
