"""Projects, people, teams and keys as `wandb.Api()` manages them (protocol 3.3)."""

import re
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Case, Q, QuerySet, When

from access.actions import Preset
from access.actor import Actor
from access.engine import can, has_operator_rights, require_operator, visible
from access.routes import Open
from accounts.access import AccountAction
from accounts.api_keys import services as key_services
from accounts.api_keys.selectors import api_keys_of
from accounts.lifecycle import services as accounts
from accounts.lifecycle.names import check_name
from accounts.models import ApiKey, User
from common.errors import DomainError, Invalid, NotFound
from ingest.services import hidden_as_unknown, team_for
from runs.access import ProjectAction
from runs.models import Project
from runs.names.registries import PREFIX
from runs.projects import services as projects
from runs.selectors import get_project_by_any_name, get_team, projects_of
from storage.services import stored_bytes
from teams.access import OrganizationAction, TeamAction
from teams.invitations import services as invitations
from teams.members import services as teams
from teams.members.selectors import pending_invitations
from teams.models import Invitation, Membership, Organization, OrganizationMember, Team, Visibility
from teams.organizations.services import create_organization
from teams.roles.builtin import built_in
from teams.service_accounts.services import create_service_account
from teams.teams.selectors import people_known_to, people_with_addresses
from teams.teams.services import create_team
from wandb_api.graphql.bindings import entity_type, mutation, query, root
from wandb_api.graphql.context import Info
from wandb_api.graphql.global_ids import from_id, kind_of, to_id
from wandb_api.graphql.nodes import entity_node, project_node, user_node
from wandb_api.graphql.pagination import page_of
from wandb_api.registries.rows import organization_seen
from wandb_api.resolvers.registries.changing import upsert_registry

_MAX_PAGE = 1000
_ACCESS = {
    "PRIVATE": Visibility.TEAM, "ENTITY_READ": Visibility.PUBLIC, "USER_WRITE": Visibility.OPEN,
    "RESTRICTED": Visibility.RESTRICTED,
}  # fmt: skip


@root(query, "models", ProjectAction.VIEW)
def resolve_models(
    _: Any,
    info: Info,
    *,
    entityName: str | None = None,
    after: str | None = None,
    first: int | None = 50,
) -> dict[str, Any]:
    """Return a page of an entity's visible projects; the cursor is the number of projects before the next page."""
    actor = info.context.actor
    team = team_for(actor, entityName)
    with hidden_as_unknown(actor, team):
        get_team(actor, team.name)
    rows = projects_of(actor, team).select_related("created_by")
    return page_of(rows, project_node, after=after, first=first, most=_MAX_PAGE)


