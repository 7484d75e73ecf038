"""What Prometheus is told of a watched host: the newest value of each metric, and how the agent itself fares."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Callable

from runyard_agent import __version__
from runyard_agent.collecting import Facts
from runyard_agent.delivery import Tally
from runyard_agent.exposition import Family, families_of, text_of
from runyard_agent.sampler import Row, Sampler
from runyard_agent.settings import Settings
from runyard_agent.spool.folder import root_of

_OLDEST_S = 300.0
"""What is older is gone: a device that vanished has no value. As long as Prometheus itself looks back."""
_IS_UP = {"works": 1, "failing": 0}
"""Of the states of a collector, those that say something."""


class Exporter:
    """Keeps what a page of metrics says. Thread-safe."""

    def __init__(
        self, settings: Settings, sampler: Sampler, tally: Tally, *, wall: Callable[[], float] = time.time
    ) -> None:
        self._sampler, self._tally, self._wall = sampler, tally, wall
        self._label, self._spools = settings.label, root_of(settings)
        self._oldest_s = max(_OLDEST_S, 3 * settings.interval)
        self._lock = threading.Lock()
        self._newest: dict[str, tuple[float, float]] = {}
        """When, in UTC seconds, and what."""
        self._taken, self._taken_at = 0, 0.0

    def take(self, row: Row) -> None:
        """Take a row of samples."""
        at = row["_timestamp"]
        with self._lock:
            self._taken, self._taken_at = self._taken + 1, at
            self._newest.update({tag: (at, value) for tag, value in row.items() if not tag.startswith("_")})

    def page(self) -> str:
        """Return the page as of now."""
        since = self._wall() - self._oldest_s
        with self._lock:
            self._newest = {tag: kept for tag, kept in self._newest.items() if kept[0] >= since}
            values = {tag: value for tag, (_, value) in self._newest.items()}
        uuids = _uuids(self._sampler.facts())
        return text_of([*families_of(values, label=self._label, uuids=uuids), *self._health()])

    def _health(self) -> Iterator[Family]:
        yield _one("info", "The version of the agent.", 1, version=__version__)
        yield _one(
            "samples_taken_total", "Samples taken, each of all that answered at one time.", self._taken
        )
        if self._taken_at:
            yield _one("last_sample_timestamp_seconds", "When the newest sample was taken.", self._taken_at)
        yield _one("samples_sent_total", "Samples that the server has confirmed.", self._tally.samples)
        if self._tally.at:
            yield _one("last_send_timestamp_seconds", "When the server last took a post.", self._tally.at)
        yield _one("send_failures_total", "Attempts to send that came to nothing.", self._tally.failures)
        yield _one("spool_bytes", "What spool_dir holds, of this agent and others.", _size(self._spools))
        up = {lane.collector.name: _IS_UP.get(lane.state) for lane in self._sampler.lanes}
        yield Family(
            "runyard_agent_collector_up",
            "1 where a collector that this host has gave its newest values, 0 where it fails.",
            [({"collector": name}, value) for name, value in up.items() if value is not None],
        )


def _one(name: str, text: str, value: float, **labels: str) -> Family:
    return Family(f"runyard_agent_{name}", text, [(labels, value)])


def _uuids(facts: Facts) -> dict[str, str]:
    """Return the UUIDs of GPUs by their index."""
    cards = facts.get("gpu_nvidia") or facts.get("gpu_amd") or []
    found = {
        str(card.get("index", place)): card.get("uuid") or card.get("unique_id")
        for place, card in enumerate(cards)
    }
    return {index: str(uuid) for index, uuid in found.items() if uuid}


def _size(root: Path) -> int:
    """Return the bytes of all spools; one that is sent meanwhile counts as far as it is there."""
    size = 0
    for path in root.rglob("*"):
        with contextlib.suppress(OSError):
            size += path.stat().st_size if path.is_file() else 0
    return size
