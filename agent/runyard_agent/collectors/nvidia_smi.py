"""NVIDIA GPUs by ``nvidia-smi``, where the driver's library can't be loaded but its tool is there."""

from __future__ import annotations

import csv
from collections.abc import Sequence

from runyard_agent.collecting import Absent, Facts, Failed, Reading, known, number, percent
from runyard_agent.collectors.nvidia import library_loads
from runyard_agent.tools import find, run_tool

_MIB = 1024**2
_PLAIN = {
    "utilization.gpu": "gpu",
    "utilization.memory": "memory",
    "temperature.gpu": "temp",
    "power.draw": "powerWatts",
    "enforced.power.limit": "enforcedPowerLimitWatts",
    "clocks.sm": "smClock",
    "clocks.mem": "memoryClock",
    "clocks.gr": "graphicsClock",
    "ecc.errors.corrected.volatile.total": "correctedMemoryErrors",
    "ecc.errors.uncorrected.volatile.total": "unCorrectedMemoryErrors",
    "utilization.encoder": "encoderUtilization",
    "fan.speed": "fanSpeed",
}
_FIELDS = (
    "index", "uuid", "name", "utilization.gpu", "utilization.memory", "memory.total", "memory.used",
    "temperature.gpu", "power.draw", "enforced.power.limit", "clocks.sm", "clocks.mem", "clocks.gr",
    "ecc.errors.corrected.volatile.total", "ecc.errors.uncorrected.volatile.total", "utilization.encoder",
    "fan.speed",
)  # fmt: skip


class NvidiaSmi:
    """A process per sample, so only where NVML does not work.

    Args:
        binary: the tool; None looks on PATH.
    """

    name = "nvidia-smi"

    def __init__(self, *, binary: str | None = None, gpus: Sequence[int] = (), timeout_s: float = 5) -> None:
        self._binary, self._gpus, self._timeout_s = binary, gpus, timeout_s
        self._rows: list[dict[str, str]] = []

    def start(self) -> None:
        if self._binary is None and library_loads():
            raise Absent("the collector nvidia reads the driver's library instead")
        self._binary = self._binary or find("nvidia-smi")
        if self._binary is None:
            raise Absent("nvidia-smi is not on PATH")

    def collect(self) -> Reading:
        query = f"--query-gpu={','.join(_FIELDS)}"
        text = run_tool([self._binary or "", query, "--format=csv,noheader,nounits"], self._timeout_s)
        self._rows = [
            dict(zip(_FIELDS, row))
            for row in csv.reader(text.splitlines(), skipinitialspace=True)
            if len(row) == len(_FIELDS)
            and row[0].isdecimal()
            and (not self._gpus or int(row[0]) in self._gpus)
        ]
        if not self._rows:
            raise Failed("nvidia-smi lists no GPU")
        reading: Reading = {}
        for row in self._rows:
            values = {name: number(row[field]) for field, name in _PLAIN.items()}  # "[N/A]" is no number
            used, total = number(row["memory.used"]), number(row["memory.total"])
            values["memoryAllocated"] = percent(used, total)
            values["memoryAllocatedBytes"] = None if used is None else used * _MIB
            values["powerPercent"] = percent(values["powerWatts"], values["enforcedPowerLimitWatts"])
            reading.update(known((f"gpu.{row['index']}.{name}", value) for name, value in values.items()))
        return reading

    def facts(self) -> Facts:
        if not self._rows:
            return {}
        cards = []
        for row in self._rows:
            total = number(row["memory.total"])
            size = {} if total is None else {"memory_total": int(total * _MIB)}
            cards.append({"index": int(row["index"]), "name": row["name"], "uuid": row["uuid"], **size})
        return {"gpu": cards[0]["name"], "gpu_count": len(cards), "gpu_nvidia": cards}

    def close(self) -> None:
        """Hold nothing: each sample is a process of its own."""
