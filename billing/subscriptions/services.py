"""How subscriptions begin, and which plans a payer can come back to."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from accounts.models import User
from billing.models import BillingAdmin, Plan, Subscription
from billing.plans.catalogue import default_plan, ensure_plans, fallback_of
from teams.models import Organization, Team, TeamKind


def record_former_plan(subscription: Subscription, plan: Plan) -> None:
    """Remember a plan that a payer leaves by its own choice, so that it can come back; not for trials."""
    if subscription.plan_id != plan.pk:
        subscription.former_plans.add(plan)


def begin_for_organization(organization: Organization, admin: User) -> None:
    """Put a new organization on the default plan; its creator is its first billing admin (TEAM-12)."""
    Subscription.objects.create(organization=organization, **_initial_terms(default_plan()))
    BillingAdmin.objects.create(organization=organization, user=admin)


def begin_for_person(team: Team) -> None:
    """Put a new personal entity on its default plan."""
    Subscription.objects.create(team=team, **_initial_terms(default_plan(personal=True)))


def _initial_terms(plan: Plan) -> dict[str, Any]:
    """Return what somebody new begins with: the plan, as a trial where it is one (TEAM-12)."""
    afterwards = fallback_of(plan) if plan.trial_days else None
    if plan.trial_days is None or afterwards is None:
        return {"plan": plan}
    ends_at = timezone.now() + timedelta(days=plan.trial_days)
    return {"plan": plan, "trial_ends_at": ends_at, "trial_then": afterwards}


def sync_subscriptions(**_: Any) -> None:
    """Give everybody who was there before billing a subscription; called after every migration."""
    ensure_plans()
    bare = Organization.objects.filter(subscription__isnull=True)
    plan, personal = default_plan(), default_plan(personal=True)
    Subscription.objects.bulk_create(Subscription(organization=row, plan=plan) for row in bare.iterator())
    people = Team.objects.filter(kind=TeamKind.PERSONAL, subscription__isnull=True)
    Subscription.objects.bulk_create(
        (Subscription(team=row, plan=personal) for row in people.iterator()), batch_size=500
    )
