"""What a scrape is answered: the values of all processes, and readings of what only the database or Redis knows."""

import fcntl
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from django.db import connections
from prometheus_client import CollectorRegistry, Metric
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from common.telemetry import SHARED_FOLDER
from common.telemetry.definitions import REGISTRY

logger = logging.getLogger(__name__)

KEEP_S = 15.0
"""How long a reading is taken for fresh: several scrapers cost no more than one."""
REST = 20.0
"""And for how many times as long as it took: however large the tables, reading takes a twentieth of a core at most."""
WAIT_S = 3.0
"""How long a scrape waits for readings. Prometheus gives up after 10 s, and needs the rest most when these fail."""
_ENDED = "0"
"""Instead of a process id, in the name of the files that hold the counts of ended processes."""


class Reading:
    """Families that are read when somebody asks, in a thread, because a database that is away may hold it long."""

    def __init__(self, name: str, read: Callable[[], Iterable[Metric]]) -> None:
        self.name = name
        self._read = read
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._fresh_until: float | None = None
        self._families: list[Metric] | None = None

    def begin(self) -> None:
        """Read anew, unless that was just done or is under way."""
        with self._lock:
            is_fresh = self._fresh_until is not None and time.monotonic() < self._fresh_until
            if self._thread is None and not is_fresh:
                self._thread = threading.Thread(target=self._run, name=f"reading {self.name}", daemon=True)
                self._thread.start()

    def result(self, timeout_s: float) -> list[Metric] | None:
        """Return what was read, or None where that failed or takes longer."""
        thread = self._thread
        if thread is not None:
            thread.join(timeout_s)
        with self._lock:
            return self._families if self._thread is None else None

    def _run(self) -> None:
        families, begin = None, time.monotonic()
        try:
            families = list(self._read())
        except Exception as error:  # noqa: BLE001 - whatever a driver raises: the other measurements are still told
            logger.warning("reading %s for /metrics failed: %s", self.name, type(error).__name__)
        finally:
            connections.close_all()  # this thread's own
        now = time.monotonic()
        with self._lock:
            self._families, self._thread = families, None
            self._fresh_until = now + max(KEEP_S, REST * (now - begin))


_readings: dict[str, Reading] = {}


def register_reading(name: str, read: Callable[[], Iterable[Metric]]) -> None:
    """Add families that are read at a scrape: a few fixed queries; called in ``AppConfig.ready``."""
    _readings[name] = Reading(name, read)


def _read() -> Iterator[Metric]:
    is_up = GaugeMetricFamily(
        "runyard_reading_up", "Whether this part of the answer could be read just now.", labels=["reading"]
    )
    until = time.monotonic() + WAIT_S
    for reading in _readings.values():
        reading.begin()
    for reading in _readings.values():
        families = reading.result(max(0.0, until - time.monotonic()))
        is_up.add_metric([reading.name], float(families is not None))
        yield from families or ()
    yield is_up


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, PermissionError):  # of another user: the number was given anew
        return False
    return True


def _fold(path: Path, ended: Path) -> None:
    """Add the counts of an ended process to those of all ended ones."""
    archive = MmapedDict(str(ended))
    for key, value, _, _ in MmapedDict.read_all_values_from_file(str(path)):
        archive.write_value(key, archive.read_value(key)[0] + value, 0.0)
    archive.close()


def files_of(folder: Path) -> list[str]:
    """Return the files to add up, for who holds the lock. Of ended processes, gauges go and counts stay, in one file.

    The library keeps both for ever, and fails for good on an empty file, which a process leaves that is killed while it
    begins (https://github.com/prometheus/client_python/issues/1199).
    """
    found = []
    for path in folder.glob("*.db"):
        kind, _, pid = path.stem.rpartition("_")
        is_empty = path.stat().st_size == 0
        if pid == _ENDED or _is_alive(int(pid)):
            found += [] if is_empty else [path]
            continue
        if not is_empty and not kind.startswith("gauge"):
            _fold(path, ended := folder / f"{kind}_{_ENDED}.db")
            found += [] if ended in found else [ended]
        path.unlink()
    return sorted(set(map(str, found)))


def _counted() -> Iterable[Metric]:
    if SHARED_FOLDER is None:
        return REGISTRY.collect()
    with (SHARED_FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # a scrape that another process answers must not fold the same files
        summed: Iterable[Metric] = MultiProcessCollector.merge(files_of(SHARED_FOLDER))
        return summed


class _Everything(Collector):
    def collect(self) -> Iterable[Metric]:
        yield from sorted(_counted(), key=lambda family: family.name)
        yield from _read()


def expose(accept: str = "") -> tuple[bytes, str]:
    """Return the answer to a scrape and its content type.

    Args:
        accept: The scraper's Accept header; without one the answer is the text format 0.0.4, which everything reads.
    """
    registry = CollectorRegistry()
    registry.register(_Everything())
    encode, content_type = choose_encoder(accept)
    return encode(registry), content_type
