"""Who is asking, and what this server can do."""

import json
from typing import Any

from access.actor import Actor
from access.routes import Open
from accounts.access import AccountAction
from accounts.api_keys.selectors import api_keys_of
from accounts.models import User
from common import VERSION
from common.errors import Invalid, NotFound
from ingest.services import NowhereToLog, team_for
from runs.selectors import get_team
from teams.service_accounts.services import attributed_user
from teams.teams.default_team import choose_default_team
from teams.teams.selectors import code_saving_of, default_team_of, personal_team_of, teams_of
from wandb_api.graphql.bindings import mutation, query, root, user_type
from wandb_api.graphql.context import Info
from wandb_api.graphql.global_ids import to_id
from wandb_api.graphql.nodes import entity_node, user_node
from wandb_api.graphql.server_features import FEATURES
from wandb_api.registries.rows import organization_seen
from wandb_api.resolvers.organizations import organization_entity_node

_LONGEST = 100
"""Of a name, which a refusal repeats; none that there is has more."""


def _email_of(user: User, actor: Actor) -> str:
    """Return the address that SDKs send back with all that follows, in place of WANDB_USER_EMAIL (TEAM-34)."""
    if "@" in actor.on_behalf_of and attributed_user(actor) is not None:
        return actor.on_behalf_of
    return user.email or f"{user.username}@service.invalid"


def _own_fields(user: User, actor: Actor) -> dict[str, Any]:
    home = default_team_of(actor)
    saves_code = code_saving_of(actor)
    # left out, not null, where the script decides: whatever is there replaces what the script asked for
    flags = {} if saves_code is None else {"code_saving_enabled": saves_code}
    return {
        "email": _email_of(user, actor),
        "admin": user.is_operator,
        "entity": home.name if home else user.username,
        "flags": json.dumps(flags),
        "deletedAt": None,
    }


def _viewer_node(user: User, actor: Actor) -> dict[str, Any]:
    return {**(user_node(user) or {}), **_own_fields(user, actor), "is_viewer": True}


@root(query, "viewer", Open.SIGNED_IN)
def resolve_viewer(_: Any, info: Info) -> dict[str, Any] | None:
    """Return who the key belongs to."""
    actor = info.context.actor
    user = User.objects.filter(pk=actor.lookup_id).first()
    return _viewer_node(user, actor) if user else None


@root(mutation, "updateUser", AccountAction.UPDATE)
def resolve_update_user(_: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:
    """Choose where the viewer's runs go that name no entity."""
    actor = info.context.actor
    user = User.objects.get(pk=actor.lookup_id)
    if input.get("id") not in {None, to_id("User", user.pk)}:
        raise Invalid("You can change your own account only.")
    if input.get("defaultEntity") is not None:
        choose_default_team(actor=actor, user=user, name=input["defaultEntity"])
    return {"user": _viewer_node(user, actor), "clientMutationId": input.get("clientMutationId")}


@user_type.field("defaultEntity")
def resolve_default_entity(user: dict[str, Any], info: Info) -> dict[str, Any] | None:
    """Return where the viewer's runs go that name no entity; of other people it is not shown."""
    home = default_team_of(info.context.actor) if user.get("is_viewer") else None
    return entity_node(home) if home else None


@user_type.field("teams")
def resolve_teams(user: dict[str, Any], info: Info) -> dict[str, Any]:
    """Return the viewer's own entity and teams; of other people nobody learns them here."""
    if not user.get("is_viewer"):
        return {"edges": []}
    own = personal_team_of(info.context.actor)
    teams = [*([own] if own else []), *teams_of(info.context.actor)]
    return {"edges": [{"node": entity_node(team)} for team in teams]}


@user_type.field("apiKeys")
def resolve_api_keys(user: dict[str, Any], info: Info) -> dict[str, Any]:
    """Return the viewer's keys by their visible characters."""
    keys = api_keys_of(info.context.actor) if user.get("is_viewer") else []
    nodes = [
        {"id": to_id("ApiKey", key.pk), "name": key.prefix, "description": key.label or None} for key in keys
    ]
    return {"edges": [{"node": node} for node in nodes]}


@root(query, "serverInfo", Open.SIGNED_IN)
def resolve_server_info(_: Any, info: Info) -> dict[str, Any]:
    """Return features and the SDK versions that work here."""
    return {
        "cliVersionInfo": {"min_cli_version": "0.16.0", "max_cli_version": "0.31.0"},
        "latestLocalVersionInfo": {
            "outOfDate": False, "latestVersionString": VERSION, "versionOnThisInstanceString": VERSION,
        },
        "features": [{"name": name, "isEnabled": is_on} for name, is_on in FEATURES.items()],
    }  # fmt: skip


@root(query, "entity", "project.view")
def resolve_entity(_: Any, info: Info, name: str | None = None) -> dict[str, Any]:
    """Return an entity; an organization's bears its name.

    Raises:
        NowhereToLog: it does not exist, or the viewer may not know of it. Of null, SDKs make a `KeyError`.
    """
    actor = info.context.actor
    if not name:
        return entity_node(team_for(actor, None))
    try:
        return entity_node(get_team(actor, name))
    except NotFound:
        organization = organization_seen(actor, name)
        if organization is not None:
            return organization_entity_node(organization)
        raise NowhereToLog(actor, f"entity “{name[:_LONGEST]}”", entity=name[:_LONGEST]) from None
