"""Seats of an organization: how many are taken, and refusing one when none is left (BIL-3, TEAM-1)."""

from collections.abc import Collection
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Count, Q
from django.utils.translation import gettext as _

from access.actions import Preset
from billing.billing_admins.contacts import plan_admins_message
from billing.models import Plan
from billing.subscriptions.selectors import locked, subscription_of
from common.errors import Conflict
from teams.models import Organization, OrganizationMember, ProductAccess
from teams.plan_policy import Seat

_VIEW_ONLY = Q(role__preset=Preset.ORGANIZATION_VIEWER) | Q(models_access=ProductAccess.VIEW_ONLY)
_SEATED = Q(user__is_active=True) & ~Q(models_access=ProductAccess.NONE)
"""`teams.plan_policy.seat_for` as conditions; who was switched off takes no seat."""


@dataclass(frozen=True, slots=True)
class SeatsTaken:
    """How many seats people of an organization take."""

    full: int = 0
    view_only: int = 0

    def of(self, plan: Plan) -> "SeatsTaken":
        """Return them as the plan counts: without view-only seats, who only looks takes a full one."""
        return self if plan.has_view_only_role else SeatsTaken(self.full + self.view_only)


def seats_taken(organization_ids: Collection[int]) -> dict[int, SeatsTaken]:
    """Return the seats that are taken, by organization; those of nobody have no entry."""
    rows = OrganizationMember.objects.filter(_SEATED, organization__in=organization_ids)
    counted = rows.order_by().values("organization_id")
    counted = counted.annotate(looking=Count("pk", filter=_VIEW_ONLY), everybody=Count("pk"))
    return {
        row["organization_id"]: SeatsTaken(row["everybody"] - row["looking"], row["looking"])
        for row in counted
    }


def require_seat(organization: Organization, seat: Seat, had: Seat | None) -> None:
    """Refuse a seat that there is not, where limits are enforced; locks the subscription until the transaction ends.

    Raises:
        Conflict: the plan, how many seats it has, and who can change it.
    """
    if not settings.ENFORCE_LIMITS:
        return
    subscription = locked(subscription_of(organization))  # two who come at once would both see the last seat
    plan = subscription.plan
    if had is not None and not plan.has_view_only_role:
        return  # both kinds are one
    taken = seats_taken([organization.pk]).get(organization.pk, SeatsTaken()).of(plan)
    view_only = seat is Seat.VIEW_ONLY and plan.has_view_only_role
    used, seats = (taken.view_only, plan.view_only_seats) if view_only else (taken.full, plan.seats)
    if seats is not None and used >= seats:
        message = _no_seat_message(organization, plan, seats, view_only=view_only)
        raise Conflict(f"{message} {plan_admins_message(organization)}".strip())


def _no_seat_message(organization: Organization, plan: Plan, seats: int, *, view_only: bool) -> str:
    names = {"organization": organization, "plan": plan.name, "n": seats}
    if view_only:
        return _("All view-only seats of %(organization)s are taken: the plan %(plan)s has %(n)d.") % names
    return _("All seats of %(organization)s are taken: the plan %(plan)s has %(n)d.") % names
