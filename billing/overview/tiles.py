"""The tiles of plan usage (BIL-5): a category each, its bar, what goes beyond the plan, where it is heading."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from billing.models import Subscription, UsageCategory
from billing.overview.projection import Projection, project_period
from billing.plans.pricing import UsageLine, as_limit, by_days, usage_lines
from billing.subscriptions.usage import use_of
from usage.periods import Period, period_at
from usage.reports.categories import takes_traces
from usage.reports.usage_totals import UsageTotals, metered_at, until_between
from usage.units import GB, ZERO

TITLES: dict[UsageCategory, str | Promise] = {
    UsageCategory.HOURS: _("Tracked hours"),
    UsageCategory.STORAGE: _("Storage"),
    UsageCategory.INGESTION: _("Trace data"),
}
ICONS = {
    UsageCategory.HOURS: "clock",
    UsageCategory.STORAGE: "hard-drive",
    UsageCategory.INGESTION: "activity",
}


@dataclass(frozen=True, slots=True)
class Bar:
    """Widths in percent of the whole, which is the limit, or more where more is used or projected."""

    within: float
    above: float
    ahead: float
    """From what is used to what is projected."""
    limit: float
    """Where the limit is; 100 is the end of the bar."""

    @property
    def used(self) -> float:
        """Where what is used ends."""
        return self.within + self.above


@dataclass(frozen=True, slots=True)
class Tile:
    """One category of a payer in the period under way. Storage counts what is held now; it is charged by its mean."""

    category: UsageCategory
    unit: str
    """h, GB."""
    used: Decimal
    included: Decimal | None
    """None: without limit."""
    price_usd: Decimal | None
    """For a unit above; None: nothing above is billed."""
    amount_usd: Decimal
    """What use beyond the plan costs so far."""
    mean: Decimal | None
    """Of storage: what was held on average since the period began."""
    by_days: Decimal | None
    """What is included in this period, where terms changed within it: days count by theirs."""
    projected: Decimal
    projected_usd: Decimal
    by_previous: bool
    """Whether the projection takes the pace of the period before."""
    period: Period
    metered_at: datetime | None
    usage_url: str
    """Of the page of this category; "" for personal entities."""
    csv_url: str
    """Of the export; likewise."""

    @property
    def title(self) -> str | Promise:
        """What it is called."""
        return TITLES[self.category]

    @property
    def icon(self) -> str:
        """Name of its icon."""
        return ICONS[self.category]

    @property
    def above(self) -> Decimal:
        """How much goes beyond what is included."""
        return ZERO if self.included is None else max(ZERO, self.used - self.included)

    @property
    def percent(self) -> int | None:
        """How much of the limit is used, rounded down; beyond 100 it goes on. None without a limit."""
        if self.included is None:
            return None
        return int(self.used / self.included * 100) if self.included else 100

    @property
    def level(self) -> str:
        """``over``, ``near`` (from 85 %, where the first alert is), ``ok``, or ``free`` without a limit."""
        if self.percent is None:
            return "free"
        return "over" if self.above else "near" if self.percent >= 85 else "ok"

    @property
    def bar(self) -> Bar | None:
        """How its bar is drawn; None without a limit."""
        if self.included is None:
            return None
        whole = max(self.included, self.used, self.projected) or Decimal(1)

        def share(amount: Decimal) -> float:
            return round(float(amount / whole * 100), 2)

        ahead = max(ZERO, self.projected - self.used)
        return Bar(share(self.used - self.above), share(self.above), share(ahead), share(self.included))


def tiles_of(subscription: Subscription, now: datetime) -> list[Tile]:
    """Return the tiles of the period that ``now`` is in: hours, storage, and ingestion where traces are taken in.

    Three queries, four early in the period.
    """
    period, counted = period_at(now, subscription.anchor_day), metered_at()
    until = until_between(period, counted)
    use = use_of(subscription, period, until)
    ahead = project_period(subscription, period, use, until)
    lines = usage_lines(subscription, use.amounts, period)
    pairs = zip(lines, ahead.lines, strict=True)
    traces = takes_traces()
    mean = Decimal(use.mean_bytes(period.elapsed_s(until))) / GB
    return [
        _tile(subscription, line, later, use=use, mean=mean, ahead=ahead, counted=counted)
        for line, later in pairs
        if traces or line.category != UsageCategory.INGESTION
    ]


def _tile(
    subscription: Subscription, line: UsageLine, later: UsageLine, *,
    use: UsageTotals, mean: Decimal, ahead: Projection,
    counted: datetime | None,
) -> Tile:  # fmt: skip
    is_storage = line.category == UsageCategory.STORAGE
    limit = as_limit(line, subscription, use.held_bytes)
    return Tile(
        category=line.category,
        unit=line.unit,
        used=limit.used,
        included=limit.included,
        price_usd=line.price_usd,
        amount_usd=line.amount_usd,
        mean=mean if is_storage else None,
        by_days=by_days(line, subscription),
        projected=later.used,
        projected_usd=later.amount_usd,
        by_previous=ahead.by_previous and not is_storage,
        period=ahead.period,
        metered_at=counted,
        usage_url=f"{_url('usage', subscription)}?category={line.category.value}"
        if subscription.organization
        else "",
        csv_url=_url("usage_csv", subscription),
    )


def _url(route: str, subscription: Subscription) -> str:
    organization = subscription.organization
    return reverse(f"usage:{route}", args=[organization.name]) if organization else ""
