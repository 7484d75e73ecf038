"""Graphcore IPUs by ``gcipuinfo``, the Python library of their driver."""

from __future__ import annotations

import importlib
import importlib.util
import math
from typing import Any

from runyard_agent.collecting import Absent, Facts, Reading
from runyard_agent.processes import ProcessTree

_UNITS = (
    ("temp", "C"), ("clock", "MHz"), ("power", "W"), ("utilisation", "%"), ("utilisation (session)", "%"),
    ("speed", "GT/s"),
)  # fmt: skip
_VARYING = {
    "average board temp (C)", "average die temp (C)", "clock (MHz)", "ipu power (W)", "ipu utilisation (%)",
    "ipu utilisation (session) (%)",
}  # fmt: skip


class Ipu:
    """The IPUs that the watched processes use, or all where none is watched.

    Args:
        library: a module with ``gcipuinfo()``; None imports the driver's.
    """

    name = "ipu"

    def __init__(self, *, library: Any = None, tree: ProcessTree | None = None) -> None:
        self._library, self._tree = library, tree or ProcessTree(None)
        self._info: Any = None
        self._seen: set[str] = set()
        self._devices: dict[str, dict[str, str]] = {}

    def start(self) -> None:
        if self._library is None:
            if importlib.util.find_spec("gcipuinfo") is None:
                raise Absent("the Python library gcipuinfo of the IPU driver is not installed")
            self._library = importlib.import_module("gcipuinfo")
        self._info = self._library.gcipuinfo()
        self._info.setUpdateMode(True)

    def collect(self) -> Reading:
        ours = {str(pid) for pid in self._tree.pids()} if self._tree else None
        reading: Reading = {}
        for device in self._info.getDevices():
            if ours is not None and device.get("user process id") not in ours:
                continue
            number = device.get("id", "")
            self._devices[number] = device
            parsed = dict(filter(None, (parse(key, value) for key, value in device.items())))
            # What never varies (index, link, NUMA node) is sent once.
            sent = {
                key: value for key, value in parsed.items() if number not in self._seen or key in _VARYING
            }
            self._seen.add(number)
            reading.update({f"ipu.{number}.{key}": value for key, value in sent.items()})
        return reading

    def facts(self) -> Facts:
        if not self._devices:
            return {}
        names = ("board type", "ipu architecture", "driver version", "firmware version")
        listed = [
            {name.replace(" ", "_"): device[name] for name in names if name in device}
            for device in self._devices.values()
        ]
        return {"ipu_count": len(listed), "ipu": listed}

    def close(self) -> None:
        self._info = None


def parse(key: str, value: str) -> tuple[str, float] | None:
    """Return an attribute as its key with the unit, and its number; None for what is no number.

    ``("clock", "1330MHz")`` is ``("clock (MHz)", 1330)``.
    """
    for word, unit in _UNITS:
        if key.endswith(word) and value.endswith(unit):
            key, value = f"{key} ({unit})", value[: -len(unit)]
            break
    try:
        found = float(value)
    except ValueError:
        return None
    if not math.isfinite(found):
        return None
    return key, int(found) if found.is_integer() else found
