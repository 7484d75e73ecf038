"""AMD GPUs: the kernel's files where they tell all, else ``amd-smi`` or ``rocm-smi``.

The tools are Python programs that cost a third of a CPU second each time; the files cost nothing.
"""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import Any, Callable

from runyard_agent.collecting import Absent, Facts, Failed, Reading, known, number, percent
from runyard_agent.tools import find, json_in, run_tool

_MIB = 1024**2
_VENDOR = "0x1002"
_ROCM = "/opt/rocm/bin"


class Amd:
    """GPUs that the ``amdgpu`` driver runs.

    Args:
        root: the folder that holds ``sys``.
        source: "sys", "amd-smi" or "rocm-smi"; empty takes the first that works, in this order.
        binary: the path of that tool; None looks on PATH and where ROCm installs it.
    """

    name = "amd"

    def __init__(
        self, *, root: Path = Path("/"), source: str = "", binary: str | None = None, timeout_s: float = 5
    ) -> None:
        self._root, self._source, self._binary, self._timeout_s = root, source, binary, timeout_s
        self._read: Callable[[], dict[int, dict[str, float | None]]] | None = None
        self._cards: list[dict[str, Any]] = []
        self._limits: dict[int, float | None] = {}

    def start(self) -> None:
        if not self._binary and not self._driver_is_live():
            raise Absent("the amdgpu driver is not loaded")
        for source, read in (("sys", self._sys), ("amd-smi", self._amd_smi), ("rocm-smi", self._rocm_smi)):
            if self._source and source != self._source:
                continue
            if source == "sys":
                usable = any("gpu" in values for values in self._sys().values())
                if usable or self._source:
                    self._read = read
                    return
            elif (binary := self._binary or find(source, _ROCM, "/usr/bin")) is not None:
                self._binary, self._read = binary, read
                return
        raise Absent("the amdgpu driver reports no load, and neither amd-smi nor rocm-smi is installed")

    def collect(self) -> Reading:
        cards = self._read() if self._read else {}
        reading = known(
            (f"gpu.{i}.{name}", value) for i, values in cards.items() for name, value in values.items()
        )
        if not reading:
            raise Failed("no AMD GPU gives a value")
        return reading

    def facts(self) -> Facts:
        if not self._cards:
            return {}
        return {
            "gpu": self._cards[0].get("name", "AMD GPU"),
            "gpu_count": len(self._cards),
            "gpu_amd": self._cards,
        }

    def close(self) -> None:
        """Hold nothing: each sample is a process of its own."""

    def _driver_is_live(self) -> bool:
        try:
            return "live" in (self._root / "sys/module/amdgpu/initstate").read_text(encoding="ascii")
        except (OSError, ValueError):
            return False

    def _sys(self) -> dict[int, dict[str, float | None]]:
        devices = sorted(
            (
                path / "device"
                for path in (self._root / "sys/class/drm").glob("card[0-9]*")
                if path.name[4:].isdecimal()
            ),
            key=lambda path: int(path.parent.name[4:]),
        )
        amd = [path for path in devices if _text(path / "vendor") == _VENDOR]
        self._cards = [known_facts(path) for path in amd]
        return {index: _of_files(path) for index, path in enumerate(amd)}

    def _amd_smi(self) -> dict[int, dict[str, float | None]]:
        binary = self._binary or "amd-smi"
        if not self._limits:
            with contextlib.suppress(Failed):  # an older release without limits still gives the rest
                for card in _amd_list(run_tool([binary, "static", "--limit", "--json"], self._timeout_s)):
                    self._limits[int(card["gpu"])] = _at(card, "limit", "max_power")
        cards = _amd_list(run_tool([binary, "metric", "--json"], self._timeout_s))
        self._cards = [{"index": card["gpu"]} for card in cards]
        return {int(card["gpu"]): of_amd_smi(card, self._limits.get(int(card["gpu"]))) for card in cards}

    def _rocm_smi(self) -> dict[int, dict[str, float | None]]:
        found = json_in(run_tool([self._binary or "rocm-smi", "-a", "--json"], self._timeout_s))
        if not isinstance(found, dict):
            raise Failed("rocm-smi printed no cards")
        cards = {
            int(name[4:]): card
            for name, card in found.items()
            if re.fullmatch(r"card\d+", name) and isinstance(card, dict)
        }
        self._cards = [_rocm_facts(card) for card in cards.values()]
        return {index: of_rocm_smi(card) for index, card in cards.items()}


def of_rocm_smi(card: dict[str, Any]) -> dict[str, float | None]:
    """Return the metrics of one card as ROCm 5 and 6 print it; all values there are text."""
    used, total = _first(card, "VRAM Total Used Memory (B)"), _first(card, "VRAM Total Memory (B)")
    allocated = percent(used, total)
    if allocated is None:
        allocated = _first(card, "GPU Memory Allocated (VRAM%)", "GPU memory use (%)")
    watts = _first(card, "Average Graphics Package Power (W)", "Current Socket Graphics Package Power (W)")
    return {
        "gpu": _first(card, "GPU use (%)"),
        "memoryAllocated": allocated,
        "memoryAllocatedBytes": used,
        "memoryReadWriteActivity": _first(card, "GPU Memory Read/Write Activity (%)"),
        "memoryOverDrive": _first(card, "GPU Memory OverDrive value (%)"),
        "temp": _first(
            card,
            "Temperature (Sensor memory) (C)",
            "Temperature (Sensor mem) (c)",
            "Temperature (Sensor junction) (C)",
            "Temperature (Sensor edge) (C)",
        ),
        "powerWatts": watts,
        "powerPercent": percent(watts, _first(card, "Max Graphics Package Power (W)")),
    }


