"""What a team or a person may keep: the storage of the plan that pays for it, and how much is used (TEAM-9, ACC-8)."""

from dataclasses import dataclass

from django.db.models import Sum
from django.urls import reverse

from access.actor import Actor
from access.engine import can
from billing.access import BillingAction
from billing.asking import who_changes
from billing.limits import bytes_held
from billing.models import Plan
from billing.subscriptions import subscription_of_team
from billing.units import GB
from storage.models import Holding
from teams.models import Organization, Team


@dataclass(frozen=True, slots=True)
class Allowance:
    """The storage of a plan, of which a team keeps a part."""

    plan: Plan
    organization: Organization | None
    """Whose teams share it; None: it is a person's own."""
    limit_bytes: int | None
    """None: without a limit."""
    kept_bytes: int
    """By the team, deleted runs included."""
    held_bytes: int
    """By all that share the plan."""
    url: str
    """Of the plan's page; "" for who may not open it."""
    whom: str
    """Who changes the plan, where the viewer may not open it."""

    @property
    def used_percent(self) -> float | None:
        """How much of the limit all that share it use; None without a limit."""
        if self.limit_bytes is None:
            return None
        return 100 * self.held_bytes / self.limit_bytes if self.limit_bytes else 100.0

    @property
    def is_over(self) -> bool:
        """Whether more is kept than the limit."""
        return self.limit_bytes is not None and self.held_bytes > self.limit_bytes

    def share_of(self, size_bytes: int) -> float:
        """Return how long a part of the bar is, in percent: the bar is the limit, or more where more is kept."""
        whole = max(self.limit_bytes or 0, self.held_bytes if self.limit_bytes else self.kept_bytes)
        return 100 * size_bytes / whole if whole else 0.0


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
    kept = Holding.objects.filter(team_id=team.pk).aggregate(total=Sum("size_bytes"))["total"] or 0
    return Allowance(
        plan=subscription.plan,
        organization=organization,
        limit_bytes=None if limit_gb is None else limit_gb * GB,
        kept_bytes=kept,
        held_bytes=bytes_held([subscription])[subscription.pk],
        url=url,
        whom="" if url or organization is None else who_changes(organization),
    )
