"""Service accounts (TEAM-30 to TEAM-34): programs with keys, of one team or of all teams of an organization.

A team's account is a member of its team, where its role is; an organization's account holds one role in every team. Its
keys are in `service_account_keys`.
"""

from itertools import chain, count
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from access.actions import Preset
from access.actor import Actor, ActorKind
from access.audit.log import record
from access.engine import can, require, visible
from accounts.lifecycle.deletion import retire_service_user
from accounts.lifecycle.names import check_name
from accounts.lifecycle.services import create_service_user, is_taken
from accounts.models import ApiKey, User
from common.errors import Conflict, Forbidden, Invalid
from teams.access import OrganizationAction, TeamAction
from teams.members.services import check_role, join
from teams.models import Membership, Organization, OrganizationMember, Role, ServiceAccount, Team
from teams.plan_policy import denied_message, has_feature
from teams.roles.builtin import built_in, roles_of_service_accounts
from teams.roles.escalation import check_rank
from teams.roles.signals import send_rights_changed

_MAX_DESCRIPTION = 200


def require_manager(actor: Actor, account: ServiceAccount) -> None:
    """Let pass who manages the account, or raise as `access.engine.require` does for its team or organization."""
    _require_manager(actor, account.team, account.organization)


def _require_manager(actor: Actor, team: Team | None, organization: Organization | None) -> None:
    if team is not None:
        require(actor, TeamAction.MANAGE_SERVICE_ACCOUNTS, team)
    if organization is not None:
        require(actor, OrganizationAction.MANAGE_MEMBERS, organization)


def manages(actor: Actor, account: ServiceAccount) -> bool:
    """Say whether the actor manages the account."""
    if account.team is not None:
        return can(actor, TeamAction.MANAGE_SERVICE_ACCOUNTS, account.team)
    return account.organization is not None and can(
        actor, OrganizationAction.MANAGE_MEMBERS, account.organization
    )


def require_feature(organization: Organization) -> None:
    """Let pass an organization whose plan has service accounts.

    Raises:
        Forbidden: it has none.
    """
    if not has_feature(organization, "service_accounts"):
        message = _("The plan of %(organization)s does not include service accounts.")
        denied = denied_message(message % {"organization": organization}, organization)
        raise Forbidden(denied, action="service_accounts")


def organization_of_account(account: ServiceAccount) -> Organization:
    """Return whose plan and audit log count for an account."""
    owner = account.organization or (account.team.organization if account.team else None)
    assert owner is not None  # noqa: S101 - personal teams have no service accounts
    return owner


def managed_accounts(actor: Actor) -> QuerySet[ServiceAccount]:
    """Return the service accounts that the actor manages, with all that a list shows of them but their keys."""
    teams = visible(actor, TeamAction.MANAGE_SERVICE_ACCOUNTS, Team.objects.live())
    organizations = visible(actor, OrganizationAction.MANAGE_MEMBERS, Organization.objects.all())
    rows = ServiceAccount.objects.filter(
        Q(team__in=teams.values("pk")) | Q(organization__in=organizations.values("pk"))
    )
    related = rows.select_related(
        "user__claim", "team__organization", "organization", "default_team", "role", "created_by"
    )
    return related.prefetch_related("user__memberships__role")


