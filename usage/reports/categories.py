"""What pages of usage count, and in which units."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from usage.models import IngestionEntry
from usage.reports.usage_totals import UsageTotals
from usage.units import GB, HOUR_S


@dataclass(frozen=True, slots=True)
class Measure:
    """One category."""

    key: str
    """In addresses."""
    title: str | Promise
    icon: str
    unit: str
    column: str
    """Of `UsageDay`; of storage the changes, which charts add up."""
    per_unit: int
    """How much of the column one unit is."""
    of: Callable[[UsageTotals, int], Decimal]
    """(use, seconds that it is of) to units."""
    help: str | Promise

    @property
    def is_level(self) -> bool:
        """Whether it is held, not used up: charts show how high it stands, tables the mean."""
        return self.column == "delta_bytes"

    def units(self, amount: int) -> Decimal:
        """Turn what the column has into units."""
        return Decimal(amount) / self.per_unit


HOURS = Measure(
    "hours", _("Tracked hours"), "clock", "h", "tracked_s", HOUR_S,
    lambda use, _s: Decimal(use.tracked_s) / HOUR_S,
    _("Total wall-clock time of running runs."),
)  # fmt: skip
STORAGE = Measure(
    "storage", _("Storage"), "hard-drive", "GB", "delta_bytes", GB,
    lambda use, seconds: Decimal(use.mean_bytes(seconds)) / GB,
    _("Files, history and logs of runs, on average over the time shown. 1 GB is 10⁹ bytes."),
)  # fmt: skip
INGESTION = Measure(
    "ingestion", _("Trace data"), "activity", "GB", "ingested_bytes", GB,
    lambda use, _s: Decimal(use.ingested_bytes) / GB,
    _("Bytes of traces received. 1 GB is 10⁹ bytes."),
)  # fmt: skip
GPU = Measure(
    "gpu", _("GPU hours"), "cpu", "h", "gpu_s", HOUR_S,
    lambda use, _s: Decimal(use.gpu_s) / HOUR_S,
    _("Total time of all GPUs sampled by runs. Not part of any plan."),
)  # fmt: skip
MEASURES = {measure.key: measure for measure in (HOURS, STORAGE, INGESTION, GPU)}


def takes_traces() -> bool:
    """Say whether anything sends trace data to this installation: pages tell of it only then. One query."""
    return IngestionEntry.objects.exists()


def shown_categories() -> dict[str, Measure]:
    """Return what pages of usage show, by key."""
    traces = takes_traces()
    return {key: measure for key, measure in MEASURES.items() if traces or measure is not INGESTION}
