"""SCIM users: the people of an organization."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace as with_changes
from datetime import datetime
from types import MappingProxyType
from typing import Any

from allauth.account.models import EmailAddress
from django.db.models import F, FilteredRelation, Q, QuerySet, Value
from django.db.models.functions import Coalesce, NullIf
from scim2_models import Meta, MutabilityException, Reference, UniquenessException

from access.actions import Preset
from access.actor import Actor
from access.audit.log import record
from accounts.lifecycle.names import MAX_LENGTH, check_name
from accounts.lifecycle.services import create_user, is_taken, set_active
from accounts.models import SignInProvider, User, UserKind
from accounts.sign_in.signup_policy import is_open
from common.errors import Conflict, Invalid
from teams.models import Organization, OrganizationMember, ProductAccess, Team
from teams.organizations.services import (
    add_to_organization,
    change_organization_member,
    remove_from_organization,
)
from teams.roles.builtin import built_in
from teams.scim.filters import Column
from teams.scim.models import ProvisionedUser, ProvisionState
from teams.scim.plan import require_scim
from teams.scim.reactivation import bring_back, forget, hold_teams, teams_given
from teams.scim.resources import ACCESS, ROLES, Person, PersonEmail, PersonGroup, PersonName
from teams.scim.resources import Membership as Place

_PRESETS = dict(
    zip(
        ROLES,
        (Preset.ORGANIZATION_ADMIN, Preset.ORGANIZATION_MEMBER, Preset.ORGANIZATION_VIEWER),
        strict=True,
    )
)
_NAMES = {preset: name for name, preset in _PRESETS.items()}
_USUAL = {"organization_role": "member", "models_access": "full", "weave_access": "full"}
"""What of role and access everybody has."""
_CHOICES = {"organization_role": ROLES, "models_access": ACCESS, "weave_access": ACCESS}
_UNSAID = "active"
"""In `ProvisionedUser.said`: the provider has taken the attribute away, which counts as true."""

COLUMNS = {
    "id": Column("pk", int),
    "username": Column("shown_name"),
    "externalid": Column("record__external_id", case_exact=True),
    "displayname": Column("shown_display_name"),
    "name.givenname": Column("record__name__givenName"),
    "name.familyname": Column("record__name__familyName"),
    "name.formatted": Column("record__name__formatted"),
    "emails": Column("email"),
    "emails.value": Column("email"),
    "emails.type": Column("email_type"),
    "emails.primary": Column("email_primary", bool),
    "active": Column("is_there", bool),
    "meta.created": Column("created_at", datetime),
    "meta.lastmodified": Column("updated_at", datetime),
}


def people_of(organization: Organization) -> QuerySet[Any]:
    """Return who is listed: members of the organization, and those whom the provider switched off."""
    here = {"condition": Q(provisioned__organization=organization)}
    place = {"condition": Q(organization_memberships__organization=organization)}
    rows = User.objects.filter(kind=UserKind.PERSON).annotate(
        record=FilteredRelation("provisioned", **here),
        place=FilteredRelation("organization_memberships", **place),
    )
    listed = Q(record__state__in=(ProvisionState.ACTIVE, ProvisionState.INACTIVE))
    return rows.filter(Q(place__isnull=False) | listed).annotate(
        shown_name=Coalesce(NullIf("record__user_name", Value("")), F("username")),
        shown_display_name=Coalesce(NullIf("record__display_name", Value("")), F("display_name")),
        email_type=Value("work"),
        email_primary=Value(True),  # noqa: FBT003 - an SQL literal
        is_there=Q(place__isnull=False, is_active=True),
        is_member=Q(place__isnull=False),
    )


def to_resources(
    organization: Organization, users: Sequence[User], base: str, *, groups: bool = True
) -> list[Any]:
    """Return people as SCIM shows them; a fixed number of queries."""
    pks = [user.pk for user in users]
    records = {
        row.user_id: row for row in ProvisionedUser.objects.filter(organization=organization, user__in=pks)
    }
    places = OrganizationMember.objects.filter(organization=organization, user__in=pks).select_related("role")
    by_user = {place.user_id: place for place in places}
    given = teams_given(organization, pks) if groups else {}
    return [
        _resource(user, records.get(user.pk), by_user.get(user.pk), given.get(user.pk, []), base)
        for user in users
    ]


def _resource(
    user: User,
    row: ProvisionedUser | None,
    place: OrganizationMember | None,
    given: list[Team],
    base: str,
) -> Any:
    display = row.display_name if row else user.display_name
    resource = Person(
        id=str(user.pk),
        external_id=(row.external_id if row else "") or None,
        user_name=row.user_name if row else user.username,
        display_name=display or None,
        name=PersonName.model_validate(row.name) if row and row.name else None,
        active=None if row and _UNSAID in row.said else place is not None and user.is_active,
        emails=[PersonEmail(value=user.email, type="work", primary=True)] if user.email else None,
        groups=[
            PersonGroup(value=str(team.pk), ref=Reference(f"{base}/Groups/{team.pk}"), display=team.name)
            for team in given
        ]
        or None,
        meta=Meta(
            resource_type="User",
            created=user.created_at,
            last_modified=max(user.updated_at, row.updated_at) if row else user.updated_at,
            location=Reference(f"{base}/Users/{user.pk}"),
        ),
    )
    shown = _place(place, row.said if row else {})
    if shown:
        resource[Place] = Place.model_validate(shown)
    return resource


def _place(place: OrganizationMember | None, said: dict[str, str]) -> dict[str, str]:
    """Return what differs from what everybody has, or what the provider set itself."""
    if place is None:
        return {name: value for name, value in said.items() if name in _USUAL}
    values = _place_of(place)
    return {name: value for name, value in values.items() if value != _USUAL[name] or name in said}


def _place_of(member: OrganizationMember) -> dict[str, str]:
    return {
        "organization_role": _NAMES.get(Preset(member.role.preset), "member"),
        "models_access": str(member.models_access), "weave_access": str(member.weave_access),
    }  # fmt: skip


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
        Conflict: the address belongs to an account that has not confirmed it, or that is switched off; or no seat is
            left.
        Forbidden: the plan does not include SCIM.
    """
    require_scim(organization)
    email = _address(resource)
    _check_user_name(organization, str(resource.user_name), None)
    owner = EmailAddress.objects.filter(email__iexact=email, verified=True).select_related("user").first()
    user = owner.user if owner else None
    row = ProvisionedUser.objects.filter(organization=organization, user=user).first() if user else None
    if row is not None and row.state != ProvisionState.DELETED:
        raise UniquenessException(detail=f"{email} is already a user of {organization}.")
    if user is None:
        user = create_user(actor=actor, username=username_for(str(resource.user_name)), email=email)
        row = ProvisionedUser(organization=organization, user=user, made_account=True)
    elif row is None:
        row = ProvisionedUser(organization=organization, user=user)
    if not row.made_account:
        _check_joins(organization, user, email)
    if not user.is_active and not _manages(row):
        raise Conflict(
            f"The account of {email} is deactivated; an operator of the installation can reactivate it."
        )
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
    own = SignInProvider.objects.filter(organization=organization.claim_id, is_enabled=True)
    if not any(provider.domains and provider.takes(email) for provider in own):
        raise Conflict(
            f"The account of {email} is its owner's: invite them. Where sign-up is open, accounts join unasked only if"
            f" an operator has linked a sign-in provider to {organization}, with the domain of the address."
        )


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
    _save(actor, row, resource, before=before[Place], partly=partly)


