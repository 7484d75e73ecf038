"""NVIDIA's DCGM exporter, read from its own page or by way of a Prometheus server's API."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

from runyard_agent.collecting import Facts, Failed, Reading, number
from runyard_agent.collectors.openmetrics import Point, fetch, points

_MIB = 1024**2
_FIELDS = {
    "DCGM_FI_DEV_GPU_UTIL": ("gpu", 1),
    "DCGM_FI_DEV_MEM_COPY_UTIL": ("memory", 1),
    "DCGM_FI_DEV_GPU_TEMP": ("temp", 1),
    "DCGM_FI_DEV_MEMORY_TEMP": ("memoryTemp", 1),
    "DCGM_FI_DEV_POWER_USAGE": ("powerWatts", 1),
    "DCGM_FI_DEV_ENFORCED_POWER_LIMIT": ("enforcedPowerLimitWatts", 1),
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": ("totalEnergyConsumption", 1),
    "DCGM_FI_DEV_SM_CLOCK": ("smClock", 1),
    "DCGM_FI_DEV_MEM_CLOCK": ("memoryClock", 1),
    "DCGM_FI_DEV_FB_USED": ("memoryUsed", 1),
    "DCGM_FI_DEV_FB_FREE": ("memoryFree", 1),
    "DCGM_FI_DEV_FB_TOTAL": ("memoryTotal", 1),
    "DCGM_FI_DEV_ENC_UTIL": ("encoderUtilization", 1),
    "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL": ("correctedMemoryErrors", 1),
    "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": ("unCorrectedMemoryErrors", 1),
    "DCGM_FI_PROF_SM_ACTIVE": ("smActive", 100),
    "DCGM_FI_PROF_SM_OCCUPANCY": ("smOccupancy", 100),
    "DCGM_FI_PROF_DRAM_ACTIVE": ("dramActive", 100),
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": ("pipeTensorActive", 100),
    "DCGM_FI_PROF_PIPE_TENSOR_HMMA_ACTIVE": ("pipeTensorHmmaActive", 100),
    "DCGM_FI_PROF_PIPE_FP64_ACTIVE": ("pipeFp64Active", 100),
    "DCGM_FI_PROF_PIPE_FP32_ACTIVE": ("pipeFp32Active", 100),
    "DCGM_FI_PROF_PIPE_FP16_ACTIVE": ("pipeFp16Active", 100),
    "DCGM_FI_PROF_PCIE_TX_BYTES": ("pcieTxBytes", 1),
    "DCGM_FI_PROF_PCIE_RX_BYTES": ("pcieRxBytes", 1),
    "DCGM_FI_PROF_NVLINK_TX_BYTES": ("nvlinkTxBytes", 1),
    "DCGM_FI_PROF_NVLINK_RX_BYTES": ("nvlinkRxBytes", 1),
}
"""Our metric, and what makes its unit of the field's: profiling gives ratios of 0 to 1."""
_BLANK_INTEGER, _BLANK_DOUBLE = 9.2e18, 1.4e14
"""From here on a value means "no data" (dcgm_structs.h, DCGM_INT64_BLANK and DCGM_FP64_BLANK)."""
_COUNTERS = ("totalEnergyConsumption",)
"""May honestly grow above the second: 1.4e14 mJ is six years at 700 W."""


class Dcgm:
    """GPUs of one or many hosts; each tag tells the host as its label.

    Args:
        url: the exporter's page (``http://node:9400/metrics``), or a Prometheus query
            (``http://prometheus:9090/api/v1/query?query=...``).
    """

    name = "dcgm"

    def __init__(self, url: str, *, headers: Mapping[str, str] | None = None, timeout_s: float = 5) -> None:
        self._url, self._headers, self._timeout_s = url, headers, timeout_s
        self._cards: dict[str, dict[str, str]] = {}

    def start(self) -> None:
        """Ask nothing yet: the exporter may start after us."""

    def collect(self) -> Reading:
        text = fetch(self._url, self._headers, self._timeout_s)
        found = query_points(text) if "/api/v1/query" in self._url else points(text)
        reading: Reading = {}
        for point in found:
            if point.name not in _FIELDS or "gpu" not in point.labels:
                continue
            metric, factor = _FIELDS[point.name]
            if math.fabs(point.value) >= (_BLANK_INTEGER if metric in _COUNTERS else _BLANK_DOUBLE):
                continue
            host = point.labels.get("Hostname") or point.labels.get("node")
            instance = point.labels.get("GPU_I_ID")
            device = f"gpu.{point.labels['gpu']}" + (f".mig.{instance}" if instance else "")
            self._note(device, host, point.labels)
            reading[f"{device}.{metric}" + (f"/l:{host}" if host else "")] = point.value * factor
        if not reading:
            raise Failed(f"{self._url} has no DCGM metrics")
        return reading

    def facts(self) -> Facts:
        return {"gpu_dcgm": list(self._cards.values())} if self._cards else {}

    def close(self) -> None:
        """Hold nothing: each sample is a request of its own."""

    def _note(self, device: str, host: str | None, labels: Mapping[str, str]) -> None:
        wanted = {"gpu": "index", "UUID": "uuid", "modelName": "name", "GPU_I_PROFILE": "mig_profile"}
        card = {ours: labels[theirs] for theirs, ours in wanted.items() if labels.get(theirs)}
        known = self._cards.setdefault(f"{host}/{device}", {})
        known.update(card, **({"host": host} if host else {}))


def query_points(text: str) -> Iterable[Point]:
    """Return the values of a Prometheus server's answer to an instant query."""
    try:
        answer: Any = json.loads(text)
        results = answer["data"]["result"]
        pairs = [(result["metric"], number(result["value"][1])) for result in results]
    except (ValueError, KeyError, TypeError, IndexError):
        raise Failed("this is not Prometheus's answer to an instant query") from None
    return [
        Point(labels["__name__"], labels, value, "gauge")
        for labels, value in pairs
        if value is not None and "__name__" in labels
    ]