def record_change(
    actor: Actor,
    action: str,
    account: ServiceAccount,
    *,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:
    """Record what was done to an account in the audit log of its organization."""
    record(
        actor, action, account, organization_id=organization_of_account(account).pk, team_id=account.team_id,
        before=before, after=after,
    )  # fmt: skip


def _check_label(scope: Team | Organization, label: str, account_id: int = 0) -> str:
    """Return the label if usernames can be made of it and no other account of the scope has it, whatever its case.

    Raises:
        Invalid: it has other characters than names have.
        Conflict: there is one.
    """
    check_name(f"{scope.name}.{label}")
    if scope.service_accounts.filter(label__iexact=label).exclude(pk=account_id).exists():
        raise Conflict(_("A service account named “%(label)s” already exists.") % {"label": label})
    return label


def _free_username(scope: Team | Organization, label: str) -> str:
    """Return a username, which is never given twice: an account that was deleted or renamed keeps its own."""
    first = f"{scope.name}.{label}"
    names = chain([first], (f"{first}-{number}" for number in count(2)))
    return next(name for name in names if not is_taken(name))


def _check_role(actor: Actor, team: Team | None, organization: Organization, role: Role) -> None:
    """Refuse a role that the account cannot have, or that is above the actor's own in its team."""
    if team is not None:
        check_role(team, role)
        check_rank(actor, team, role, action=TeamAction.MANAGE_SERVICE_ACCOUNTS)
    elif not roles_of_service_accounts(organization.pk).filter(pk=role.pk).exists():
        message = _("The role %(role)s cannot be assigned to a service account of %(organization)s.")
        raise Invalid(message % {"role": role, "organization": organization})


def _check_default_team(organization: Organization, team: Team | None) -> None:
    if team is not None and (team.organization_id != organization.pk or team.deleted_at is not None):
        raise Invalid(_("The team %(team)s belongs to another organization.") % {"team": team})


@transaction.atomic
def create_service_account(
    *,
    actor: Actor,
    label: str,
    team: Team | None = None,
    organization: Organization | None = None,
    default_team: Team | None = None,
    description: str = "",
    role: Role | None = None,
) -> ServiceAccount:
    """Make a service account of a team, or of an organization with a default team (TEAM-30, TEAM-33).

    Args:
        actor: An admin of the team or the organization.
        label: Its name there, a part of its username.
        team: The team it belongs to, or
        organization: the organization whose teams it works in.
        default_team: Of an organization's account: where runs go that name no team.
        description: What it is for.
        role: Member unless given (TEAM-21).

    Raises:
        Conflict: the label is taken, or the team is personal.
        Forbidden: the plan has no service accounts, or the role is above the actor's own.
    """
    if (team is None) == (organization is None):
        raise Invalid(_("A service account must belong to one team or one organization."))
    _require_manager(actor, team, organization)
    owner = organization or (team.organization if team else None)
    if owner is None:
        message = _(
            "%(team)s is a personal entity; service accounts must belong to a team of an organization."
        )
        raise Conflict(message % {"team": team})
    if team is not None and default_team is not None:
        raise Invalid(
            _("A team’s service account logs to its team; only an organization’s can have a default team.")
        )
    _check_default_team(owner, default_team)
    require_feature(owner)
    scope, role, label = team or owner, role or built_in(Preset.MEMBER), label.strip()
    _check_role(actor, team, owner, role)
    _check_label(scope, label)
    user = create_service_user(username=_free_username(scope, label), display_name=label)
    account = ServiceAccount.objects.create(
        user=user, label=label, description=description.strip()[:_MAX_DESCRIPTION], team=team,
        organization=organization, default_team=default_team, role=role if team is None else None,
        created_by_id=actor.user_id,
    )  # fmt: skip
    if team is not None:
        join(team=team, user=user, role=role)
    record_change(actor, "service_account.create", account, after=_audit_snapshot(account))
    send_rights_changed()
    return account


def _audit_snapshot(account: ServiceAccount) -> dict[str, Any]:
    """Return what of an account can change, as the audit log names it."""
    role = account.effective_role
    snapshot = {"label": account.label, "description": account.description, "role": role.name if role else ""}
    default = account.default_team.name if account.default_team else ""
    return snapshot if account.team_id else {**snapshot, "default_team": default}


@transaction.atomic
def change_service_account(
    *,
    actor: Actor,
    account: ServiceAccount,
    label: str | None = None,
    description: str | None = None,
    role: Role | None = None,
    default_team: Team | None = None,
    no_default_team: bool = False,
) -> ServiceAccount:
    """Change what an account is called, what it may do or where its runs go; None leaves a thing as it is.

    Its username stays: runs and scripts know it by that.

    Raises:
        Conflict: another account of the team or organization has the label.
        Forbidden: the role is above the actor's own.
        Invalid: a role or a team of elsewhere.
    """
    require_manager(actor, account)
    owner = organization_of_account(account)
    before = _audit_snapshot(account)
    if label is not None and label.strip() != account.label:
        account.label = _check_label(account.team or owner, label.strip(), account.pk)
        account.user.display_name = account.label
        account.user.save(update_fields=["display_name", "updated_at"])
    if description is not None:
        account.description = description.strip()[:_MAX_DESCRIPTION]
    if role is not None and role != account.effective_role:
        _check_role(actor, account.team, owner, role)
        _give_role(account, role)
    if account.team_id is None and (default_team is not None or no_default_team):
        _check_default_team(owner, default_team)
        account.default_team = default_team
    account.save(update_fields=["label", "description", "role", "default_team", "updated_at"])
    after = _audit_snapshot(account)
    if after != before:
        record_change(actor, "service_account.change", account, before=before, after=after)
        send_rights_changed()
    return account


def _give_role(account: ServiceAccount, role: Role) -> None:
    if account.team_id is None:
        account.role = role
        return
    Membership.objects.update_or_create(team_id=account.team_id, user=account.user, defaults={"role": role})
    account.user = User.objects.select_related("claim").get(pk=account.user_id)  # with its memberships anew


@transaction.atomic
def set_service_account_active(*, actor: Actor, account: ServiceAccount, is_active: bool) -> None:
    """Let an account's keys work, or not; nothing of it is lost."""
    require_manager(actor, account)
    if is_active:
        require_feature(organization_of_account(account))
    before, account.user.is_active = account.user.is_active, is_active
    account.user.save(update_fields=["is_active", "updated_at"])
    if before != is_active:
        record_change(
            actor, "service_account.set_active", account, before={"active": before}, after={"active": is_active}
        )  # fmt: skip
    send_rights_changed()


@transaction.atomic
def delete_service_account(*, actor: Actor, account: ServiceAccount) -> None:
    """Delete an account for good: its keys stop working, its runs keep its name, which is never given again."""
    require_manager(actor, account)
    record_change(
        actor,
        "service_account.delete",
        account,
        before={**_audit_snapshot(account), "username": account.user.username},
    )
    user = account.user
    account.delete()
    retire_service_user(user)
    send_rights_changed()


def attributed_user(actor: Actor) -> User | None:
    """Return the member whom a service account logs for, if the client named one (TEAM-34).

    A member of the parent team for a team's account, of the organization for an organization's; nobody else.
    """
    if actor.kind is not ActorKind.SERVICE or not actor.on_behalf_of:
        return None
    account = ServiceAccount.objects.filter(user_id=actor.lookup_id).first()
    if account is None:
        return None
    named = User.objects.filter(
        Q(username__iexact=actor.on_behalf_of)
        | Q(emailaddress__email__iexact=actor.on_behalf_of, emailaddress__verified=True),
        is_active=True,
        kind="person",
    )
    if account.team_id is not None:
        return named.filter(
            pk__in=Membership.objects.filter(team_id=account.team_id).values("user_id")
        ).first()
    members = OrganizationMember.objects.filter(organization_id=account.organization_id or 0)
    return named.filter(pk__in=members.values("user_id")).first()


def end_service_accounts(accounts: QuerySet[ServiceAccount]) -> None:
    """Take the keys of service accounts whose team or organization is gone; their runs stay. Call in a transaction."""
    users = accounts.values("user_id")
    ApiKey.objects.filter(user__in=users).delete()
    User.objects.filter(pk__in=users, is_active=True).update(is_active=False)
