"""What a period will come to, going on as it has: an estimate, never a bill.

Tracked hours and trace data grow in a straight line from the period's begin. Storage stays at what is held now. In the
first days of a period a line would swing with every run, so until then the rest of it takes the pace of the one before.
"""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from billing.models import Subscription
from billing.plans.pricing import UsageLine, overage_usd, recurring_usd, usage_lines
from billing.subscriptions.usage import use_of
from usage.periods import Period
from usage.reports.usage_totals import Amounts, UsageTotals
from usage.units import DAY_S, HOUR_S

EARLY_S = 3 * DAY_S
"""Younger than this, a period is estimated by the one before."""


@dataclass(frozen=True, slots=True)
class Projection:
    """An estimate of a whole period."""

    period: Period
    amounts: Amounts
    lines: list[UsageLine]
    """Hours, storage and ingestion at the end of the period."""
    recurring_usd: Decimal
    """What the plan and bought storage cost without use beyond them."""
    by_previous: bool
    """Whether the pace of the period before was taken."""

    @property
    def overage_usd(self) -> Decimal:
        """What use beyond the plan will cost."""
        return overage_usd(self.lines)

    @property
    def total_usd(self) -> Decimal:
        """The plan and what goes beyond it."""
        return self.recurring_usd + self.overage_usd


def project_period(
    subscription: Subscription, period: Period, use: UsageTotals, until: datetime
) -> Projection:
    """Estimate a period of which ``use`` is known up to ``until``."""
    elapsed = period.elapsed_s(until)
    previous = _previous(subscription, period) if elapsed < EARLY_S else None
    amounts = Amounts(
        _projected(use.tracked_s, elapsed, period.seconds, previous.tracked_s if previous else None),
        use.byte_seconds + use.held_bytes * (period.seconds - elapsed),
        _projected(
            use.ingested_bytes, elapsed, period.seconds, previous.ingested_bytes if previous else None
        ),
    )
    return Projection(
        period,
        amounts,
        usage_lines(subscription, amounts, period),
        recurring_usd(subscription),
        by_previous=previous is not None,
    )


def _previous(subscription: Subscription, period: Period) -> Amounts | None:
    """Return the use of the period before, scaled to the length of this one; None when there was none."""
    before = period.previous(subscription.anchor_day)
    use = use_of(subscription, before, before.ends_at)
    if not (use.tracked_s or use.ingested_bytes):
        return None
    return Amounts(
        use.tracked_s * period.seconds // before.seconds,
        0,
        use.ingested_bytes * period.seconds // before.seconds,
    )


def _projected(used: int, elapsed_s: int, period_s: int, previous: int | None) -> int:
    if previous is not None:
        return used + previous * (period_s - elapsed_s) // period_s
    if elapsed_s < HOUR_S:
        return used
    return used * period_s // elapsed_s
