"""AWS Trainium and Inferentia by ``neuron-monitor``, which keeps running and prints a line per period."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from runyard_agent.collecting import Absent, Facts, Failed, Reading, number
from runyard_agent.processes import ProcessTree
from runyard_agent.tools import Stream, find

_HOST = ("application_memory", "constants", "dma_buffers", "tensors")
_CORE = ("constants", "model_code", "model_shared_scratchpad", "runtime_memory", "tensors")


class Trainium:
    """The cores that the watched processes use, or all where none is watched.

    Args:
        binary: the path of neuron-monitor; None looks on PATH and where AWS installs it.
        config: a configuration of one's own for it.
        local_rank: under torchrun a process uses just the core of this number.
    """

    name = "trainium"

    def __init__(
        self,
        *,
        binary: str | None = None,
        config: str | None = None,
        tree: ProcessTree | None = None,
        local_rank: int | None = None,
        interval_s: float = 15,
        timeout_s: float = 5,
    ) -> None:
        self._binary, self._config, self._tree = binary, config, tree or ProcessTree(None)
        self._local_rank, self._interval_s, self._timeout_s = local_rank, interval_s, timeout_s
        self._stream: Stream | None = None
        self._written: Path | None = None
        self._facts: Facts = {}

    def start(self) -> None:
        binary = self._binary or find("neuron-monitor", "/opt/aws/neuron/bin")
        if binary is None:
            raise Absent("neuron-monitor is neither on PATH nor in /opt/aws/neuron/bin")
        if self._config is None:
            handle, path = tempfile.mkstemp(prefix="runyard-neuron-", suffix=".json")
            with os.fdopen(handle, "w", encoding="ascii") as file:
                json.dump(_configuration(self._interval_s), file)
            self._written = Path(path)
        command = [binary, "-c", self._config or str(self._written)]
        self._stream = Stream(command, max_age_s=self._interval_s * 3 + self._timeout_s)

    def collect(self) -> Reading:
        line = self._stream.latest() if self._stream else ""
        if not line:
            return {}
        try:
            sample = json.loads(line)
            self._note(sample)
            return self._of(sample)
        except (ValueError, AttributeError, TypeError):
            raise Failed("neuron-monitor printed something other than a sample") from None

    def facts(self) -> Facts:
        return {"trainium": self._facts} if self._facts else {}

    def close(self) -> None:
        if self._stream is not None:
            self._stream.close()
            self._stream = None
        if self._written is not None:
            self._written.unlink(missing_ok=True)
            self._written = None

    def _note(self, sample: dict[str, Any]) -> None:
        hardware = sample.get("neuron_hardware_info", {})
        facts = {
            "name": sample.get("instance_info", {}).get("instance_type"),
            "neuron_device_count": hardware.get("neuron_device_count"),
            "neuroncore_per_device_count": hardware.get("neuroncore_per_device_count"),
        }
        self._facts = {name: value for name, value in facts.items() if value}

    def _of(self, sample: dict[str, Any]) -> Reading:
        reading: Reading = {}
        ours = self._tree.pids() if self._tree else None
        for runtime in sample.get("neuron_runtime_data", []):
            if ours is None or self._local_rank is not None or runtime.get("pid") in ours:
                for tag, value in _runtime(runtime.get("report", {}), self._local_rank).items():
                    # Several runtimes have cores of their own, and share the host's memory.
                    shared = tag.startswith(("trn.host", "trn.neuron_device"))
                    reading[tag] = value + (reading.get(tag, 0) if shared else 0)
        return reading


def _runtime(report: dict[str, Any], only_core: int | None) -> Reading:
    values: dict[str, Any] = {}
    used = report.get("memory_used", {}).get("neuron_runtime_used_bytes", {})
    breakdown = used.get("usage_breakdown", {})
    for core, counters in report.get("neuroncore_counters", {}).get("neuroncores_in_use", {}).items():
        if only_core is None or core == str(only_core):
            values[f"trn.{core}.neuroncore_utilization"] = counters.get("neuroncore_utilization")
    for core, parts in breakdown.get("neuroncore_memory_usage", {}).items():
        if only_core is None or core == str(only_core):
            values.update({f"trn.{core}.neuroncore_memory_usage.{part}": parts.get(part) for part in _CORE})
    values["trn.host_total_memory_usage"] = used.get("host")
    values["trn.neuron_device_total_memory_usage"] = used.get("neuron_device")
    host = breakdown.get("host", {})
    values.update({f"trn.host_memory_usage.{part}": host.get(part) for part in _HOST})
    return {tag: found for tag, value in values.items() if (found := number(value)) is not None}


def _configuration(interval_s: float) -> dict[str, Any]:
    """Return what neuron-monitor is asked for (AWS Neuron Monitor User Guide)."""
    runtime = ("neuroncore_counters", "memory_used", "neuron_runtime_vcpu_usage")
    system = ("vcpu_usage", "memory_info", "neuron_hw_counters")
    return {
        "period": f"{max(interval_s, 1):g}s",
        "neuron_runtimes": [{"tag_filter": ".*", "metrics": [{"type": kind} for kind in runtime]}],
        "system_metrics": [{"type": kind} for kind in system],
    }
