"""What pages say of plans and limits."""

from typing import Any

from django import template
from django.conf import settings
from django.db.models import Exists, OuterRef
from django.urls import reverse
from django.utils.translation import gettext as _

from access.actor import Actor
from access.engine import can, visible
from access.web.requests import actor_of
from billing.billing_admins.contacts import billing_contacts_message
from billing.limits import warnings
from billing.limits.near_limits import dismissed_notices, notices_of
from billing.limits.services import belongs_to
from billing.models import Plan, Subscription
from billing.plans import selectors as plans
from billing.subscriptions.billed import billed
from billing.subscriptions.selectors import subscription_of, subscription_of_team
from common.database.kept_queries import KeptQuery
from teams.models import Organization, OrganizationMember, Team
from usage.access import BillingAction
from usage.formatting import included, unit_price

register = template.Library()


@register.filter
def limit_of(value: int | None, unit: str) -> str:
    """Write what a plan includes, or that it is without limit."""
    return included(value, unit)


@register.filter
def price_of(plan: Plan) -> str:
    """Write what a plan costs."""
    return plans.price_of(plan)


@register.filter
def above_storage(subscription: Subscription) -> str:
    """Say what more storage than the limit leads to."""
    price, limit = subscription.plan.storage_price_usd, subscription.storage_limit_gb
    if limit is None:
        return "–"
    if price is not None:
        return _("%(price)s per GB") % {"price": unit_price(price)}
    if not settings.ENFORCE_LIMITS:
        return _("Not charged")
    return _("Blocked after %(days)d days") % {"days": subscription.plan.grace_days}


_organizations = KeptQuery(
    lambda user_id: OrganizationMember.objects.filter(user=user_id).order_by().values_list("organization_id")
)


@register.simple_tag(takes_context=True)
def billing_seen(context: dict[str, Any]) -> str:
    """Say what the viewer sees of organizations of theirs: ``billing``, ``usage`` alone, or ""; one query."""
    actor = actor_of(context["request"])
    if not _organizations.rows(actor.lookup_id):
        return ""
    mine = OrganizationMember.objects.filter(user=actor.lookup_id).values("organization_id")
    paid = Exists(Subscription.objects.filter(billed(), organization=OuterRef("pk")))
    seen = visible(
        actor, BillingAction.VIEW, Organization.objects.filter(pk__in=mine).annotate(is_billed=paid)
    )
    found = set(seen.values_list("is_billed", flat=True))
    return "billing" if True in found else "usage" if found else ""


@register.inclusion_tag("billing/limits/notices.html", takes_context=True)
def limit_notices(context: dict[str, Any]) -> dict[str, Any]:
    """Say that a limit of a plan is near or reached, once for each stage until somebody closes it.

    On the home page and those of the organization, or on one's own, to who sees its billing. Where people work, on
    pages of teams and projects, all who belong there read only of what their runs are refused. Where nothing presses,
    those pages make no query for it.
    """
    if context.get("request") is None:  # an error page
        return {}
    payer, is_at_work = _payer(context)
    if payer is None:
        return {}
    organization_id, team_id = payer
    limits = warnings.near_limits(organization_id=organization_id, team_id=team_id)
    if not limits:
        return {}
    actor, subscription = actor_of(context["request"]), _subscription(organization_id, team_id)
    if not belongs_to(actor, subscription):
        return {}
    return _notices_context(actor, subscription, limits, is_at_work=is_at_work)


_Payer = tuple[int | None, int | None]
"""The key of an organization, or of a personal entity."""


def _payer(context: dict[str, Any]) -> tuple[_Payer | None, bool]:
    """Return the organization or personal entity whose page it is, and whether people work there."""
    organization, project = context.get("organization"), context.get("project")
    if isinstance(organization, Organization):
        return (organization.pk, None), False
    team = getattr(project, "team", None) or context.get("team")
    if not isinstance(team, Team):
        match = context["request"].resolver_match
        is_home = match is not None and match.view_name == "runs:home"
        return (_pressed_organization(context) if is_home else None), False
    if team.organization_id is not None:
        return (team.organization_id, None), True
    return (None, team.pk), project is not None


def _pressed_organization(context: dict[str, Any]) -> _Payer | None:
    """Return the first of the organizations whose billing the viewer sees that has a limit near; one query."""
    actor = actor_of(context["request"])
    if not _organizations.rows(actor.lookup_id):
        return None
    mine = OrganizationMember.objects.filter(user=actor.lookup_id).values("organization_id")
    seen = visible(actor, BillingAction.VIEW, Organization.objects.filter(pk__in=mine)).order_by("name")
    pressed = (pk for pk in seen.values_list("pk", flat=True) if warnings.near_limits(organization_id=pk))
    return next(((pk, None) for pk in pressed), None)


def _subscription(organization_id: int | None, team_id: int | None) -> Subscription:
    if organization_id is not None:
        return subscription_of(Organization.objects.get(pk=organization_id))
    return subscription_of_team(Team.objects.get(pk=team_id or 0))


def _notices_context(
    actor: Actor, subscription: Subscription, limits: list[Any], *, is_at_work: bool
) -> dict[str, Any]:
    organization = subscription.organization
    sees_all = organization is None or can(actor, BillingAction.VIEW, organization)
    closed = dismissed_notices(actor, subscription)
    notices = [
        notice
        for notice in notices_of(subscription, limits)
        if ((sees_all and not is_at_work) or notice.affects_logging)
        and (notice.kind.value, notice.stage) not in closed
    ]
    if not notices:
        return {}
    may_manage = organization is not None and can(actor, BillingAction.MANAGE, organization)
    return {
        "notices": notices,
        "is_critical": any(notice.is_critical for notice in notices),
        "payer": subscription.payer,
        "subscription": subscription,
        "contacts": "" if may_manage else billing_contacts_message(subscription),
        "url": _details_url(organization, sees_all=sees_all),
    }


def _details_url(organization: Organization | None, *, sees_all: bool) -> str:
    """Return the page that says more; "" for who may not open it."""
    if organization is None:
        return reverse("billing:own")
    return reverse("billing:overview", args=[organization.name]) if sees_all else ""
