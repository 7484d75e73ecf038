"""SCIM users as a provider reads them: who is listed, and what is shown of each."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import F, FilteredRelation, Q, QuerySet, Value
from django.db.models.functions import Coalesce, NullIf
from scim2_models import Meta, Reference

from access.actions import Preset
from accounts.models import User, UserKind
from teams.members.suspension import teams_given
from teams.models import Organization, OrganizationMember, ProvisionedUser, ProvisionState, Team
from teams.scim.filters import Column
from teams.scim.resources import ROLES, Person, PersonEmail, PersonGroup, PersonName
from teams.scim.resources import Membership as MemberExtension

PRESETS = dict(
    zip(
        ROLES,
        (Preset.ORGANIZATION_ADMIN, Preset.ORGANIZATION_MEMBER, Preset.ORGANIZATION_VIEWER),
        strict=True,
    )
)
_NAMES = {preset: name for name, preset in PRESETS.items()}
DEFAULTS = {"organization_role": "member", "models_access": "full", "weave_access": "full"}
"""What of role and access everybody has."""
UNSET = "active"
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
        active=None if row and UNSET in row.said else place is not None and user.is_active,
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
    shown = _shown_membership(place, row.said if row else {})
    if shown:
        resource[MemberExtension] = MemberExtension.model_validate(shown)
    return resource


def _shown_membership(place: OrganizationMember | None, said: dict[str, str]) -> dict[str, str]:
    """Return what differs from what everybody has, or what the provider set itself."""
    if place is None:
        return {name: value for name, value in said.items() if name in DEFAULTS}
    values = membership_values(place)
    return {name: value for name, value in values.items() if value != DEFAULTS[name] or name in said}


def membership_values(member: OrganizationMember) -> dict[str, str]:
    return {
        "organization_role": _NAMES.get(Preset(member.role.preset), "member"),
        "models_access": str(member.models_access), "weave_access": str(member.weave_access),
    }  # fmt: skip
