"""What payers used: the sums of all their teams."""

from collections.abc import Collection
from datetime import datetime

from billing.models import Subscription
from billing.subscriptions.selectors import payers_by_team, teams_of
from usage.periods import Period
from usage.reports.sums import LedgerFilter, use_by_key
from usage.reports.usage_totals import UsageTotals, until_of


def use_by_payer(subscriptions: Collection[Subscription], period: Period) -> dict[int, UsageTotals]:
    """Return what payers' teams used in a period, as far as the meter came, by keys of subscriptions; 3 queries."""
    payers, found = payers_by_team(subscriptions), {row.pk: UsageTotals() for row in subscriptions}
    for (team_id,), use in use_by_key(
        LedgerFilter(list(payers)), period, until_of(period), "team_id"
    ).items():
        found[payers[team_id]].add(use)
    return found


def use_of(subscription: Subscription, period: Period, until: datetime | None = None) -> UsageTotals:
    """Return what all teams of a payer used in a period; by default as far as the meter came."""
    teams = teams_of(subscription).values("pk")
    return use_by_key(LedgerFilter(teams), period, until or until_of(period))[()]