def delete_person(*, actor: Actor, organization: Organization, user: User) -> None:
    """Take somebody out of the organization and its teams; an account that SCIM made is switched off.

    Raises:
        Conflict: they are the last admin of the organization or of a team.
    """
    row = ProvisionedUser.objects.filter(organization=organization, user=user).first()
    _switch(actor, row or ProvisionedUser(organization=organization, user=user), on=False)
    if row is not None:
        forget(row)
        row.state, row.held = ProvisionState.DELETED, {}
        row.save(update_fields=["state", "held", "updated_at"])


def check_address(resource: Any, before: Any) -> None:
    """Refuse another address: who sets an account's address could take it over by a reset mail.

    Raises:
        MutabilityException: the addresses differ.
    """
    told = {str(one.value).lower() for one in resource.emails or [] if one.value}
    if told and not told & {str(one.value).lower() for one in before.emails or []}:
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
    actor: Actor, row: ProvisionedUser, resource: Any, *, before: Place | None = None, partly: bool = False
) -> None:
    was = _told(row) if row.pk else {}
    row.user_name, row.external_id = str(resource.user_name)[:255], (resource.external_id or "")[:255]
    row.display_name = (resource.display_name or "")[:255]
    row.name = resource.name.model_dump() if resource.name else {}
    wanted = _wanted_place(
        row, resource[Place] or Place.model_validate({}), before or Place.model_validate({}), partly=partly
    )
    on = resource.active is not False
    if partly and resource.active is None:
        row.said[_UNSAID] = ""
    if on:
        wanted, row.held = row.held | wanted, {}
    _switch(actor, row, on=on, wanted=wanted)
    row.state = ProvisionState.ACTIVE if on else ProvisionState.INACTIVE
    row.save()
    if _manages(row):
        parts = (row.name.get("givenName"), row.name.get("familyName"))
        name = row.display_name or row.name.get("formatted") or " ".join(filter(None, parts))
        User.objects.filter(pk=row.user_id).update(display_name=name[:120])
    if _told(row) != was:
        record(
            actor,
            "scim.save_user",
            row.user,
            organization_id=row.organization_id,
            before=was,
            after=_told(row),
        )
    if on:
        if wanted:
            _set_place(actor, row, wanted)
        bring_back(actor, row)


