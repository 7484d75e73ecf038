"""Organizations, and who owns an entity."""

from typing import Any

from access.engine import visible
from accounts.models import User
from teams.access import OrganizationAction
from teams.models import Organization, Team
from teams.organizations.entity import find_entity
from wandb_api.graphql.bindings import entity_type, organization_type, query, root, user_type
from wandb_api.graphql.context import Info
from wandb_api.graphql.nodes import entity_node, organization_node, user_node
from wandb_api.graphql.server_features import FEATURES
from wandb_api.registries.rows import organization_seen


@root(query, "organization", OrganizationAction.VIEW)
def resolve_organization(_: Any, info: Info, name: str) -> dict[str, Any] | None:
    """Return an organization to those who belong to it, or see one of its registries."""
    row = organization_seen(info.context.actor, name)
    return None if row is None else organization_node(row)


@organization_type.field("orgEntity")
def resolve_organization_entity(organization: dict[str, Any], _info: Info) -> dict[str, Any]:
    """Return the entity with an organization's registries."""
    return organization_entity_node(organization["row"])


def organization_entity_node(row: Organization) -> dict[str, Any]:
    """Return the entity with an organization's registries, which bears its name, to who may know of it."""
    organization, team = organization_node(row), find_entity(row)
    if team is not None:
        return {**entity_node(team), "organization": organization}
    # it is created with the first registry
    plain = {"id": organization["id"], "name": row.name, "isTeam": False, "entityType": "organization"}
    return {**plain, "organization": organization}


@organization_type.field("featureFlags")
def resolve_feature_flags(_organization: dict[str, Any], _info: Info, **_: Any) -> list[dict[str, Any]]:
    """Return the server's features: none is switched by organization."""
    flags = {**FEATURES, "automation_entity_scope": FEATURES["AUTOMATION_SCOPE_ENTITY"]}
    return [{"rampKey": name, "isEnabled": is_on} for name, is_on in flags.items()]


@entity_type.field("organization")
def resolve_organization_of_entity(entity: dict[str, Any], info: Info) -> dict[str, Any] | None:
    """Return the organization of a team to who may see it; people's own entities have none."""
    if "organization" in entity:
        found: dict[str, Any] | None = entity["organization"]
        return found
    team: Team | None = entity.get("row")
    if team is None or team.organization is None:
        return None
    row = organization_seen(info.context.actor, team.organization.name)
    return None if row is None else organization_node(row)


@entity_type.field("user")
def resolve_user(entity: dict[str, Any], info: Info) -> dict[str, Any] | None:
    """Return whose personal entity this is; teams have nobody."""
    team: Team | None = entity.get("row")
    if team is None or not team.is_personal:
        return None
    user = User.objects.filter(claim=team.claim_id).first()
    node = user_node(user)
    is_viewer = user is not None and user.pk == info.context.actor.lookup_id
    return {**node, "is_viewer": is_viewer} if node else None


@user_type.field("organizations")
def resolve_organizations(user: dict[str, Any], info: Info) -> list[dict[str, Any]]:
    """Return the viewer's organizations, by name; of other people nobody learns them here."""
    if not user.get("is_viewer"):
        return []
    actor = info.context.actor
    mine = Organization.objects.filter(members__user=actor.lookup_id)
    return [organization_node(row) for row in visible(actor, OrganizationAction.VIEW, mine).order_by("name")]
