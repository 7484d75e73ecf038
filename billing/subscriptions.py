"""Who pays for what: every organization and every personal entity has one subscription, from its first day."""

from collections.abc import Collection
from datetime import timedelta
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.models import User
from billing.models import BillingAdmin, Plan, Subscription
from billing.plans import default_plan, ensure_plans
from teams.models import Organization, Team, TeamKind

_WITH = ("plan", "next_plan", "trial_then", "organization", "team")


def _all() -> QuerySet[Subscription]:
    return Subscription.objects.select_related(*_WITH)


def _found_or_begun(*, personal: bool, **payer: int) -> Subscription:
    """Return the payer's; where something was made around the hooks (a restored backup), begin it now."""
    found = _all().filter(**payer).first()
    if found is None:
        Subscription.objects.get_or_create(**payer, defaults={"plan": default_plan(personal=personal)})
        found = _all().get(**payer)
    return found


def subscription_of(organization: Organization) -> Subscription:
    """Return an organization's subscription, with its plans."""
    return _found_or_begun(personal=False, organization_id=organization.pk)


def subscription_of_team(team: Team) -> Subscription:
    """Return who pays for a team: its organization, or the personal entity itself."""
    if team.organization_id is None:
        return _found_or_begun(personal=True, team_id=team.pk)
    return _found_or_begun(personal=False, organization_id=team.organization_id)


def locked(subscription: Subscription) -> Subscription:
    """Lock a subscription until the transaction ends; whatever changes money or periods takes it first."""
    return _all().select_for_update(of=("self",), no_key=True).get(pk=subscription.pk)


def choosable(subscription: Subscription) -> QuerySet[Plan]:
    """Return the plans that a payer may choose, or is on: what is on offer, and what it had before (BIL-3)."""
    former = subscription.former_plans.values("pk")
    others = Q(is_offered=True) | Q(pk__in=former)
    return Plan.objects.filter(Q(pk=subscription.plan_id) | others & Q(by_contact=False))


def leave(subscription: Subscription, plan: Plan) -> None:
    """Keep a plan that a payer leaves by its own choice, so that it can come back; call where it was no trial."""
    if subscription.plan_id != plan.pk:
        subscription.former_plans.add(plan)


def teams_of(subscription: Subscription) -> QuerySet[Team]:
    """Return the teams whose use it pays, deleted ones, too: what they hold and did counts on."""
    if subscription.team_id is not None:
        return Team.objects.filter(pk=subscription.team_id)
    return Team.objects.filter(organization=subscription.organization_id)


def payers_by_team(subscriptions: Collection[Subscription]) -> dict[int, int]:
    """Return whose teams are whose: keys of subscriptions by teams', deleted ones, too. One query."""
    of_team = {row.team_id: row.pk for row in subscriptions if row.team_id is not None}
    of_organization = {
        row.organization_id: row.pk for row in subscriptions if row.organization_id is not None
    }
    if of_organization:
        teams = Team.objects.filter(organization__in=of_organization).values_list("pk", "organization_id")
        of_team.update({team: of_organization[organization] for team, organization in teams})
    return of_team


def begin_for_organization(organization: Organization, admin: User) -> None:
    """Put a new organization on the default plan; its creator is its first billing admin (TEAM-12)."""
    Subscription.objects.create(organization=organization, **_beginning(default_plan()))
    BillingAdmin.objects.create(organization=organization, user=admin)


def begin_for_person(team: Team) -> None:
    """Put a new personal entity on its default plan."""
    Subscription.objects.create(team=team, **_beginning(default_plan(personal=True)))


def fallback_of(plan: Plan) -> Plan | None:
    """Return where a trial leads that began with nothing: a plan without a price, one on offer if there is any."""
    free = Plan.objects.filter(price_usd=0, by_contact=False).exclude(pk=plan.pk)
    return free.order_by("-is_offered", "-is_default", "rank", "pk").first()


def _beginning(plan: Plan) -> dict[str, Any]:
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