def _wanted_place(row: ProvisionedUser, now: Place, before: Place, *, partly: bool) -> dict[str, str]:
    """Return what of role and access is to be set, and remember what of it the provider decides from now on.

    Raises:
        Invalid: there is no such role or access.
    """
    wanted, said = {}, {}
    for field, values in _CHOICES.items():
        value = getattr(now, field)
        if value is None:
            if field in row.said or (partly and getattr(before, field) is not None):
                wanted[field] = _USUAL[field]
            continue
        if value not in values:
            raise Invalid(f"“{value}” isn’t one of {', '.join(values)}.")
        wanted[field] = value
        if field in row.said or value != getattr(before, field):
            said[field] = value
    row.said = said
    return wanted


def _told(row: ProvisionedUser) -> dict[str, Any]:
    return {
        "userName": row.user_name, "externalId": row.external_id, "displayName": row.display_name,
        "state": str(row.state),
    }  # fmt: skip


def _switch(
    actor: Actor, row: ProvisionedUser, *, on: bool, wanted: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Put somebody into the organization, or out of it and all its teams, and their account with them if it is its.

    Who comes in takes at once the seat of the role and access that are wanted.
    """
    place = OrganizationMember.objects.filter(organization=row.organization, user=row.user)
    member = place.select_related("organization", "user", "role").first()
    if on:
        if not row.user.is_active and _manages(row):
            _set_account(actor, row.user, on=True)
        if member is None:
            add_to_organization(
                actor=actor, organization=row.organization, user=row.user,
                role=built_in(_PRESETS[wanted.get("organization_role", "member")]),
                models_access=wanted.get("models_access", ProductAccess.FULL),
            )  # fmt: skip
        return
    if member is not None:
        row.held = _place_of(member)
        if row.pk is None:
            row.save()
        hold_teams(row)
        remove_from_organization(actor=actor, member=member)
    if row.user.is_active and _manages(row):
        _set_account(actor, row.user, on=False)


def _set_account(actor: Actor, user: User, *, on: bool) -> None:
    """Switch an account that SCIM made; who manages the organization's members may that, with an operator's right."""
    set_active(actor=with_changes(actor, elevated=True), user=user, is_active=on)


def _set_place(actor: Actor, row: ProvisionedUser, wanted: dict[str, str]) -> None:
    role = wanted.get("organization_role")
    member = OrganizationMember.objects.select_related("organization", "user", "role").get(
        organization=row.organization, user=row.user
    )
    change_organization_member(
        actor=actor, member=member, role=built_in(_PRESETS[role]) if role else None,
        models_access=wanted.get("models_access"), weave_access=wanted.get("weave_access"),
    )  # fmt: skip
