"""The processes that are watched: one and all it started."""

from __future__ import annotations

import os
from pathlib import Path

import psutil

_FIRST_PID_NAMESPACE = 0xEFFFFFFC
"""The inode that the kernel gives the host's own PID namespace (include/uapi/linux/nsfs.h)."""


class ProcessTree:
    """A process and, unless told otherwise, all its descendants.

    Args:
        pid: the base process; None watches no process, the whole machine then counts.
    """

    def __init__(self, pid: int | None, *, descendants: bool = True) -> None:
        self._base = psutil.Process(pid) if pid is not None else None
        self._descendants = descendants

    def __bool__(self) -> bool:
        return self._base is not None

    @property
    def base(self) -> psutil.Process | None:
        return self._base

    def members(self) -> list[psutil.Process]:
        """Return who lives; psutil itself tells a reused PID from the process that had it."""
        if self._base is None or not self._base.is_running():
            return []
        try:
            return [self._base, *(self._base.children(recursive=True) if self._descendants else [])]
        except psutil.Error:
            return []

    def pids(self) -> set[int]:
        return {process.pid for process in self.members()}

    def visible_gpus(self) -> list[str] | None:
        """Return what CUDA_VISIBLE_DEVICES of the base process names (indexes or UUIDs), None where it is unset."""
        if self._base is None:
            return None
        try:
            listed = self._base.environ().get("CUDA_VISIBLE_DEVICES")
        except (psutil.Error, OSError):
            return None
        return None if listed is None else [each.strip() for each in listed.split(",") if each.strip()]


def in_pid_namespace(root: Path = Path("/")) -> bool:
    """Whether drivers know our processes by other numbers than we do, as in a container."""
    try:
        return os.stat(root / "proc/self/ns/pid").st_ino != _FIRST_PID_NAMESPACE  # noqa: PTH116 - follows the link
    except OSError:
        return False


def inner_pid(host_pid: int, host_proc: Path) -> int | None:
    """Return the number that a process of the host has in its innermost namespace, from the host's /proc."""
    try:
        text = (host_proc / str(host_pid) / "status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    for line in text.splitlines():
        if line.startswith("NSpid:"):
            return int(line.split()[-1])
    return None
