"""What the plan that pays for a team or a person lets it store (TEAM-9, ACC-8)."""

from django.urls import reverse

from access.actor import Actor
from access.engine import can
from billing.admins.contacts import who_changes
from billing.limits.selectors import bytes_held
from billing.subscriptions.selectors import subscription_of_team
from teams.models import Team
from usage.access import BillingAction
from usage.policy import kept_bytes
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
        kept_bytes=kept_bytes(team),
        held_bytes=bytes_held([subscription])[subscription.pk],
        url=url,
        whom="" if url or organization is None else who_changes(organization),
    )
