"""The API keys of service accounts (TEAM-30): who manages the account makes, rotates and revokes them."""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actor import Actor
from access.web.requests import actor_of_user
from accounts.api_keys.services import end_api_key, issue_api_key
from accounts.models import ApiKey, User, UserKind
from common.errors import Conflict, Invalid
from teams.models import Organization, ServiceAccount, Team
from teams.service_accounts.services import (
    managed_accounts,
    manages,
    organization_of_account,
    record_change,
    require_feature,
    require_manager,
)

MAX_OVERLAP_HOURS = 30 * 24


def contacts_of(owner: User) -> tuple[list[User], str]:
    """Return who manages a service account, and the path of its page; for other users, nobody."""
    account = ServiceAccount.objects.select_related("team", "organization").filter(user=owner).first()
    if account is None:
        return [], ""
    if account.team is not None:
        page = reverse("teams:service_account", args=[account.team.name, account.pk])
        managers = _managers(account, memberships__team=account.team)
    else:
        organization = organization_of_account(account)
        page = reverse("teams:organization_service_account", args=[organization.name, account.pk])
        managers = []
    return managers or _managers(
        account, organization_memberships__organization=organization_of_account(account)
    ), page


def _managers(account: ServiceAccount, **members: Team | Organization) -> list[User]:
    people = User.objects.filter(kind=UserKind.PERSON, is_active=True, **members)
    return [person for person in people if manages(actor_of_user(person), account)]


def managed_keys(actor: Actor) -> QuerySet[ApiKey]:
    """Return the keys of the service accounts that the actor manages, newest first."""
    accounts = managed_accounts(actor).order_by()
    return ApiKey.objects.filter(user__in=accounts.values("user_id")).select_related("user__service_account")


@transaction.atomic
def create_key(
    *,
    actor: Actor,
    account: ServiceAccount,
    label: str = "",
    expires_at: datetime | None = None,
    scopes: Collection[str] | None = None,
) -> tuple[ApiKey, str]:
    """Make a key for an account; the second value is the secret, which nobody can read again.

    Organizations' policies on their members' keys do not hold for it.

    Raises:
        Conflict: the account is deactivated.
        Forbidden: the plan has no service accounts, or a limited key asks for one that reaches further.
        Invalid: too many keys.
    """
    require_manager(actor, account)
    organization = organization_of_account(account)
    require_feature(organization)
    if not account.user.is_active:
        raise Conflict(_("%(account)s is deactivated; reactivate it first.") % {"account": account})
    return issue_api_key(
        actor=actor, owner=account.user, label=label, expires_at=expires_at, scopes=scopes,
        organization_id=organization.pk, team_id=account.team_id,
    )  # fmt: skip


@transaction.atomic
def rotate_key(
    *, actor: Actor, account: ServiceAccount, key: ApiKey, overlap_hours: int = 0
) -> tuple[ApiKey, str]:
    """Make a key that may the same for as long; the old one ends, at once or some hours later.

    Raises:
        Conflict: the old key has expired, or the account is deactivated.
        Invalid: the overlap is longer than 30 days.
    """
    require_manager(actor, account)
    if not 0 <= overlap_hours <= MAX_OVERLAP_HOURS:
        raise Invalid(
            _("The old and new key can both work for at most %(most)d hours.") % {"most": MAX_OVERLAP_HOURS}
        )
    key = (
        ApiKey.objects.select_for_update(no_key=True)
        .select_related("user")
        .get(pk=key.pk, user=account.user_id)
    )
    now = timezone.now()
    if key.is_expired:
        raise Conflict(
            _("The key %(prefix)s… has expired; create a new one.") % {"prefix": f"ry-{key.prefix}"}
        )
    expires_at = now + (key.expires_at - key.created_at) if key.expires_at else None
    created = create_key(
        actor=actor, account=account, label=key.label, expires_at=expires_at, scopes=key.scopes
    )
    after = {"key": created[0].prefix, "overlap_hours": overlap_hours}
    record_change(actor, "service_account.rotate_key", account, before={"key": key.prefix}, after=after)
    if not overlap_hours:
        _end(actor, account, key)
        return created
    end = now + timedelta(hours=overlap_hours)
    key.expires_at = min(key.expires_at, end) if key.expires_at else end
    key.end_told_at = now  # whoever rotates it knows
    key.save(update_fields=["expires_at", "end_told_at"])
    return created


@transaction.atomic
def revoke_key(*, actor: Actor, account: ServiceAccount, key: ApiKey) -> None:
    """Revoke a key of an account, effective immediately."""
    require_manager(actor, account)
    _end(actor, account, key)


def _end(actor: Actor, account: ServiceAccount, key: ApiKey) -> None:
    owner = organization_of_account(account)
    end_api_key(actor=actor, key=key, organization_id=owner.pk, team_id=account.team_id)
