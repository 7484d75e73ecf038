"""SCIM users: what a provider makes, changes and takes out of an organization."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from scim2_models import MutabilityException, UniquenessException

from access.actor import Actor
from access.audit.log import record
from accounts.credentials import address_claims
from accounts.lifecycle.names import MAX_LENGTH, check_name
from accounts.lifecycle.services import create_user, is_taken, switch_account
from accounts.models import SignInProvider, User
from accounts.sign_in.signup_policy import is_open
from common.errors import Conflict, Invalid
from teams.members.suspension import forget_suspended, restore_teams, suspend_teams
from teams.models import (
    Organization,
    OrganizationMember,
    ProductAccess,
    ProvisionedUser,
    ProvisionState,
)
from teams.organizations.services import (
    add_to_organization,
    change_organization_member,
    remove_from_organization,
)
from teams.roles.builtin import built_in
from teams.scim.plan import require_scim
from teams.scim.resources import ACCESS, ROLES
from teams.scim.resources import Membership as MemberExtension
from teams.scim.user_resources import DEFAULTS, PRESETS, UNSET, membership_values, people_of

_CHOICES = {"organization_role": ROLES, "models_access": ACCESS, "weave_access": ACCESS}


def _address(resource: Any) -> str:
    emails = resource.emails or []
    primary = next((one for one in emails if one.primary), emails[0] if emails else None)
    if primary is None or not primary.value:
        raise Invalid("A user needs an email address: send `emails`, or an address as `userName`.")
    return str(primary.value).lower()


def username_for(text: str) -> str:
    """Return a free username like what the provider calls somebody: the part before the @, with a number if taken."""
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", text.partition("@")[0]).strip("-_.")[: MAX_LENGTH - 8] or "user"
    for number in range(1, 10_000):
        name = plain if number == 1 else f"{plain}-{number}"
        try:
            check_name(name)
        except Invalid:  # a reserved word
            continue
        if not is_taken(name):
            return name
    raise Conflict(f"There are too many users named like {plain!r}.")


def create_person(*, actor: Actor, organization: Organization, resource: Any) -> User:
    """Make an account, or add the one that has shown that the address is its own; then set what is told.

    Raises:
        UniquenessException: the provider has made this user, or another with the name.
        Conflict: the account of the address is switched off; or no seat is left.
        Forbidden: the plan does not include SCIM.
    """
    require_scim(organization)
    email = _address(resource)
    _check_user_name(organization, str(resource.user_name), None)
    user = address_claims.account_for(email)
    row = ProvisionedUser.objects.filter(organization=organization, user=user).first() if user else None
    if row is not None and row.state != ProvisionState.DELETED:
        raise UniquenessException(detail=f"{email} is already a user of {organization}.")
    if user is None:
        user = create_user(
            actor=actor, username=username_for(str(resource.user_name)), email=email,
            is_verified=not is_open() or _answers_for(organization, email),
        )  # fmt: skip
        row = ProvisionedUser(organization=organization, user=user, made_account=True)
    elif row is None:
        row = ProvisionedUser(organization=organization, user=user)
    if not row.made_account:
        _check_joins(organization, user, email)
    if not user.is_active and not _manages(row):
        raise Conflict(
            f"The account of {email} is deactivated; an operator of the installation can reactivate it."
        )
    row.said = {}
    row.state = ProvisionState.DELETED  # not there yet; what `active` says is done below
    _save(actor, row, resource)
    return user


def _check_joins(organization: Organization, user: User, email: str) -> None:
    """Refuse to take in somebody's own account unasked where anybody may found an organization.

    Raises:
        Conflict: sign-up is open, and no sign-in provider of the organization answers for the address.
    """
    if not is_open() or OrganizationMember.objects.filter(organization=organization, user=user).exists():
        return
    if not _answers_for(organization, email):
        raise Conflict(
            f"The account of {email} is its owner's: invite them. Where sign-up is open, accounts join unasked only if"
            f" an operator has linked a sign-in provider to {organization}, with the domain of the address."
        )


def _answers_for(organization: Organization, email: str) -> bool:
    """Whether an operator has linked a sign-in provider to the organization, with the domain of the address."""
    own = SignInProvider.objects.filter(organization=organization.claim_id, is_enabled=True)
    return any(provider.domains and provider.takes(email) for provider in own)


def update_person(
    *, actor: Actor, organization: Organization, user: User, resource: Any, before: Any, partly: bool
) -> None:
    """Make somebody what the resource says; the address is the account's own and stays.

    Args:
        actor: Who asks.
        organization: Where.
        user: Whom it is about.
        resource: What they shall be.
        before: What they were.
        partly: Whether single attributes were told, so that one that is gone was taken away; a provider that tells all
            of a user may know nothing of roles.

    Raises:
        Forbidden: the plan does not include SCIM any more, and the resource does not switch somebody off.
    """
    if resource.active is not False:
        require_scim(organization)
    row = ProvisionedUser.objects.filter(organization=organization, user=user).select_related("user").first()
    if row is None:  # a member whom the provider has found by name and now takes over
        row = ProvisionedUser(organization=organization, user=user, user_name=user.username)
    _check_user_name(organization, str(resource.user_name), user)
    _save(actor, row, resource, before=before[MemberExtension], partly=partly)


def delete_person(*, actor: Actor, organization: Organization, user: User) -> None:
    """Take somebody out of the organization and its teams; an account that SCIM made is switched off.

    Raises:
        Conflict: they are the last admin of the organization or of a team.
    """
    row = ProvisionedUser.objects.filter(organization=organization, user=user).first()
    _switch(actor, row or ProvisionedUser(organization=organization, user=user), on=False)
    if row is not None:
        forget_suspended(row)
        row.state, row.held = ProvisionState.DELETED, {}
        row.save(update_fields=["state", "held", "updated_at"])


def check_address(resource: Any, before: Any) -> None:
    """Refuse another address: who sets an account's address could take it over by a reset mail.

    Raises:
        MutabilityException: the addresses differ.
    """
    addresses = {str(one.value).lower() for one in resource.emails or [] if one.value}
    if addresses and not addresses & {str(one.value).lower() for one in before.emails or []}:
        raise MutabilityException(detail="People change their email addresses themselves, in their settings.")


def _check_user_name(organization: Organization, name: str, user: User | None) -> None:
    others = people_of(organization).filter(shown_name__iexact=name)
    if others.exclude(pk=user.pk if user else 0).exists():
        raise UniquenessException(detail=f"User “{name}” already exists in {organization}.")


def _manages(row: ProvisionedUser) -> bool:
    """Whether the account is this organization's alone: SCIM made it here, and it belongs nowhere else."""
    elsewhere = OrganizationMember.objects.filter(user=row.user).exclude(organization=row.organization)
    return row.made_account and not elsewhere.exists()


