"""The API keys of an organization's members and service accounts: its admins see and revoke them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from access.actor import Actor
from access.engine import require
from accounts.api_keys.services import end_api_key
from accounts.mail import sending
from accounts.models import ApiKey, UserKind
from teams.access import OrganizationAction
from teams.models import Organization, OrganizationMember, ServiceAccount
from teams.organizations.key_policy import keys_beyond_policy


@dataclass(frozen=True, slots=True)
class KeyFilter:
    """Which keys to list: by words, by kind of owner, or only those that the policy would refuse."""

    text: str = ""
    whose: str = ""
    beyond: bool = False

    @classmethod
    def of(cls, query: Mapping[str, str]) -> "KeyFilter":
        """Read a query string; what makes no sense is left out."""
        whose = query.get("whose", "")
        return cls(
            text=query.get("q", "").strip()[:120],
            whose=whose if whose in UserKind.values else "",
            beyond=query.get("beyond") == "on",
        )


def keys_of_organization(actor: Actor, organization: Organization) -> QuerySet[ApiKey]:
    """Return them, newest first, to admins of the organization.

    Raises:
        NotFound, Forbidden: others ask.
    """
    require(actor, OrganizationAction.MANAGE_MEMBERS, organization)
    members = OrganizationMember.objects.filter(organization=organization)
    programs = ServiceAccount.objects.filter(
        Q(organization=organization) | Q(team__organization=organization)
    )
    either = Q(user__in=members.values("user_id")) | Q(user__in=programs.values("user_id"))
    return ApiKey.objects.filter(either).select_related("user__claim", "user__service_account__team")


def filtered_keys(keys: QuerySet[ApiKey], organization: Organization, given: KeyFilter) -> QuerySet[ApiKey]:
    """Narrow keys to those that match."""
    if given.text:
        named = Q(label__icontains=given.text) | Q(prefix__startswith=given.text.removeprefix("ry-"))
        keys = keys.filter(
            named | Q(user__username__icontains=given.text) | Q(user__display_name__icontains=given.text)
        )
    if given.whose:
        keys = keys.filter(user__kind=given.whose)
    return keys.filter(pk__in=keys_beyond_policy(organization).values("pk")) if given.beyond else keys


@transaction.atomic
def revoke_keys(*, actor: Actor, organization: Organization, numbers: Iterable[int]) -> list[ApiKey]:
    """Revoke keys, effective immediately; their owners are notified by mail. Unknown keys are ignored.

    A member's key ends for all that the member may, also elsewhere.
    """
    found = list(keys_of_organization(actor, organization).filter(pk__in=list(numbers)))
    for key in found:
        context = {
            "label": key.label, "prefix": f"ry-{key.prefix}", "organization": organization.name,
            "by": actor.name or _("An operator"),
        }  # fmt: skip
        if key.user_id != actor.user_id:
            sending.send("teams/email/key_revoked", key.user, context)
        account = getattr(key.user, "service_account", None)
        team_id = account.team_id if account else None
        end_api_key(actor=actor, key=key, organization_id=organization.pk, team_id=team_id)
    return found
