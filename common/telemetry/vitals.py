"""The processes of an installation: that they live, and what CPU and memory they take (Linux).

The library's own collector of these does not work where values are shared by files: whoever answers a scrape knows only
itself. So a thread in every process writes down its own, and its CPU time stays counted when the process is gone.
"""

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from prometheus_client import Gauge

from common.telemetry.definitions import PROCESS_CPU, PROCESS_MEMORY, PROCESS_STARTS, PROCESSES

EVERY_S = 5.0
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_UTIME, _STIME, _RSS = 11, 12, 21
"""Places in /proc/PID/stat after the name, which may itself have blanks (Linux, proc_pid_stat(5))."""


@dataclass(slots=True)
class _Process:
    kind: str
    pid: int
    counted_s: float = 0.0

    def report(self) -> bool:
        """Write down what it takes; False when it has ended, or the system does not tell."""
        try:
            fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            fields = ["Z"]
        if fields[0] == "Z":
            PROCESS_MEMORY.labels(self.kind).set(0)
            return False
        cpu_s = (int(fields[_UTIME]) + int(fields[_STIME])) / _TICKS_PER_S
        PROCESS_CPU.labels(self.kind).inc(cpu_s - self.counted_s)
        self.counted_s = cpu_s
        PROCESS_MEMORY.labels(self.kind).set(int(fields[_RSS]) * _PAGE_BYTES)
        return True


_samples: list[tuple[Gauge, Callable[[], float]]] = []
_watched: list[_Process] = []


def sample(gauge: Gauge, read: Callable[[], float]) -> None:
    """Set a gauge from ``read`` as often as the vitals: for what would cost too much at every change."""
    _samples.append((gauge, read))


def watch(kind: str) -> None:
    """Report on this process, a ``web`` or ``worker``, for as long as it lives."""
    process, is_first = _Process(kind, os.getpid()), not _watched
    if any(
        known.pid == process.pid for known in _watched
    ):  # a worker that found Redis again is ready once more
        return
    _watched.append(process)
    PROCESSES.labels(kind).set(1)
    PROCESS_STARTS.labels(kind).inc()
    if is_first:
        threading.Thread(target=_report, name="vitals", daemon=True).start()


def _report() -> None:
    while True:
        for process in list(_watched):
            if not process.report():
                _watched.remove(process)
                PROCESSES.labels(process.kind).set(0)
        for gauge, read in _samples:
            gauge.set(read())
        time.sleep(EVERY_S)
