"""Google TPUs by the runtime metrics service that the TPU library opens while a program uses the chips."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Callable, NamedTuple

from runyard_agent.collecting import Absent, Facts, Failed, Reading, percent
from runyard_agent.grpc import Channel, NotListening, NotServed, fields, nested, string_field

_METHOD = "/tpu.monitoring.runtime.RuntimeMetricService/GetRuntimeMetric"
_USAGE, _TOTAL = "tpu.runtime.hbm.memory.usage.bytes", "tpu.runtime.hbm.memory.total.bytes"
_DUTY = "tpu.runtime.tensorcore.dutycycle.percent"
_AS_READ = {
    "tpu.runtime.tensorcore.idle_duration.seconds": "tensorcoreIdleDuration",
    "tpu.runtime.hbm.utilization.percent": "runtimeHbmUtilization",
}
"""Which of the libraries have these differs."""
_VENDOR = "0x1ae0"


class Chip(NamedTuple):
    name: str
    hbm_gib: int
    devices: int


_CHIPS = {
    ("0x0027", "0x004e"): Chip("v2", 8, 2),
    ("0x0027", "0x004f"): Chip("v3", 16, 2),
    ("0x005e", ""): Chip("v4", 32, 1),
    ("0x0063", ""): Chip("v5e", 16, 1),
    ("0x0062", ""): Chip("v5p", 95, 1),
    ("0x006f", ""): Chip("v6e", 32, 1),
    ("0x0076", ""): Chip("7x", 192, 2),
}
"""By PCI device and, where two share it, subsystem: memory of a device, and how many devices a chip has."""


class Tpu:
    """The chips of this host, found on its PCI bus.

    Args:
        root: the folder that holds ``sys``.
        address: of the runtime metrics service.
    """

    name = "tpu"

    def __init__(
        self, *, root: Path = Path("/"), address: str = "localhost:8431", timeout_s: float = 5
    ) -> None:
        self._root, self._address, self._timeout_s = root, address, timeout_s
        self._chip: Chip | None = None
        self._count = 0

    def start(self) -> None:
        chips = [
            chip
            for path in (self._root / "sys/bus/pci/devices").glob("*")
            if (chip := _chip_of(path)) is not None
        ]
        if not chips:
            raise Absent("no TPU on the PCI bus")
        self._chip, self._count = chips[0], len(chips)

    def collect(self) -> Reading:
        try:
            channel = Channel(self._address, self._timeout_s)
        except NotListening:  # no program uses the chips now, the next one may at any time
            return {}
        try:
            values = {name: _asked(channel, name) for name in (_USAGE, _TOTAL, _DUTY, *_AS_READ)}
        finally:
            channel.close()
        if not any(values.values()):
            raise Failed(f"{self._address} reports nothing about the TPU")
        return readings(values, self._chip.devices if self._chip else 1)

    def facts(self) -> Facts:
        if self._chip is None:
            return {}
        chip = self._chip
        name, hbm_gib, devices = chip
        return {"tpu": {"name": name, "hbm_gib": hbm_gib, "devices_per_chip": devices, "count": self._count}}

    def close(self) -> None:
        """Hold nothing: each sample is a connection of its own."""


def gauges(message: bytes) -> dict[int, float]:
    """Return the value of each device out of a MetricResponse (tpu_metric_service.proto of tpu-info)."""
    found: dict[int, float] = {}
    for metric in (metric for tpu_metric in nested(message, 1) for metric in nested(tpu_metric, 3)):
        devices = [
            int(value)
            for attribute in nested(metric, 1)
            for attribute_value in nested(attribute, 2)
            for number, value in fields(attribute_value)
            if number == 3 and isinstance(value, int)
        ]
        values = [
            float(value)
            for gauge in nested(metric, 3)
            for number, value in fields(gauge)
            if number in (1, 2) and not isinstance(value, bytes)
        ]
        if devices and values:
            found[devices[0]] = values[0]
    return found


def readings(values: Mapping[str, Mapping[int, float]], devices_per_chip: int) -> Reading:
    """Return the tags; the duty cycle is a chip's, and counts for each of its devices."""
    reading: Reading = {}
    totals = values.get(_TOTAL, {})
    for device, used in values.get(_USAGE, {}).items():
        reading[f"tpu.{device}.memoryUsageBytes"] = used
        share = percent(used, totals.get(device))
        if share is not None:
            reading[f"tpu.{device}.memoryUsage"] = share
    for chip, duty in values.get(_DUTY, {}).items():
        for device in range(chip * devices_per_chip, (chip + 1) * devices_per_chip):
            reading[f"tpu.{device}.dutyCycle"] = duty
    for name, metric in _AS_READ.items():
        reading.update({f"tpu.{device}.{metric}": value for device, value in values.get(name, {}).items()})
    return reading


class TpuProfiler:
    """The older way, for TPUs reached over the network: one number for all, by TensorFlow's profiler.

    Args:
        monitor: ``monitor(address, duration_ms, level)``, which returns a text; None is TensorFlow's.
    """

    name = "tpu-profiler"

    def __init__(
        self, *, monitor: Callable[..., str] | None = None, environment: Mapping[str, str] = os.environ
    ) -> None:
        self._monitor, self._environment = monitor, environment
        self._address = ""

    def start(self) -> None:
        if not self._environment.get("TPU_NAME"):
            raise Absent("TPU_NAME names no TPU on the network")
        if self._monitor is None:
            if importlib.util.find_spec("tensorflow") is None:
                raise Absent("TPU_NAME is set, but TensorFlow, whose profiler asks it, is not installed")
            self._monitor = importlib.import_module("tensorflow.python.profiler.profiler_client").monitor
        self._address = profiler_address(self._environment, _resolve)

    def collect(self) -> Reading:
        text = self._monitor(self._address, duration_ms=100, level=2) if self._monitor else ""
        found = re.search(r"Utilization [^:%]*: ([\d.]+)%", text)
        if not found:
            raise Failed("the profiler reports no utilization")
        return {"tpu": float(found[1])}

    def facts(self) -> Facts:
        return {}

    def close(self) -> None:
        """Hold nothing."""


def profiler_address(environment: Mapping[str, str], resolve: Callable[..., str]) -> str:
    """Return where the profiler listens; a name, not an address, is looked up in Google's cloud."""
    name = environment["TPU_NAME"]
    if not name.startswith("grpc://"):
        name = resolve(
            name, environment.get("CLOUDSDK_COMPUTE_ZONE"), environment.get("CLOUDSDK_CORE_PROJECT")
        )
    return name.replace("grpc://", "").replace(":8470", ":8466")


def _resolve(name: str, zone: str | None, project: str | None) -> str:
    cluster: Any = importlib.import_module("tensorflow").distribute.cluster_resolver.TPUClusterResolver
    return str(cluster(name, zone=zone, project=project).get_master())


def _asked(channel: Channel, name: str) -> dict[int, float]:
    """Return the value of each device; nothing where this library does not have the metric."""
    try:
        return gauges(channel.call(_METHOD, string_field(1, name)))
    except NotServed:
        return {}


def _chip_of(device: Path) -> Chip | None:
    if _text(device / "vendor") != _VENDOR:
        return None
    number = _text(device / "device")
    return _CHIPS.get((number, _text(device / "subsystem_device"))) or _CHIPS.get((number, ""))


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""
