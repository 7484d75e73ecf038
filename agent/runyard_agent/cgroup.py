"""Limits and use of the control group we are in, versions 1 and 2; without limits a host is simply the host."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from runyard_agent.collecting import percent

_NO_LIMIT = 2**60
"""Version 1 says "no limit" with the largest multiple of the page size below 2^63."""


class Memory(NamedTuple):
    used: int
    limit: int


class Cgroup:
    """Reads the control group of a process.

    Args:
        root: the folder that holds ``proc`` and ``sys``.
        pid: whose group; None is our own.
    """

    def __init__(self, root: Path = Path("/"), pid: int | None = None) -> None:
        self._mount = root / "sys/fs/cgroup"
        self._paths = _memberships(root / "proc" / (str(pid) if pid is not None else "self") / "cgroup")

    def memory(self) -> Memory | None:
        """Return bytes used and allowed, of the ancestor with the least room; None where nothing limits."""
        found = [
            Memory(used, limit)
            for folder in self._folders("memory")
            for limit_name, used_name in (
                ("memory.max", "memory.current"),
                ("memory.limit_in_bytes", "memory.usage_in_bytes"),
            )
            if (limit := _integer(folder / limit_name)) is not None
            and limit < _NO_LIMIT
            and (used := _integer(folder / used_name)) is not None
        ]
        return min(found, key=lambda each: each.limit - each.used, default=None)

    def cpus(self) -> float | None:
        """Return how many CPUs the group may use, the least of its ancestors; None where nothing limits."""
        limits = []
        for folder in self._folders("cpu"):
            quota, period = _quota(folder)
            if quota is not None and period and quota > 0:
                limits.append(quota / period)
        return min(limits, default=None)

    def cpu_seconds(self) -> float | None:
        """Return the CPU time the group has used."""
        for folder in self._folders("cpu"):
            used = _fields(folder / "cpu.stat").get("usage_usec")
            if used is not None:
                return used / 1e6
        for folder in self._folders("cpuacct"):
            used = _integer(folder / "cpuacct.usage")
            if used is not None:
                return used / 1e9
        return None

    def throttled_percent(self) -> float | None:
        """Return the share of scheduling periods in which the group was held back, since it began."""
        for folder in self._folders("cpu"):
            fields = _fields(folder / "cpu.stat")
            share = percent(fields.get("nr_throttled"), fields.get("nr_periods"))
            if share is not None:
                return share
        return None

    def oom_kills(self) -> int | None:
        """Return how many processes of the group the kernel killed for memory."""
        for folder in self._folders("memory"):
            for name in ("memory.events", "memory.oom_control"):
                kills = _fields(folder / name).get("oom_kill")
                if kills is not None:
                    return kills
        return None

    def _folders(self, controller: str) -> list[Path]:
        """Return the group's folder and its ancestors', innermost first; in a container the path is often not there."""
        bases = [(self._mount / controller, self._paths.get(controller)), (self._mount, self._paths.get(""))]
        bases.append((self._mount / "unified", self._paths.get("")))
        folders: list[Path] = []
        for base, path in bases:
            if path is None:
                continue
            inner = base / path.lstrip("/")
            folders += [each for each in (inner, *inner.parents) if each == base or base in each.parents]
        return [folder for folder in folders if folder.is_dir()]


def _memberships(file: Path) -> dict[str, str]:
    """Return the group's path by controller; ``""`` is version 2."""
    paths: dict[str, str] = {}
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return paths
    for line in lines:
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        for controller in controllers.split(","):
            paths[controller] = path
    return paths


def _quota(folder: Path) -> tuple[int | None, int | None]:
    """Return microseconds of CPU per period, and the period."""
    try:
        words = (folder / "cpu.max").read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return _integer(folder / "cpu.cfs_quota_us"), _integer(folder / "cpu.cfs_period_us")
    if len(words) != 2 or not all(word.isdecimal() for word in words):
        return None, None  # "max 100000"
    return int(words[0]), int(words[1])


def _integer(file: Path) -> int | None:
    try:
        return int(file.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None  # "max", or not there


def _fields(file: Path) -> dict[str, int]:
    """Return a file of ``name number`` lines."""
    try:
        lines = file.read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return {}
    pairs = (line.split() for line in lines)
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdecimal()}
