"""Grants of billing admins: they, and nobody else, manage their organization's billing (BIL-9)."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import F, Model, Q, QuerySet
from django.utils.translation import gettext as _

from access.actions import Preset
from access.actor import Actor
from access.grants import GrantScope, Reason, met, unmet
from access.resources.registry import NOBODY, Resource, value_at
from billing.models import BillingAdmin
from billing.subscriptions.billed import is_billed_organization
from common.database.compiled_sql import KeysOf
from teams.models import Organization

_KIND = "billing admin"


def acting_admins() -> QuerySet[BillingAdmin]:
    """Return billing admins who still are admins of their organization."""
    return BillingAdmin.objects.filter(
        user__organization_memberships__organization=F("organization"),
        user__organization_memberships__role__preset=Preset.ORGANIZATION_ADMIN,
        user__is_active=True,
    )


def _managed_organizations(user_id: int, _action: str) -> QuerySet[Any, Any]:
    return acting_admins().filter(user_id=user_id).values("organization_id")


class BillingAdmins:
    """Counts for one action, on organizations and what hangs on them."""

    def __init__(self, action: str, *, seen_by: str = "") -> None:
        self.action = str(action)
        self.seen_by = str(seen_by)
        """The action that shows what they manage: who is refused it is told their names, too."""

    def rows(self, actor: Actor, action: str, resource: Resource) -> Q:
        """Return rows of organizations whose billing the actor manages."""
        if action != self.action or not resource.organization:
            return NOBODY
        return Q(**{f"{resource.organization}__in": KeysOf(_managed_organizations, actor.lookup_id, action)})

    def people(self, action: str, resource: Resource, row: Model) -> Q:
        """Return the billing admins of the row's organization."""
        if action != self.action or not resource.organization:
            return NOBODY
        admins = acting_admins().filter(organization_id=value_at(row, resource.organization))
        return Q(pk__in=admins.values("user_id"))

    def holders(
        self, action: str, places: Collection[GrantScope], among: Collection[int] | None
    ) -> Iterator[tuple[GrantScope, int]]:
        """Yield the billing admins of each place's organization."""
        if action != self.action:
            return
        admins = acting_admins().filter(organization_id__in={place.organization_id for place in places})
        chosen = admins if among is None else admins.filter(user__in=among)
        pairs = list(chosen.values_list("organization_id", "user_id"))
        for place in places:
            yield from (
                (place, user) for organization, user in pairs if organization == place.organization_id
            )

    def reasons(self, actor: Actor, action: str, resource: Resource, row: Model) -> list[Reason]:
        """Say whether the actor is a billing admin of the row's organization."""
        if action not in {self.action, self.seen_by} or not resource.organization:
            return []
        organization = Organization.objects.get(pk=value_at(row, resource.organization))
        admins = acting_admins().filter(organization=organization).select_related("user")
        names = {"who": actor.name, "organization": organization.name}
        is_one = admins.filter(user_id=actor.lookup_id).exists()
        names["admins"] = ", ".join(admin.user.username for admin in admins[:5])
        words = _billed_messages(names) if is_billed_organization(organization) else _usage_messages(names)
        if is_one:
            return [met(_KIND, words.met % names)] if action == self.action else []
        return [unmet(_KIND, words.unmet % names, words.help % names)]


@dataclass(frozen=True, slots=True)
class _ReasonMessages:
    """What a reason says."""

    met: str
    unmet: str
    help: str


def _billed_messages(names: dict[str, str]) -> _ReasonMessages:
    return _ReasonMessages(
        _("%(who)s is a billing admin of %(organization)s."),
        _("%(who)s is not a billing admin of %(organization)s."),
        _("Ask a billing admin of %(organization)s: %(admins)s.")
        if names["admins"]
        else _("An admin of the organization %(organization)s can choose a billing admin."),
    )


def _usage_messages(names: dict[str, str]) -> _ReasonMessages:
    return _ReasonMessages(
        _("%(who)s is a usage admin of %(organization)s."),
        _("%(who)s is not a usage admin of %(organization)s."),
        _("Ask a usage admin of %(organization)s: %(admins)s.")
        if names["admins"]
        else _("An admin of the organization %(organization)s can choose a usage admin."),
    )
