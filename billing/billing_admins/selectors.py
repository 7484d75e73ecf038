"""Reads about billing admins: who they are, and who of an organization's people could be one (BIL-9)."""

from dataclasses import dataclass, field
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Exists, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, Lower, NullIf

from access.actions import Preset
from access.actor import Actor
from access.engine import can, who_may
from accounts.models import User, UserKind
from billing.billing_admins.grants import acting_admins
from billing.billing_admins.services import has_many
from billing.models import BillingAdmin
from teams.members.people import MemberFilter, matches_text
from teams.models import Organization, OrganizationMember
from usage.access import BillingAction

PAGE = 50


def billing_admins_of(organization: Organization) -> QuerySet[User]:
    """Return the billing admins who can act: still admins of the organization, and active; the first chosen first."""
    rows = acting_admins().filter(organization=organization).values("user_id")
    chosen = BillingAdmin.objects.filter(organization=organization, user=OuterRef("pk")).values("pk")
    return User.objects.filter(pk__in=rows).select_related("claim").order_by(Subquery(chosen[:1]))


@dataclass(frozen=True, slots=True)
class BillingAdminList:
    """Who looks after an organization's billing, for the overview and for *Manage roles*."""

    people: list[User]
    has_many: bool
    """Whether the plan lets several be billing admins at a time."""
    may_assign: bool

    @property
    def is_over(self) -> bool:
        """Whether there are more than the plan has now: they stay until somebody is chosen."""
        return not self.has_many and len(self.people) > 1


def billing_admin_list(actor: Actor, organization: Organization) -> BillingAdminList:
    """Return what a page tells of billing admins; four queries."""
    return BillingAdminList(
        people=list(billing_admins_of(organization)),
        has_many=has_many(organization),
        may_assign=can(actor, BillingAction.ASSIGN, organization),
    )


@dataclass(slots=True)
class PeoplePage:
    """A page of the organization's people."""

    page: "Page[Any]"
    rows: list[OrganizationMember] = field(default_factory=list)

    @property
    def found(self) -> int:
        """How many match, on all pages."""
        return self.page.paginator.count


def people_of(organization: Organization, wanted: MemberFilter) -> PeoplePage:
    """Return who belongs to an organization, billing admins and then admins first.

    Each has ``is_admin``, and ``is_billing_admin``: the field, whether they can act or not.
    """
    chosen = BillingAdmin.objects.filter(organization=organization, user=OuterRef("user_id"))
    admins = OrganizationMember.objects.filter(pk=OuterRef("pk"), role__preset=Preset.ORGANIZATION_ADMIN)
    rows = (
        OrganizationMember.objects.filter(
            matches_text(wanted, "user__username", "user__display_name", "user__email"),
            organization=organization,
        )
        .select_related("user__claim", "role")
        .annotate(
            is_billing_admin=Exists(chosen),
            is_admin=Exists(admins),
            shown_name=Lower(Coalesce(NullIf("user__display_name", Value("")), "user__username")),
        )
        .order_by("-is_billing_admin", "-is_admin", "shown_name", "pk")
    )
    page = Paginator(rows, PAGE).get_page(wanted.page)
    return PeoplePage(page, list(page.object_list))


def billing_recipients(organization: Organization) -> QuerySet[User]:
    """Return who gets mail about an organization's money.

    They are its billing admins; all its admins, should there be none at the moment; and of a deleted organization those
    who were its billing admins: its last invoices are theirs to read.
    """
    people = User.objects.filter(kind=UserKind.PERSON, is_active=True).exclude(email="").order_by("pk")
    if organization.deleted_at is not None:
        return people.filter(pk__in=BillingAdmin.objects.filter(organization=organization).values("user_id"))
    chosen = people.filter(pk__in=acting_admins().filter(organization=organization).values("user_id"))
    if chosen.exists():
        return chosen
    return people.filter(pk__in=who_may(BillingAction.VIEW, organization).values("pk"))
