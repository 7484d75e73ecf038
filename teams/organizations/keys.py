"""The API keys of an organization's members and service accounts: its admins see and revoke them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from access.actor import Actor
from access.engine import require
from accounts.lifecycle.services import end_api_key
from accounts.mail import sending
from accounts.models import ApiKey, UserKind
from teams.access import OrganizationAction
from teams.models import Organization, OrganizationMember, ServiceAccount
from teams.organizations.key_policy import keys_beyond


@dataclass(frozen=True, slots=True)
class WantedKeys:
    """What the list is asked for: words, whose keys, whether only those that the policy would refuse."""

    text: str = ""
    whose: str = ""
    beyond: bool = False

    @classmethod
    def of(cls, query: Mapping[str, str]) -> "WantedKeys":
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


def narrowed_keys(keys: QuerySet[ApiKey], organization: Organization, wanted: WantedKeys) -> QuerySet[ApiKey]:
    """Keep the keys that are asked for."""
    if wanted.text:
        named = Q(label__icontains=wanted.text) | Q(prefix__startswith=wanted.text.removeprefix("ry-"))
        keys = keys.filter(
            named | Q(user__username__icontains=wanted.text) | Q(user__display_name__icontains=wanted.text)
        )
    if wanted.whose:
        keys = keys.filter(user__kind=wanted.whose)
    return keys.filter(pk__in=keys_beyond(organization).values("pk")) if wanted.beyond else keys


@transaction.atomic
def revoke_keys(*, actor: Actor, organization: Organization, numbers: Iterable[int]) -> list[ApiKey]:
    """End keys at once, everywhere; their owners are told by mail. Those that are gone, or of others, are left alone.

    A member's key ends for all that the member may, also elsewhere.
    """
    found = list(keys_of_organization(actor, organization).filter(pk__in=list(numbers)))
    for key in found:
        told = {
            "label": key.label, "prefix": f"ry-{key.prefix}", "organization": organization.name,
            "by": actor.name or _("An operator"),
        }  # fmt: skip
        if key.user_id != actor.user_id:
            sending.send("teams/email/key_revoked", key.user, told)
        account = getattr(key.user, "service_account", None)
        team_id = account.team_id if account else None
        end_api_key(actor=actor, key=key, organization_id=organization.pk, team_id=team_id)
    return found
