"""What the plan that pays for a team or a person lets it store (TEAM-9, ACC-8)."""

from django.urls import reverse

from access.actor import Actor
from access.engine import can
from billing.billing_admins.contacts import plan_admins_message
from billing.limits.selectors import bytes_by_subscription
from billing.subscriptions.selectors import subscription_of_team
from teams.models import Team
from usage.access import BillingAction
from usage.policy import stored_bytes
from usage.storage.allowance import Allowance
from usage.units import GB


def allowance_of(actor: Actor, team: Team) -> Allowance:
    """Return what the plan of a team or a person allows; a fixed number of queries."""
    subscription = subscription_of_team(team)
    organization, limit_gb = subscription.organization, subscription.storage_limit_gb
    if organization is None:
        url = reverse("billing:own")
    elif can(actor, BillingAction.VIEW, organization):
        url = reverse("billing:overview", args=[organization.name])
    else:
        url = ""
    return Allowance(
        plan_name=subscription.plan.name,
        organization=organization,
        limit_bytes=None if limit_gb is None else limit_gb * GB,
        stored_bytes=stored_bytes(team),
        shared_bytes=bytes_by_subscription([subscription])[subscription.pk],
        url=url,
        contacts="" if url or organization is None else plan_admins_message(organization),
    )
