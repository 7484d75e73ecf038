"""Apple silicon: the first of the tools that is there, none of which needs to be root but the last."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import re
from collections.abc import Sequence
from typing import Any, Callable

from runyard_agent.collecting import Absent, Facts, Failed, Reading, known, number, percent
from runyard_agent.tools import Stream, find, run_tool

_MOST_WATTS = 16.5
"""What the first helper of the SDK took as the whole GPU's power; later ones give no percentage."""


class Apple:
    """The GPU of a Mac with Apple silicon.

    Args:
        source: "macmon", "apple_gpu_stats", "ioreg" or "powermetrics"; empty takes the first that is there.
        binary: the path of that tool.
    """

    name = "apple"

    def __init__(
        self,
        *,
        source: str = "",
        binary: str | None = None,
        interval_s: float = 15,
        timeout_s: float = 5,
        machine: tuple[str, str] | None = None,
        root_user: bool | None = None,
    ) -> None:
        self._source, self._binary = source, binary
        self._interval_s, self._timeout_s = interval_s, timeout_s
        self._machine = machine or (platform.system(), platform.machine())
        self._is_root = root_user if root_user is not None else getattr(os, "geteuid", lambda: 1)() == 0
        self._stream: Stream | None = None

    def start(self) -> None:
        if self._machine != ("Darwin", "arm64"):
            raise Absent("this is not a Mac with Apple silicon")
        for source in _SOURCES:
            if self._source not in ("", source) or (source == "powermetrics" and not self._is_root):
                continue
            binary = self._binary or find(source, "/opt/homebrew/bin", "/usr/sbin", "/usr/bin")
            if binary is not None:
                self._source, self._binary = source, binary
                break
        else:
            raise Absent("none of macmon, apple_gpu_stats, ioreg and (as root) powermetrics can be used")
        if self._source == "macmon":
            period = min(self._interval_s, 5)
            command = [self._binary or "", "pipe", "-i", str(int(period * 1000))]
            self._stream = Stream(command, max_age_s=period * 3 + self._timeout_s)

    def collect(self) -> Reading:
        arguments, read = _SOURCES[self._source]
        if self._stream is not None:
            text = self._stream.latest()
            return read(text) if text else {}
        return read(run_tool([self._binary or "", *arguments], self._timeout_s))

    def facts(self) -> Facts:
        return {"apple": {"source": self._source}, "gpu": "Apple GPU", "gpu_count": 1}

    def close(self) -> None:
        if self._stream is not None:
            self._stream.close()
            self._stream = None


def of_apple_gpu_stats(text: str) -> Reading:
    """Read the SDK's first helper."""
    stats = _object(text)
    watts = number(stats.get("power"))
    return known(
        [
            ("gpu.0.gpu", number(stats.get("utilization"))),
            ("gpu.0.memoryAllocated", number(stats.get("mem_used"))),
            ("gpu.0.temp", number(stats.get("temperature"))),
            ("gpu.0.powerWatts", watts),
            ("gpu.0.powerPercent", percent(watts, _MOST_WATTS)),
        ]
    )


def of_macmon(text: str) -> Reading:
    """Read a line of ``macmon pipe``; pairs there are MHz and a ratio of 0 to 1."""
    stats = _object(text)
    memory, heat = (part if isinstance(part := stats.get(key), dict) else {} for key in ("memory", "temp"))
    ram, swap = number(memory.get("ram_usage")), number(memory.get("swap_usage"))
    pairs: list[tuple[str, float | None]] = [
        ("gpu.0.memoryAllocated", percent(ram, number(memory.get("ram_total")))),  # the GPU shares it
        ("gpu.0.temp", number(heat.get("gpu_temp_avg"))),
        ("cpu.avg_temp", number(heat.get("cpu_temp_avg"))),
        ("gpu.0.powerWatts", number(stats.get("gpu_power"))),
        ("cpu.powerWatts", number(stats.get("cpu_power"))),
        ("ane.power", number(stats.get("ane_power"))),
        ("system.powerWatts", number(stats.get("sys_power"))),
        ("memory.used", ram),
        ("memory.used_percent", percent(ram, number(memory.get("ram_total")))),
        ("swap.used", swap),
        (
            "swap.used_percent",
            percent(swap, number(memory.get("swap_total"))),
        ),  # Macs without swap say 0 of 0
    ]
    for key, load, clock in (
        ("gpu_usage", "gpu.0.gpu", "gpu.0.freq"),
        ("ecpu_usage", "cpu.ecpu_percent", "cpu.ecpu_freq"),
        ("pcpu_usage", "cpu.pcpu_percent", "cpu.pcpu_freq"),
    ):
        both = stats.get(key)
        if isinstance(both, list) and len(both) == 2:
            ratio = number(both[1])
            pairs += [(clock, number(both[0])), (load, None if ratio is None else ratio * 100)]
    return known(pairs)


def of_ioreg(text: str) -> Reading:
    """Read the accelerator's statistics out of the registry."""
    load = re.search(r'"Device Utilization %"\s*=\s*(\d+)', text)
    used = re.search(r'"In use system memory"\s*=\s*(\d+)', text)
    if not load and not used:
        raise Failed("ioreg reports nothing about the GPU")
    return known(
        [
            ("gpu.0.gpu", number(load[1]) if load else None),
            ("gpu.0.memoryAllocatedBytes", number(used[1]) if used else None),
        ]
    )


def of_powermetrics(text: str) -> Reading:
    """Read the text of ``powermetrics``."""
    found = {
        tag: re.search(pattern, text)
        for tag, pattern in (
            ("gpu.0.gpu", r"GPU (?:HW )?active residency:\s*([\d.]+)%"),
            ("gpu.0.freq", r"GPU (?:HW )?active frequency:\s*([\d.]+) MHz"),
            ("gpu.0.powerWatts", r"GPU Power:\s*([\d.]+) mW"),
        )
    }
    reading = known((tag, number(match[1]) if match else None) for tag, match in found.items())
    if "gpu.0.powerWatts" in reading:
        reading["gpu.0.powerWatts"] /= 1000
    return reading


def _object(text: str) -> dict[str, Any]:
    with contextlib.suppress(ValueError):
        found = json.loads(text)
        if isinstance(found, dict):
            return found
    raise Failed("the tool printed no JSON object")


_SOURCES: dict[str, tuple[Sequence[str], Callable[[str], Reading]]] = {
    "macmon": ((), of_macmon),
    "apple_gpu_stats": (("--json",), of_apple_gpu_stats),
    "ioreg": (("-r", "-d", "1", "-w", "0", "-c", "IOAccelerator"), of_ioreg),
    "powermetrics": (("--samplers", "gpu_power", "-i", "200", "-n", "1"), of_powermetrics),
}