@root(mutation, "upsertModel", ProjectAction.CREATE)
def resolve_upsert_model(_: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:
    """Make a project or registry, or change one."""
    actor, access = info.context.actor, input.get("access")
    organization = _organization_of_registry(actor, input)
    if organization is not None:
        return upsert_registry(info, organization, input)
    if access and access not in _ACCESS:
        raise Invalid(f"access must be one of {', '.join(_ACCESS)}, not {access!r}.")
    team = team_for(actor, input.get("entityName"))
    name = input.get("name") or ""
    existing = _known_project(actor, team, name)
    if existing is None:
        visibility = _ACCESS[access] if access else None
        with hidden_as_unknown(actor, team):
            row = projects.create_project(actor=actor, team=team, name=name, visibility=visibility)
    elif access and existing.visibility != _ACCESS[access]:
        row = projects.change_visibility(actor=actor, project=existing, visibility=_ACCESS[access])
    else:
        row = get_project_by_any_name(actor, team.name, name)
    if input.get("description") is not None:
        row = projects.update_project(actor=actor, project=row, description=input["description"])
    node = project_node(row)
    return {"project": node, "model": node, "inserted": existing is None}


def _organization_of_registry(actor: Actor, input: dict[str, Any]) -> Organization | None:
    """Return the organization whose registry an input names; None for a project."""
    is_registry = (input.get("name") or "").startswith(PREFIX)
    return organization_seen(actor, input.get("entityName") or "") if is_registry else None


def _known_project(actor: Actor, team: Team, name: str) -> Project | None:
    """Return the team's project if the actor sees it, or may let themselves in; another is as a missing one."""
    rows = Project.objects.live().select_related("team", "created_by").filter(team=team)
    for known in (rows.filter(name=name), rows.called_before(team.name, name)):
        for action in (ProjectAction.VIEW, ProjectAction.CHANGE_VISIBILITY):
            if row := visible(actor, action, known).first():
                return row
    return None


def _person_node(user: User) -> dict[str, Any]:
    return {**(user_node(user) or {}), "email": user.email, "admin": user.is_operator, "entity": user.username,
            "flags": "{}", "deletedAt": None}  # fmt: skip


@root(query, "users", Open.SIGNED_IN)
def resolve_users(_: Any, info: Info, query: str | None = None) -> dict[str, Any]:
    """Search people by part of username or address: those that the viewer knows of; operators search all.

    Who is named in full comes first, since `api.user` takes the first.
    """
    actor, text = info.context.actor, query or ""
    reads_all = has_operator_rights(actor)
    rows = User.objects.all() if reads_all else people_known_to(actor)
    with_address = rows if reads_all else people_with_addresses(actor)
    is_named = Q(username__iexact=text) | Q(email__iexact=text, pk__in=with_address.values("pk"))
    matching = Q(username__icontains=text) | Q(email__icontains=text, pk__in=with_address.values("pk"))
    ranked = rows.filter(matching).annotate(rank=Case(When(is_named, then=0), default=1))
    found = list(ranked.order_by("rank", "pk")[:_MAX_PAGE])
    shown = set(with_address.filter(pk__in=[user.pk for user in found]).values_list("pk", flat=True))
    return {"edges": [{"node": _found_node(user, actor, has_address=user.pk in shown)} for user in found]}


def _found_node(user: User, actor: Actor, *, has_address: bool) -> dict[str, Any]:
    """Return a person who was found; addresses and operators are shown only to those who see them elsewhere."""
    is_viewer = user.pk == actor.lookup_id
    return {
        **_person_node(user),
        "email": user.email if has_address else None,
        "admin": user.is_operator and (is_viewer or has_operator_rights(actor)),
        "is_viewer": is_viewer,
    }


def _free_username(email: str) -> str:
    start = re.sub(r"[^A-Za-z0-9_.-]", "-", email.partition("@")[0]).lstrip("-_.")[:50] or "user"
    for number in range(1, 1000):
        name = start if number == 1 else f"{start}-{number}"
        try:
            check_name(name)
        except DomainError:
            continue
        if not accounts.is_taken(name):
            return name
    raise Invalid(f"No username could be derived from “{email}”.")


@root(mutation, "createUser", Open.OPERATOR)
def resolve_create_user(_: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:
    """Make a person, who signs in by a password reset."""
    actor = info.context.actor
    require_operator(actor, "operator")
    email = input["email"]
    user = accounts.create_user(
        actor=actor, username=_free_username(email), email=email, is_operator=bool(input.get("admin")),
        is_verified=False,
    )  # fmt: skip
    return {"user": _person_node(user)}


@root(mutation, "generateApiKey", AccountAction.CREATE_KEY)
def resolve_generate_api_key(_: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:
    """Make a key for the viewer; `name` is the secret, this once."""
    actor = info.context.actor
    owner = User.objects.get(pk=actor.lookup_id)
    key, secret = key_services.create_api_key(actor=actor, owner=owner, label=input.get("description") or "")
    return {"apiKey": {"id": to_id("ApiKey", key.pk), "name": secret, "description": key.label}}


@root(mutation, "deleteApiKey", AccountAction.DELETE_KEY)
def resolve_delete_api_key(_: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:
    """Revoke one of the viewer's keys."""
    actor = info.context.actor
    key = api_keys_of(actor).filter(pk=from_id("ApiKey", input["id"])).first()
    if not isinstance(key, ApiKey):
        raise NotFound("You don’t have this API key.")
    key_services.delete_api_key(actor=actor, key=key)
    return {"success": True}


def _home_organization(actor: Actor, admin: User, name: str) -> Organization:
    """Return the organization that a new team goes to: the one its admin administers, or a new one (TEAM-2)."""
    for member in admin.organization_memberships.select_related("organization"):
        if can(actor, OrganizationAction.CREATE_TEAM, member.organization):
            return member.organization
    return create_organization(actor=actor, name=f"{name}-org", admin=admin)


def _possible_admins(actor: Actor) -> QuerySet[User]:
    """Return people for whom the actor may create a team: themselves, and members of their organizations."""
    if has_operator_rights(actor):
        return User.objects.all()
    mine = visible(actor, OrganizationAction.CREATE_TEAM, Organization.objects.all())
    colleagues = OrganizationMember.objects.filter(organization__in=mine.values("pk"))
    return User.objects.filter(Q(pk=actor.lookup_id) | Q(pk__in=colleagues.values("user_id")))


@root(mutation, "createTeam", OrganizationAction.CREATE_TEAM)
@transaction.atomic
def resolve_create_team(_: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:
    """Make a team."""
    actor, name = info.context.actor, input["teamName"]
    username = input.get("teamAdminUserName")
    people = _possible_admins(actor)
    candidates = people.filter(username__iexact=username) if username else people.filter(pk=actor.lookup_id)
    admin = candidates.first()
    if admin is None or admin.is_service_account:
        raise NotFound(f"User “{username}” cannot be an admin of the team.")
    organization = _home_organization(actor, admin, name)
    team = create_team(actor=actor, name=name, organization=organization, admin=admin)
    return {"entity": entity_node(team)}


@root(mutation, "createServiceAccount", TeamAction.MANAGE_SERVICE_ACCOUNTS)
def resolve_create_service_account(_: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:
    """Make a service account of a team, with a first key."""
    actor = info.context.actor
    team = get_team(actor, input["entityName"])
    account = create_service_account(actor=actor, team=team, label=input["description"])
    return {"user": user_node(account.user)}


@root(mutation, "createInvite", TeamAction.INVITE)
def resolve_create_invite(_: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:
    """Ask somebody into a team as a member, or as an admin (TEAM-3)."""
    actor = info.context.actor
    role = built_in(Preset.ADMIN if input.get("admin") else Preset.MEMBER)
    row = invitations.invite(
        actor=actor, team=get_team(actor, input["entityName"]), role=role,
        email=input.get("email") or "", username=input.get("username") or "",
    )  # fmt: skip
    node = {**_invited_node(row), "createdAt": row.created_at, "toUser": user_node(row.user)}
    return {"invite": node}


@root(mutation, "deleteInvite", TeamAction.MANAGE_MEMBERS)
def resolve_delete_invite(_: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:
    """Remove a member from a team, or take an invitation back: the SDK's `Member` is either."""
    actor, named = info.context.actor, input.get("id") or ""
    team = get_team(actor, input.get("entityName") or "")
    if kind_of(named) == "Invitation":
        invitation = Invitation.objects.filter(team=team, pk=from_id("Invitation", named)).first()
        if invitation is None:
            raise NotFound(f"This invitation to {team} doesn’t exist.")
        invitations.revoke_invitation(actor=actor, invitation=invitation)
        return {"success": True}
    rows = Membership.objects.select_related("team", "user", "role")
    membership = rows.filter(team=team, pk=from_id("Member", named)).first()
    if membership is None:
        raise NotFound(f"This member of {team} doesn’t exist.")
    teams.remove_member(actor=actor, membership=membership)
    return {"success": True}


def _member_node(membership: Membership, key: str | None) -> dict[str, Any]:
    user = membership.user
    return {
        "id": to_id("Member", membership.pk),
        "admin": membership.role.preset == Preset.ADMIN,
        "role": membership.role.name,
        "pending": False,
        "email": user.email,
        "username": user.username,
        "name": user.display_name or user.username,
        "photoUrl": f"{settings.BASE_URL}{user.claim.picture_url}" if user.claim.picture else None,
        "accountType": "SERVICE" if user.is_service_account else "USER",
        "apiKey": key,
    }


def _invited_node(invitation: Invitation) -> dict[str, Any]:
    """Return a pending invitation as a member; the address of a user who has not joined is left out."""
    user = invitation.user
    return {
        "id": to_id("Invitation", invitation.pk),
        "admin": invitation.granted_role.preset == Preset.ADMIN,
        "role": invitation.granted_role.name,
        "pending": True,
        "email": invitation.email or None,
        "username": user.username if user else None,
        "name": invitation.addressee,
        "photoUrl": None,
        "accountType": "USER",
        "apiKey": None,
    }


@entity_type.field("members")
def resolve_members(entity: dict[str, Any], info: Info) -> list[dict[str, Any]]:
    """Return who is invited, then members, new ones last: of a new service account, the SDK takes the last one."""
    actor, team = info.context.actor, entity.get("row")
    if team is None or not can(actor, TeamAction.VIEW, team):
        return []
    members = Membership.objects.filter(team=team).select_related("user__claim", "role").order_by("pk")
    keys: dict[int, str] = {}
    if can(actor, TeamAction.MANAGE_SERVICE_ACCOUNTS, team):
        of_services = ApiKey.objects.filter(user__service_account__team=team).order_by("-pk")
        keys = dict(of_services.values_list("user_id", "prefix"))
    invited = [_invited_node(invitation) for invitation in pending_invitations(actor, team)]
    return invited + [_member_node(member, keys.get(member.user_id)) for member in members]


@entity_type.field("storageBytes")
def resolve_storage_bytes(entity: dict[str, Any], info: Info) -> int | None:
    """Return the bytes a team holds, to who sees its usage."""
    team = entity.get("row")
    if team is None or not can(info.context.actor, TeamAction.VIEW_USAGE, team):
        hidden: int | None = entity.get("bytes_if_hidden")
        return hidden
    return stored_bytes(team_id=team.pk)
