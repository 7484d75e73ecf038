"""Which API keys the members of an organization may make. Service accounts belong to none and are not asked."""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.db.models import F, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import ApiKey, User
from common.errors import Forbidden
from teams.members.selectors import admin_names
from teams.models import Organization, OrganizationMember

_SLACK = timedelta(hours=1)
"""Between choosing “in 30 days” and the check."""


def check_new_key(owner: User, expires_at: datetime | None, scopes: Collection[str] | None) -> None:
    """Refuse a key that an organization of its owner does not want.

    Raises:
        Forbidden: which organization, what it allows, whom to ask.
    """
    strict = Organization.objects.filter(members__user=owner).filter(
        Q(api_keys_allowed=False) | Q(api_keys_limited=True) | Q(api_key_max_days__isnull=False)
    )
    for organization in strict.order_by("-api_keys_allowed", F("api_key_max_days").asc(nulls_last=True)):
        names = {"organization": organization}
        if not organization.api_keys_allowed:
            message = _("%(organization)s does not allow its members to create API keys.")
            raise _refusal(message % names, organization)
        if organization.api_keys_limited and scopes is None:
            message = _(
                "API keys of members of %(organization)s must be restricted: choose permissions for the key."
            )
            raise _refusal(message % names, organization)
        days = organization.api_key_max_days
        if days is not None and _lives_too_long(expires_at, days):
            message = ngettext(
                "API keys of members of %(organization)s must expire within %(days)d day.",
                "API keys of members of %(organization)s must expire within %(days)d days.",
                days,
            )
            raise _refusal(message % {**names, "days": days}, organization)


def _lives_too_long(expires_at: datetime | None, days: int) -> bool:
    return expires_at is None or expires_at > timezone.now() + timedelta(days=days) + _SLACK


def _refusal(message: str, organization: Organization) -> Forbidden:
    whom = _("Ask an admin of %(organization)s: %(admins)s.")
    names = {"organization": organization, "admins": ", ".join(admin_names(organization))}
    return Forbidden(f"{message} {whom % names}", action="api_key.create")


def keys_beyond_policy(organization: Organization) -> QuerySet[ApiKey]:
    """Return the members' keys that could not be made today; they go on working, and their owners are named."""
    members = OrganizationMember.objects.filter(organization=organization).values("user_id")
    keys = ApiKey.objects.filter(user__in=members).select_related("user")
    live = keys.filter(Q(expires_at__isnull=True) | Q(expires_at__gt=timezone.now()))
    if not organization.api_keys_allowed:
        return live
    beyond = Q(pk__in=())
    if organization.api_keys_limited:
        beyond |= Q(scopes__isnull=True)
    if organization.api_key_max_days is not None:
        latest = timezone.now() + timedelta(days=organization.api_key_max_days)
        beyond |= Q(expires_at__isnull=True) | Q(expires_at__gt=latest)
    return live.filter(beyond)
