"""CPU, memory and disk of process trees, from /proc: Linux only."""

import os
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_EVERY_S = 0.2


@dataclass(frozen=True)
class Process:
    """A process at one moment."""

    pid: int
    parent: int
    cpu_s: float
    rss_bytes: int
    started: int


def _process(pid: str) -> Process | None:
    try:
        fields = Path("/proc", pid, "stat").read_text().rpartition(") ")[2].split()  # a name may have blanks
    except OSError:  # it has ended
        return None
    cpu_s = (int(fields[11]) + int(fields[12])) / _TICKS
    return Process(int(pid), int(fields[1]), cpu_s, int(fields[21]) * _PAGE, int(fields[19]))


def tree(roots: list[int]) -> list[Process]:
    """Return these processes and all that descend from them."""
    everyone = [found for path in Path("/proc").glob("[0-9]*") if (found := _process(path.name))]
    children: dict[int, list[Process]] = {}
    for process in everyone:
        children.setdefault(process.parent, []).append(process)
    family = [process for process in everyone if process.pid in roots]
    for process in family:  # grows while it is walked
        family += [child for child in children.get(process.pid, []) if child.pid not in roots]
    return family


def still_there(process: Process) -> bool:
    """Tell whether it runs on: its number may be another's by now."""
    now = _process(str(process.pid))
    return now is not None and now.started == process.started


def _pss(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)


@dataclass
class Meter:
    """Samples process trees while it is entered; what lives shorter than 0.2 s may be missed."""

    roots: list[int]
    peak_rss: int = 0
    rss: int = 0
    processes: int = 0
    samples: list[tuple[float, float]] = field(default_factory=list)
    """(seconds since the epoch, CPU seconds so far)."""
    _cpu_s: dict[tuple[int, int], float] = field(default_factory=dict)
    _over: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __enter__(self) -> Self:
        self.cpu_s()
        self._thread = threading.Thread(target=self._go, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self.cpu_s()

    def _go(self) -> None:
        while not self._over.wait(_EVERY_S):
            self.cpu_s()

    def cpu_s(self) -> float:
        """Take a sample; return the CPU seconds of every process seen so far."""
        with self._lock:
            found = tree(self.roots)
            self._cpu_s |= {(process.pid, process.started): process.cpu_s for process in found}
            self.processes = len(found)
            self.rss = sum(process.rss_bytes for process in found)
            self.peak_rss = max(self.peak_rss, self.rss)
            total = sum(self._cpu_s.values())
            self.samples.append((time.time(), total))
            return total

    def cpu_between(self, begin: float, end: float) -> float:
        """Return the CPU seconds between two moments."""
        return self._cpu_at(end) - self._cpu_at(begin)

    def _cpu_at(self, moment: float) -> float:
        before = self.samples[0]
        for sample in self.samples:
            if sample[0] >= moment:
                share = (moment - before[0]) / (sample[0] - before[0]) if sample[0] > before[0] else 0.0
                return before[1] + max(0.0, min(1.0, share)) * (sample[1] - before[1])
            before = sample
        return before[1]

    def pss(self) -> int:
        """Return the bytes in memory now, what processes share counted once."""
        return sum(_pss(process.pid) for process in tree(self.roots))


def disk_bytes(folder: Path) -> int:
    """Return what a folder takes on the disk."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.lstat().st_blocks * 512
        except OSError:  # it was swept meanwhile
            continue
    return total