def _save(
    actor: Actor,
    row: ProvisionedUser,
    resource: Any,
    *,
    before: MemberExtension | None = None,
    partly: bool = False,
) -> None:
    was = _audit_snapshot(row) if row.pk else {}
    row.user_name, row.external_id = str(resource.user_name)[:255], (resource.external_id or "")[:255]
    row.display_name = (resource.display_name or "")[:255]
    row.name = resource.name.model_dump() if resource.name else {}
    changes = _read_membership(
        row,
        resource[MemberExtension] or MemberExtension.model_validate({}),
        before or MemberExtension.model_validate({}),
        partly=partly,
    )
    on = resource.active is not False
    if partly and resource.active is None:
        row.said[UNSET] = ""
    if on:
        changes, row.held = row.held | changes, {}
    _switch(actor, row, on=on, changes=changes)
    row.state = ProvisionState.ACTIVE if on else ProvisionState.INACTIVE
    row.save()
    if _manages(row):
        parts = (row.name.get("givenName"), row.name.get("familyName"))
        name = row.display_name or row.name.get("formatted") or " ".join(filter(None, parts))
        User.objects.filter(pk=row.user_id).update(display_name=name[:120])
    if _audit_snapshot(row) != was:
        record(
            actor,
            "scim.save_user",
            row.user,
            organization_id=row.organization_id,
            before=was,
            after=_audit_snapshot(row),
        )
    if on:
        if changes:
            _set_membership(actor, row, changes)
        restore_teams(actor, row)


def _read_membership(
    row: ProvisionedUser, now: MemberExtension, before: MemberExtension, *, partly: bool
) -> dict[str, str]:
    """Return what of role and access is to be set, and remember what of it the provider decides from now on.

    Raises:
        Invalid: there is no such role or access.
    """
    changes: dict[str, str] = {}
    said: dict[str, str] = {}
    for field, values in _CHOICES.items():
        value = getattr(now, field)
        if value is None and partly:
            if field in row.said or getattr(before, field) is not None:
                changes[field] = DEFAULTS[field]
            continue
        if value is None:  # not sent, so it stays as it is
            said |= {field: row.said[field]} if field in row.said else {}
            continue
        if value not in values:
            raise Invalid(f"“{value}” isn’t one of {', '.join(values)}.")
        changes[field] = value
        if field in row.said or value != getattr(before, field):
            said[field] = value
    row.said = said
    return changes


def _audit_snapshot(row: ProvisionedUser) -> dict[str, Any]:
    return {
        "userName": row.user_name, "externalId": row.external_id, "displayName": row.display_name,
        "state": str(row.state),
    }  # fmt: skip


def _switch(
    actor: Actor, row: ProvisionedUser, *, on: bool, changes: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Put somebody into the organization, or out of it and all its teams, and their account with them if it is its.

    Who comes in takes the seat of the role and access that they get.
    """
    place = OrganizationMember.objects.filter(organization=row.organization, user=row.user)
    member = place.select_related("organization", "user", "role").first()
    if on:
        if not row.user.is_active and _manages(row):
            _set_account(actor, row.user, on=True)
        if member is None:
            add_to_organization(
                actor=actor, organization=row.organization, user=row.user,
                role=built_in(PRESETS[changes.get("organization_role", "member")]),
                models_access=changes.get("models_access", ProductAccess.FULL),
            )  # fmt: skip
        return
    if member is not None:
        row.held = membership_values(member)
        if row.pk is None:
            row.save()
        suspend_teams(row)
        remove_from_organization(actor=actor, member=member)
    if row.user.is_active and _manages(row):
        _set_account(actor, row.user, on=False)


def _set_account(actor: Actor, user: User, *, on: bool) -> None:
    """Switch an account that SCIM made; who manages the organization's members may that."""
    switch_account(actor=actor, user=user, is_active=on)


def _set_membership(actor: Actor, row: ProvisionedUser, changes: dict[str, str]) -> None:
    role = changes.get("organization_role")
    member = OrganizationMember.objects.select_related("organization", "user", "role").get(
        organization=row.organization, user=row.user
    )
    change_organization_member(
        actor=actor, member=member, role=built_in(PRESETS[role]) if role else None,
        models_access=changes.get("models_access"), weave_access=changes.get("weave_access"),
    )  # fmt: skip
