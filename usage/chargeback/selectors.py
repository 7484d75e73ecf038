"""What teams and projects would pay at the organization's own prices: GPU time, energy and storage of a month.

GPU time and energy come from the samples that runs sent (`usage.models.HardwareUse`), storage from what runs hold. A
row's parts are rounded to the cent each; the sum is of the whole amounts, so it is the same by team and by project.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from access.actor import Actor
from teams.models import Organization
from usage.models import InternalPrices, TeamDay
from usage.periods import Period, month_of
from usage.reports import sums
from usage.reports.names import RowName, names_of
from usage.reports.usage_totals import UsageTotals
from usage.units import GB, HOUR_S, KWH_J, ZERO, to_cents

MONTHS = 13
BY = {"team": "team_id", "project": "project_id"}


@dataclass(frozen=True, slots=True)
class Cost:
    """What somebody used, and what that costs."""

    gpu_hours: Decimal
    gb_months: Decimal
    kwh: Decimal
    gpu_cost: Decimal
    storage_cost: Decimal
    energy_cost: Decimal
    host_gpu_hours: Decimal
    """Of GPUs that only runs which watch a machine have sampled: nobody's, hence without a cost."""
    host_kwh: Decimal

    @property
    def total(self) -> Decimal:
        """All parts together."""
        return self.gpu_cost + self.storage_cost + self.energy_cost


@dataclass(frozen=True, slots=True)
class ChargebackRow:
    """A line of the table."""

    pk: int
    name: RowName
    cost: Cost
    share: float
    """Percent of the sum."""


@dataclass(frozen=True, slots=True)
class Chargeback:
    """A month."""

    month: Period
    by: str
    prices: InternalPrices
    rows: list[ChargebackRow]
    total: Cost
    has_samples: bool
    """Whether any run of the organization ever sent samples of GPUs."""


def prices_of(organization: Organization) -> InternalPrices:
    """Return the organization's prices; nothing costs anything before they are set."""
    found = InternalPrices.objects.filter(organization=organization).first()
    return found or InternalPrices(organization=organization)


def month_from(text: str, now: datetime) -> Period:
    """Read a month (YYYY-MM); anything else, and what lies ahead, is the present one."""
    present = month_of(now.date())
    try:
        return min(month_of(date.fromisoformat(f"{text}-01")), present)
    except ValueError:
        return present


def months_until(now: datetime) -> list[Period]:
    """Return the months that are offered, newest first."""
    found = [month_of(now.date())]
    while len(found) < MONTHS:
        found.append(found[-1].previous(1))
    return found


def cost_of(use: UsageTotals, month: Period, prices: InternalPrices) -> Cost:
    """Price what was used in a month."""
    gpu_hours = Decimal(use.gpu_s) / HOUR_S
    gb_months = Decimal(use.byte_seconds) / month.seconds / GB
    kwh = Decimal(use.energy_j) / KWH_J
    return Cost(
        gpu_hours, gb_months, kwh, to_cents(gpu_hours * prices.gpu_hour_price),
        to_cents(gb_months * prices.storage_gb_price), to_cents(kwh * prices.kwh_price),
        Decimal(use.host_gpu_s) / HOUR_S, Decimal(use.host_energy_j) / KWH_J,
    )  # fmt: skip


def chargeback(
    actor: Actor,
    organization: Organization,
    team_ids: sums.TeamIds,
    *,
    month: Period,
    until: datetime,
    by: str,
) -> Chargeback:
    """Return a month by team or project, dearest first; five queries at most.

    Args:
        actor: Who looks.
        organization: Whose prices.
        team_ids: Whose use.
        month: A calendar month.
        until: Up to when use is known.
        by: A key of `BY`.
    """
    prices, column = prices_of(organization), BY[by]
    uses = {
        pk: use for (pk,), use in sums.use_by_key(sums.LedgerFilter(team_ids), month, until, column).items()
    }
    total = cost_of(_summed(uses), month, prices)
    costs = {pk: cost_of(use, month, prices) for pk, use in uses.items() if _counts(use)}
    names = names_of(actor, column, list(costs))
    ranked = sorted(costs, key=lambda pk: (*_rank(costs[pk]), pk))
    rows = [ChargebackRow(pk, names[pk], costs[pk], _share(costs[pk].total, total.total)) for pk in ranked]
    has_samples = bool(total.gpu_hours or total.kwh or total.host_gpu_hours) or _ever_sampled(team_ids)
    return Chargeback(month, by, prices, rows, total, has_samples)


def _rank(cost: Cost) -> tuple[Decimal, ...]:
    return -cost.total, -cost.gpu_hours, -cost.gb_months, -cost.host_gpu_hours


def _counts(use: UsageTotals) -> bool:
    return bool(use.gpu_s or use.energy_j or use.byte_seconds or use.host_gpu_s or use.host_energy_j)


def _summed(uses: Mapping[int, UsageTotals]) -> UsageTotals:
    whole = UsageTotals()
    for use in uses.values():
        whole.add(use)
    return whole


def _share(part: Decimal, whole: Decimal) -> float:
    return round(float(part / whole * 100), 2) if whole > ZERO else 0.0


def _ever_sampled(team_ids: sums.TeamIds) -> bool:
    return TeamDay.objects.filter(team_id__in=team_ids, gpu_s__gt=0).exists()
