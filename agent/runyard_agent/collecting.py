"""What every collector is, and the small sums they share."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Protocol

Reading = dict[str, float]
"""Values by tag, without the prefix ``system.``; what a device does not give is missing, never 0."""
Facts = dict[str, Any]
"""What does not change while a run lasts: names, sizes, versions."""


class Absent(Exception):
    """This host has nothing for the collector; the message says what is missing. It is not asked again."""


class Failed(Exception):
    """A source that is there gave nothing usable this time; it is asked again later."""


class Collector(Protocol):
    """One source of metrics. Everything it reads from (folder, binary, library, URL) is a parameter of its maker."""

    name: str

    def start(self) -> None:
        """Find the source, cheaply.

        Raises:
            Absent: there is none here.
        """

    def collect(self) -> Reading:
        """Read once. Any exception counts as a failure of this collector alone."""

    def facts(self) -> Facts:
        """Return what is known by now; called after ``start`` and again whenever wanted."""

    def close(self) -> None:
        """End children and free handles; may be called twice."""


class Growth:
    """Sums what counters grew by since their first reading.

    A counter that fell wrapped around at 32 bits if it stood in the upper half of that range, and began anew
    otherwise. A counter that vanishes keeps what it had, so that a sum over devices never falls.
    """

    _WRAP = 2**32

    def __init__(self) -> None:
        self._last: dict[str, float] = {}
        self._grown: dict[str, float] = {}

    def add(self, key: str, now: float) -> float:
        """Take a reading and return the growth of this counter since its first one."""
        last = self._last.get(key, now)
        step = now - last
        if step < 0:
            wrapped = self._WRAP / 2 <= last < self._WRAP
            step = now + self._WRAP - last if wrapped else now
        self._last[key] = now
        self._grown[key] = self._grown.get(key, 0) + step
        return self._grown[key]

    def total(self, suffix: str = "") -> float:
        """Return the growth of all counters whose key ends so."""
        return sum(grown for key, grown in self._grown.items() if key.endswith(suffix))


def number(value: object) -> float | None:
    """Return a number out of what tools print: ``"37"``, ``"47.5 %"``, ``{"value": 3, "unit": "W"}``; else None."""
    if isinstance(value, dict):
        value = value.get("value")
    if isinstance(value, str):
        value = value.strip().rstrip("%").strip()
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    return value


def percent(part: float | None, whole: float | None) -> float | None:
    """Return part / whole x 100, or None where one is missing or the whole is nothing."""
    if part is None or whole is None or whole <= 0:
        return None
    return part / whole * 100


def known(pairs: Iterable[tuple[str, float | None]]) -> Reading:
    """Return the pairs that have a value."""
    return {tag: value for tag, value in pairs if value is not None and math.isfinite(value)}
