"""Who is in a registry, with which role (protocol 3.6)."""

from typing import Any

from django.db import transaction
from django.db.models import Q

from access.engine import can, require
from artifacts.access import RegistryAction
from artifacts.models import Registry, RegistryMember
from artifacts.registries.members import add_members, change_member, find_member, remove_member
from wandb_api.graphql.bindings import mutation, project_type, root
from wandb_api.graphql.context import Info
from wandb_api.graphql.global_ids import from_id
from wandb_api.registries.nodes import member_nodes, team_member_nodes
from wandb_api.registries.rows import emails_shown, people_with_ids, registry_with_id, teams_with_ids

Node = dict[str, Any]


def _registry_shown(project: Node, info: Info) -> Registry | None:
    """Return the registry that a project is, if the viewer may see its members."""
    row = project["row"]
    if not row.is_registry or not can(info.context.actor, RegistryAction.VIEW, row.registry):
        return None
    registry: Registry = row.registry
    return registry


@project_type.field("members")
def resolve_members(project: Node, info: Info) -> list[Node]:
    """Return the people with a role of their own, first given first."""
    registry = _registry_shown(project, info)
    if registry is None:
        return []
    rows = RegistryMember.objects.filter(registry=registry, user__is_active=True).select_related("user")
    people = [row.user_id for row in rows if row.user_id is not None]
    told = emails_shown(info.context.actor, registry).filter(pk__in=people).values_list("pk", flat=True)
    return member_nodes(rows, set(told))


@project_type.field("teamMembers")
def resolve_team_members(project: Node, info: Info) -> list[Node]:
    """Return the teams with a role, first given first."""
    registry = _registry_shown(project, info)
    if registry is None:
        return []
    rows = RegistryMember.objects.filter(registry=registry, team__deleted_at__isnull=True)
    return team_member_nodes(rows.filter(team__isnull=False).select_related("team__organization"))


def _managed(info: Info, input: Node) -> Registry:
    """Return the registry of an input, whose members the viewer manages: others learn nothing of people's ids."""
    registry = registry_with_id(info.context.actor, input["projectId"])
    require(info.context.actor, RegistryAction.MANAGE_MEMBERS, registry)
    return registry


def _done(input: Node) -> Node:
    return {"success": True, "clientMutationId": input.get("clientMutationId")}


@root(mutation, "createProjectMembers", RegistryAction.MANAGE_MEMBERS)
def resolve_add(_: Any, info: Info, input: Node) -> Node:
    """Give people and teams a role in a registry."""
    registry = _managed(info, input)
    add_members(
        actor=info.context.actor, registry=registry,
        users=people_with_ids(registry, input.get("userIds") or []),
        teams=teams_with_ids(registry, input.get("teamIds") or []),
    )  # fmt: skip
    return _done(input)


def _members(info: Info, input: Node) -> list[RegistryMember]:
    """Return those of the named who have a role in the registry: SDKs remove others, too, and expect success."""
    registry = _managed(info, input)
    users = [from_id("User", text) for text in input.get("userIds") or []]
    teams = [from_id("Entity", text) for text in input.get("teamIds") or []]
    rows = registry.members.select_related("registry__project__team", "user", "team")
    return list(rows.filter(Q(user__in=users) | Q(team__in=teams)).order_by("pk"))


@root(mutation, "deleteProjectMembers", RegistryAction.MANAGE_MEMBERS)
@transaction.atomic
def resolve_remove(_: Any, info: Info, input: Node) -> Node:
    """Take people and teams their role; none of them, if one cannot lose it."""
    for member in _members(info, input):
        remove_member(actor=info.context.actor, member=member)
    return _done(input)


@root(mutation, "updateProjectMember", RegistryAction.MANAGE_MEMBERS)
def resolve_change(_: Any, info: Info, input: Node) -> Node:
    """Give a person another role."""
    member = find_member(_managed(info, input), user_id=from_id("User", input["userId"]))
    change_member(actor=info.context.actor, member=member, role=input["userProjectRole"])
    return _done(input)


@root(mutation, "updateProjectTeamMember", RegistryAction.MANAGE_MEMBERS)
def resolve_change_team(_: Any, info: Info, input: Node) -> Node:
    """Give a team another role."""
    member = find_member(_managed(info, input), team_id=from_id("Entity", input["teamId"]))
    change_member(actor=info.context.actor, member=member, role=input["teamProjectRole"])
    return _done(input)
