"""What the NVIDIA collector reads, held against what nvidia-smi prints."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from runyard_agent.collecting import Collector, Reading

MIB = 1024**2
TOLERANCES: dict[str, float] = {
    "gpu": 5,
    "memory": 5,
    "memoryAllocated": 0.5,
    "memoryAllocatedBytes": 64 * MIB,
    "temp": 2,
    "powerWatts": 30,
    "enforcedPowerLimitWatts": 0.01,
    "powerPercent": 5,
    "smClock": 60,
    "memoryClock": 5,
    "graphicsClock": 60,
    "correctedMemoryErrors": 0,
    "unCorrectedMemoryErrors": 0,
    "encoderUtilization": 5,
    "fanSpeed": 5,
}
"""How far a value may lie outside of what nvidia-smi said just before and just after, in its unit.

Memory of the load and its clocks move in steps; limits and errors don't. nvidia-smi counts in whole MiB.
"""


class Compared(NamedTuple):
    """One value of ours between two of nvidia-smi's."""

    tag: str
    before: float
    ours: float
    after: float

    @property
    def agrees(self) -> bool:
        allowed = TOLERANCES[self.tag.rpartition(".")[2]]
        low, high = sorted((self.before, self.after))
        return low - allowed <= self.ours <= high + allowed

    def __str__(self) -> str:
        mark = "" if self.agrees else "   <-- differs"
        return f"{self.tag:<34} {self.before:>16g} {self.ours:>16g} {self.after:>16g}{mark}"


class Comparison(NamedTuple):
    rows: list[Compared]
    ours_alone: set[str]
    theirs_alone: set[str]
    took_s: float
    """The collector's own time for its sample."""


def compare(ours: Collector, theirs: Collector) -> Comparison:
    """Ask nvidia-smi, the collector, and nvidia-smi again."""
    before = theirs.collect()
    begun = time.perf_counter()
    sample = ours.collect()
    took_s = time.perf_counter() - begun
    after = theirs.collect()
    values: Reading = {tag: value for tag, value in sample.items() if not tag.startswith("gpu.process.")}
    both = values.keys() & before.keys() & after.keys()
    return Comparison(
        [Compared(tag, before[tag], values[tag], after[tag]) for tag in sorted(both)],
        values.keys() - both,
        (before.keys() & after.keys()) - both,
        took_s,
    )


def as_text(comparisons: Sequence[Comparison]) -> str:
    """Return the last comparison as a table, and how long samples took."""
    last = comparisons[-1]
    took = sorted(each.took_s * 1000 for each in comparisons)
    return "\n".join(
        [
            f"{'':<34} {'nvidia-smi':>16} {'collector':>16} {'nvidia-smi':>16}",
            *map(str, last.rows),
            f"only the collector: {_named(last.ours_alone)}",
            f"only nvidia-smi: {_named(last.theirs_alone)}",
            f"a sample took {took[len(took) // 2]:.2f} ms (median of {len(took)}), {took[-1]:.2f} ms at most",
        ]
    )


def _named(tags: Iterable[str]) -> str:
    return ", ".join(sorted(tags)) or "none"