def of_amd_smi(card: dict[str, Any], limit: float | None) -> dict[str, float | None]:
    """Return the metrics of one GPU of ``amd-smi metric --json``; ``limit`` is in W."""
    used, total = _at(card, "mem_usage", "used_vram"), _at(card, "mem_usage", "total_vram")
    temperatures = [_at(card, "temperature", place) for place in ("mem", "hotspot", "edge")]
    watts = _at(card, "power", "socket_power")
    clock = _at(card, "clock", "gfx_0", "clk")
    return {
        "gpu": _at(card, "usage", "gfx_activity"),
        "memory": _at(card, "usage", "umc_activity"),
        "memoryAllocated": percent(used, total),
        "memoryAllocatedBytes": None if used is None else used * _MIB,
        "temp": next((each for each in temperatures if each is not None), None),
        "powerWatts": watts,
        "powerPercent": percent(watts, limit),
        "smClock": clock,
        "graphicsClock": clock,
        "memoryClock": _at(card, "clock", "mem_0", "clk"),
        "correctedMemoryErrors": _at(card, "ecc", "total_correctable_count"),
        "unCorrectedMemoryErrors": _at(card, "ecc", "total_uncorrectable_count"),
    }


def _of_files(device: Path) -> dict[str, float | None]:
    """Return the metrics of one card from the kernel's files (docs.kernel.org, "AMDGPU Power/Thermal")."""
    used, total = _file(device / "mem_info_vram_used"), _file(device / "mem_info_vram_total")
    sensors = next(iter(sorted((device / "hwmon").glob("hwmon*"))), device)
    watts = _file(sensors / "power1_average", 1e6)
    if watts is None:
        watts = _file(sensors / "power1_input", 1e6)
    temperatures = {
        _text(file): sensors / file.name.replace("_label", "_input") for file in sensors.glob("temp*_label")
    }
    degrees = [
        _file(temperatures[place], 1e3) for place in ("mem", "junction", "edge") if place in temperatures
    ]
    clock, errors = _clock(device / "pp_dpm_sclk"), _text(device / "ras/umc_err_count")
    return {
        "gpu": _file(device / "gpu_busy_percent"),
        "memory": _file(device / "mem_busy_percent"),
        "memoryAllocated": percent(used, total),
        "memoryAllocatedBytes": used,
        "temp": next((each for each in degrees if each is not None), None),
        "powerWatts": watts,
        "powerPercent": percent(watts, _file(sensors / "power1_cap", 1e6)),
        "smClock": clock,
        "graphicsClock": clock,
        "memoryClock": _clock(device / "pp_dpm_mclk"),
        "correctedMemoryErrors": _errors(errors, "ce"),
        "unCorrectedMemoryErrors": _errors(errors, "ue"),
    }


def known_facts(device: Path) -> dict[str, Any]:
    """Return what the kernel says a card is."""
    total = _file(device / "mem_info_vram_total")
    facts = {
        "name": _text(device / "product_name") or f"AMD GPU {_text(device / 'device')}",
        "unique_id": _text(device / "unique_id"),
        "memory_total": None if total is None else int(total),
    }
    return {name: value for name, value in facts.items() if value}


def _rocm_facts(card: dict[str, Any]) -> dict[str, Any]:
    names = {"name": ("Device Name", "Card Series", "Card series"), "unique_id": ("Unique ID",)}
    found = {fact: next((card[key] for key in keys if card.get(key)), None) for fact, keys in names.items()}
    return {fact: value for fact, value in found.items() if value}


def _amd_list(text: str) -> list[dict[str, Any]]:
    """Return the GPUs; ROCm 7 puts the list into an object."""
    found = json_in(text)
    cards = found.get("gpu_data") if isinstance(found, dict) else found
    if not isinstance(cards, list):
        raise Failed("amd-smi printed no list of GPUs")
    return [card for card in cards if "gpu" in card]


def _at(card: Any, *path: str) -> float | None:
    for key in path:
        card = card.get(key) if isinstance(card, dict) else None
    return number(card)


def _first(card: dict[str, Any], *names: str) -> float | None:
    """Return the first of the names that has a number: "N/A (Secondary die)" is none."""
    values = (number(card.get(name)) for name in names)
    return next((value for value in values if value is not None), None)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _file(file: Path, divisor: float = 1) -> float | None:
    value = number(_text(file))
    return None if value is None else value / divisor


def _clock(file: Path) -> float | None:
    """Return MHz of the level marked with a star: ``1: 1410Mhz *``."""
    found = re.search(r"(\d+)\s*mhz\s*\*", _text(file), re.IGNORECASE)
    return float(found[1]) if found else None


def _errors(text: str, kind: str) -> float | None:
    """Return one of the two counters in the file of memory errors: ``ue: 0``, ``ce: 3``."""
    found = re.search(rf"^{kind}:\s*(\d+)", text, re.MULTILINE)
    return float(found[1]) if found else None
