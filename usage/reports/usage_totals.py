"""Usage totals of a period, and the time up to which they are complete."""

from dataclasses import dataclass, fields
from datetime import datetime

from usage.models import MeterState
from usage.periods import Period


@dataclass(frozen=True, slots=True)
class Amounts:
    """What was used in (a part of) a period."""

    tracked_s: int = 0
    byte_seconds: int = 0
    """Bytes held, times the seconds they were held."""
    ingested_bytes: int = 0


@dataclass(slots=True)
class UsageTotals:
    """What somebody used in a period, up to a moment."""

    tracked_s: int = 0
    byte_seconds: int = 0
    """Bytes held, times the seconds they were held within the period."""
    held_bytes: int = 0
    """At that moment."""
    ingested_bytes: int = 0
    gpu_s: int = 0
    energy_j: int = 0
    host_gpu_s: int = 0
    """Of GPUs that only runs which watch a machine have sampled; in no other sum."""
    host_energy_j: int = 0

    def add(self, other: "UsageTotals") -> None:
        """Add what somebody else used."""
        for one in fields(self):
            setattr(self, one.name, getattr(self, one.name) + getattr(other, one.name))

    @property
    def amounts(self) -> Amounts:
        """What charges are made of."""
        return Amounts(self.tracked_s, self.byte_seconds, self.ingested_bytes)

    def mean_bytes(self, elapsed_s: int) -> int:
        """Return what was held on average in so many seconds."""
        return self.byte_seconds // elapsed_s if elapsed_s else 0


def metered_at() -> datetime | None:
    """Return up to when everything is counted; None before the meter first ran."""
    return MeterState.objects.values_list("metered_at", flat=True).first()


def until_of(period: Period) -> datetime:
    """Return up to when use of a period is known: its end, or how far the meter came."""
    return until_between(period, metered_at())


def until_between(period: Period, counted: datetime | None) -> datetime:
    """Return the same of a meter that came to ``counted``."""
    return max(period.starts_at, min(period.ends_at, counted or period.starts_at))
