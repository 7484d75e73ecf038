"""What samples of GPUs come to: seconds in use and joules, by UTC day."""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date, timedelta

import numpy as np
import numpy.typing as npt

from metrics.store.codec import Floats, Rows
from usage.metering.gpu_claims import SAMPLE_S, GpuSamples
from usage.units import DAY_S


@dataclass(slots=True)
class Samples:
    """A GPU's samples in the order of rows."""

    rows: Rows
    at: Floats
    """Unix seconds."""
    watts: Floats
    has_process: npt.NDArray[np.bool_]
    """Whether a process of the run was on the GPU."""

    def where(self, mask: npt.NDArray[np.bool_] | slice) -> "Samples":
        """Return some of them."""
        return Samples(self.rows[mask], self.at[mask], self.watts[mask], self.has_process[mask])


@dataclass(slots=True)
class GpuUse:
    """GPU seconds and joules, by day."""

    gpu_s: dict[date, float] = field(default_factory=lambda: defaultdict(float))
    energy_j: dict[date, float] = field(default_factory=lambda: defaultdict(float))
    seen: dict[str, GpuSamples] = field(default_factory=dict)
    """GPUs by UUID, whose use is not added yet."""

    def add(self, samples: Samples, *, is_power: bool) -> None:
        """Add what samples come to until the next; the last adds nothing."""
        spread(samples.at, samples.watts, self.energy_j if is_power else self.gpu_s)

    def see(self, uuid: str, samples: Samples, *, is_power: bool) -> None:
        """Keep samples of a GPU with a UUID."""
        seen = self.seen.setdefault(uuid, GpuSamples())
        if is_power:
            seen.power_at.append(samples.at)
            seen.watts.append(samples.watts)
        else:
            seen.at.append(samples.at)
            seen.has_process.append(samples.has_process)

    def days(self) -> list[date]:
        """Return the days of use, in order."""
        return sorted(self.gpu_s.keys() | self.energy_j.keys())


def spread(at: Floats, rates: Floats, into: dict[date, float]) -> None:
    """Add what samples of a rate come to until the next, by UTC day; the last adds nothing."""
    begins, rates = at[:-1], rates[:-1]
    lengths = np.clip(np.diff(at), 0.0, SAMPLE_S)  # a clock that was set back takes nothing away
    days = np.floor(begins / DAY_S)
    first = np.minimum(lengths, (days + 1) * DAY_S - begins)
    for day in np.unique(days):
        of_day = days == day
        into[_date(day)] += float((rates * first)[of_day].sum())
        if (after := float((rates * (lengths - first))[of_day].sum())) > 0:
            into[_date(day + 1)] += after


def _date(day: float) -> date:
    return date(1970, 1, 1) + timedelta(days=int(day))
