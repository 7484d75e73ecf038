"""What plans say of use: the answers to `usage.policy`."""

from collections.abc import Collection
from datetime import date

from django.db.models.functions import Coalesce

from access.actor import Actor
from billing.limits.allowance import allowance_of
from billing.limits.ingestion_quota import require_ingestion
from billing.models import Subscription
from billing.subscriptions.billed import billed
from billing.subscriptions.selectors import subscription_of, subscription_of_team
from teams.models import Organization, Team
from usage.storage.allowance import Allowance


class BillingUsagePolicy:
    """Reads subscriptions."""

    def anchor_day_of(self, payer: Organization | Team) -> int:
        """Return the day of the month on which billing periods begin."""
        if isinstance(payer, Organization):
            return subscription_of(payer).anchor_day
        return subscription_of_team(payer).anchor_day

    def is_billed(self, organization_id: int | None) -> bool:
        """Say whether money is involved; one query."""
        return Subscription.objects.filter(billed(), organization=organization_id).exists()

    def allowance_of(self, actor: Actor, team: Team) -> Allowance:
        """Return what the plan that pays for a team or a person lets it store."""
        return allowance_of(actor, team)

    def require_ingestion(self, team_id: int) -> None:
        """Refuse trace data beyond the plan's; raises as `require_ingestion`."""
        require_ingestion(team_id)

    def closed_until(self, team_ids: Collection[int]) -> dict[int, date]:
        """Return until when the periods of teams' payers are closed; one query."""
        closed = Coalesce("organization__subscription__closed_to", "subscription__closed_to")
        rows = Team.objects.filter(pk__in=team_ids).annotate(closed_to=closed).exclude(closed_to=None)
        return dict(rows.values_list("pk", "closed_to"))
