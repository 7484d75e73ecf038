"""CPU, threads, memory, disks and network of the host or of the watched processes, by psutil and the kernel's files."""

from __future__ import annotations

import contextlib
import os
import platform
import socket
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Callable

import psutil

from runyard_agent.cgroup import Cgroup
from runyard_agent.collecting import Facts, Growth, Reading, known
from runyard_agent.processes import ProcessTree

_MIB, _GIB = 1024**2, 1024**3
_SHORTEST_S = 0.05
"""CPU use over less than this says nothing: clocks tick at 100 Hz."""


class Host:
    """Always there. In a container its limits count instead of the machine's size, unless ``cgroup`` is off.

    Args:
        root: the folder that holds ``proc`` and ``sys``; psutil itself reads the real ones.
    """

    name = "host"

    def __init__(
        self,
        *,
        tree: ProcessTree | None = None,
        disk_paths: Sequence[str] = ("/",),
        per_core: bool = False,
        cgroup: bool = True,
        root: Path = Path("/"),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tree = tree or ProcessTree(None)
        self._disk_paths, self._per_core = disk_paths, per_core
        self._root, self._clock = root, clock
        self._cgroup = Cgroup(root, self._tree.base.pid if self._tree.base else None) if cgroup else None
        self._members: list[psutil.Process] = []
        self._core_count = (
            psutil.cpu_count(logical=False) or psutil.cpu_count() or 1
        )  # reads all of /proc/cpuinfo
        self._cpu = _CpuUse(self._cgroup, self._core_count, clock)
        self._facts: Facts = {}
        self._disks, self._network = Growth(), Growth()

    def start(self) -> None:
        """Take the first readings, from which growth and CPU use are counted."""
        self._members = self._tree.members()
        self._use()
        self._io()
        self._traffic()
        self._facts = self._find_facts()
        if self._per_core:
            psutil.cpu_percent(percpu=True)

    def collect(self) -> Reading:
        reading: Reading = {}
        self._members = self._tree.members()  # walks all processes of the host, so once
        for part in (
            self._use,
            self._cores,
            self._memory,
            self._usage,
            self._io,
            self._traffic,
            self._limits,
        ):
            with contextlib.suppress(psutil.Error, OSError):  # one that fails takes no other with it
                reading.update(part())
        return reading

    def facts(self) -> Facts:
        return self._facts

    def close(self) -> None:
        """Hold nothing."""

    def _find_facts(self) -> Facts:
        memory = self._cgroup.memory() if self._cgroup else None
        facts: Facts = {
            "host": socket.gethostname(),
            "os": platform.platform(),
            "cpu_count": self._core_count,
            "cpu_count_logical": psutil.cpu_count(),
            "memory": {"total": memory.limit if memory else psutil.virtual_memory().total},
            "disk": {},
        }
        for path in self._disk_paths:
            with contextlib.suppress(OSError):
                usage = psutil.disk_usage(path)
                facts["disk"][path] = {"total": usage.total, "used": usage.used}
        cpus = self._cgroup.cpus() if self._cgroup else None
        if cpus is not None:
            facts["cpu_limit"] = cpus
        slurm = {
            name[len("SLURM_") :].lower(): value
            for name, value in os.environ.items()
            if name.startswith("SLURM_") and "JWT" not in name  # SLURM_JWT is a credential
        }
        if slurm:
            facts["slurm"] = slurm
        return facts

    def _use(self) -> Reading:
        return self._cpu.of_processes(self._members) if self._tree else self._cpu.of_machine()

    def _cores(self) -> Reading:
        if not self._per_core:
            return {}
        return {f"cpu.{core}.cpu_percent": used for core, used in enumerate(psutil.cpu_percent(percpu=True))}

    def _memory(self) -> Reading:
        host = psutil.virtual_memory()
        group = self._cgroup.memory() if self._cgroup else None
        total = min(group.limit, host.total) if group else host.total
        available = max(group.limit - group.used, 0) if group else host.available
        reading = {"proc.memory.availableMB": min(available, host.available) / _MIB}
        reading["memory_percent"] = group.used / total * 100 if group and total else host.percent
        resident = threads = 0
        for process in self._members:
            with contextlib.suppress(psutil.Error):
                resident += process.memory_info().rss
                threads += process.num_threads()
        if resident:
            reading["proc.memory.rssMB"] = resident / _MIB
            reading["proc.memory.percent"] = resident / total * 100
            reading["proc.cpu.threads"] = threads
        return reading

    def _usage(self) -> Reading:
        reading: Reading = {}
        for path in self._disk_paths:
            with contextlib.suppress(OSError):
                usage = psutil.disk_usage(path)
                reading[f"disk.{path}.usagePercent"] = usage.percent
                reading[f"disk.{path}.usageGB"] = usage.used / _GIB
        return reading

    def _io(self) -> Reading:
        counters = psutil.disk_io_counters(perdisk=True, nowrap=False) or {}
        # Partitions, loops and device mappers count again what their disk has counted.
        real = [name for name in counters if (self._root / "sys/block" / name / "device").exists()]
        reading: Reading = {}
        for name in real or counters:
            for way, value in (("in", counters[name].read_bytes), ("out", counters[name].write_bytes)):
                reading[f"disk.{name}.{way}"] = self._disks.add(f"{name}.{way}", value) / _MIB
        for way in ("in", "out"):
            if reading:
                reading[f"disk.{way}"] = self._disks.total(f".{way}") / _MIB
        return reading

    def _traffic(self) -> Reading:
        cards = psutil.net_io_counters(pernic=True, nowrap=False) or {}
        for name, card in cards.items():
            self._network.add(f"{name} sent", card.bytes_sent)
            self._network.add(f"{name} recv", card.bytes_recv)
        if not cards:
            return {}
        reading = {f"network.{way}": self._network.total(f" {way}") for way in ("sent", "recv")}
        retransmits = _retransmits(self._root / "proc/net/snmp")
        if retransmits is not None:
            reading["network.tcpRetransmits"] = self._network.add("tcp", retransmits)
        return reading

    def _limits(self) -> Reading:
        if self._cgroup is None:
            return {}
        return known(
            [
                ("proc.cpu.throttledPercent", self._cgroup.throttled_percent()),
                ("proc.memory.oomKills", self._cgroup.oom_kills()),
            ]
        )


class _CpuUse:
    """CPU use between two readings: of the watched processes over the CPUs they may use, else of the machine."""

    def __init__(self, cgroup: Cgroup | None, cores: int, clock: Callable[[], float]) -> None:
        self._cgroup, self._cores, self._clock = cgroup, cores, clock
        self._at: float | None = None
        self._used: dict[object, float] = {}

    def of_processes(self, members: Sequence[psutil.Process]) -> Reading:
        """Return the tag ``cpu``, of the control group's CPUs or the physical cores."""
        used: dict[object, float] = {
            process: seconds for process in members if (seconds := _cpu_seconds(process)) is not None
        }
        return self._since(used, self._limit() or self._cores)

    def of_machine(self) -> Reading:
        """Return the tag ``cpu``, of the control group's CPUs or all that the system schedules on."""
        limit = self._limit()
        group = self._cgroup.cpu_seconds() if self._cgroup and limit else None
        if group is not None:
            return self._since({"group": group}, limit or 1)
        times = psutil.cpu_times()
        busy = sum(times[:4]) - times.idle + sum(getattr(times, name, 0) for name in _BUSY)
        return self._since({"machine": busy}, psutil.cpu_count() or 1)

    def _limit(self) -> float | None:
        return self._cgroup.cpus() if self._cgroup else None

    def _since(self, used: dict[object, float], cpus: float) -> Reading:
        """Return the use since the last reading; nothing the first time, nor when no time has passed."""
        now, at, before = self._clock(), self._at, self._used
        if at is not None and now - at < _SHORTEST_S:
            return {}
        self._at, self._used = now, used
        if at is None or not used:
            return {}
        # Who was born since then used all its time since then; who died took its time along.
        spent = sum(max(seconds - before.get(key, 0), 0) for key, seconds in used.items())
        return {"cpu": spent / ((now - at) * cpus) * 100}


_BUSY = ("irq", "softirq", "steal")
"""Beside user, nice and system; guest time is already in user."""


def _cpu_seconds(process: psutil.Process) -> float | None:
    try:
        times = process.cpu_times()
    except psutil.Error:
        return None
    return float(times.user + times.system)


def _retransmits(file: Path) -> int | None:
    """Return TCP segments sent again, from the kernel's pairs of a line of names and a line of numbers."""
    try:
        lines = [
            line.split() for line in file.read_text(encoding="ascii").splitlines() if line.startswith("Tcp:")
        ]
        return int(dict(zip(lines[0], lines[1]))["RetransSegs"])
    except (OSError, ValueError, KeyError, IndexError):
        return None
