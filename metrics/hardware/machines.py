"""Machines and their GPUs, put together from what each run says of those it sees."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils import timezone

from common.formats.numbers import parse_int
from runs.hosts.gpus import counted_names
from runs.models import Run, RunHost
from runs.states import RunState

STALE_S = 180.0
"""A sample this old says nothing of now: a dozen at the usual pace were missed."""
BUSY_PERCENT = 5.0
"""A GPU in use for less of the time is called idle, unless a process of a run holds it."""

GPU_STATES = ("busy", "idle", "stale", "unwatched")
"""Stale: whoever samples it sent nothing of late. Unwatched: all runs on its machine have ended, as they should."""

_PREFIX = "gpu."
_OF_PROCESS = "gpu.process."

Values = dict[str, tuple[float, float]]
"""A metric's tag to its last value and when it was sampled, unix seconds."""


@dataclass(slots=True)
class Device:
    """A GPU, and the newest of what the runs that see it have sampled."""

    index: int
    uuid: str = ""
    name: str = ""
    memory_bytes: int | None = None
    sampled_at: float | None = None
    values: dict[str, float] = field(default_factory=dict)
    """By the last part of the tag: gpu, memoryAllocated, temp, powerWatts, ..."""
    users: list[Run] = field(default_factory=list)
    """Runs whose processes hold it."""
    state: str = "stale"
    """One of GPU_STATES."""

    @property
    def is_known(self) -> bool:
        """Whether its values are those of now."""
        return self.state in ("busy", "idle")

    @property
    def heat(self) -> float:
        """How much it is used, from 0 to 1."""
        return min(1.0, max(0.0, (self.use_percent or 0.0) / 100))

    @property
    def use_percent(self) -> float | None:
        """Share of time in which something ran on it."""
        return self.values.get("gpu")

    @property
    def memory_percent(self) -> float | None:
        """How full its memory is."""
        return self.values.get("memoryAllocated")

    @property
    def used_bytes(self) -> float | None:
        """Of its memory."""
        known = self.values.get("memoryAllocatedBytes")
        if known is None and self.memory_bytes and self.memory_percent is not None:
            return self.memory_bytes * self.memory_percent / 100
        return known

    @property
    def temperature(self) -> float | None:
        """Degrees Celsius."""
        return self.values.get("temp")

    @property
    def power_watts(self) -> float | None:
        """Now."""
        return self.values.get("powerWatts")

    @property
    def sampled(self) -> datetime | None:
        """When its values were sampled."""
        return _moment(self.sampled_at)

    def see(self, values: dict[str, float], at: float) -> None:
        """Take the values of a sample if it is the newest."""
        if values and (self.sampled_at is None or at >= self.sampled_at):
            self.values, self.sampled_at = values, at


@dataclass(slots=True)
class Host:
    """A machine; containers that see the same GPU are one."""

    name: str
    also: set[str] = field(default_factory=set)
    """Other names of it."""
    os: str = ""
    cpu_count: int | None = None
    memory_bytes: int | None = None
    cpu_percent: float | None = None
    """Of the whole machine, which only its agent samples."""
    memory_percent: float | None = None
    sampled_at: float | None = None
    seen_at: datetime | None = None
    """The last sign of life of a run on it."""
    is_monitored: bool = False
    """Whether the agent watches it by a run of its own now."""
    is_named: bool = False
    """Whether an agent named it, which knows its own name as a container does not."""
    is_live: bool = False
    """Whether a run on it is active."""
    is_lost: bool = False
    """Whether the run that was heard of last ended by silence."""
    runs: list[Run] = field(default_factory=list)
    by_key: dict[str, Device] = field(default_factory=dict)

    @property
    def gpus(self) -> list[Device]:
        """By index."""
        return sorted(self.by_key.values(), key=lambda gpu: (gpu.index, gpu.uuid))

    @property
    def gpu_names(self) -> str:
        """How many of which: ``8 × NVIDIA H100``."""
        return counted_names(gpu.name for gpu in self.gpus)

    @property
    def sampled(self) -> datetime | None:
        """When a value of it was sampled last."""
        return _moment(self.sampled_at)

    def count(self, state: str) -> int:
        """Return how many GPUs are busy, idle or stale."""
        return sum(gpu.state == state for gpu in self.by_key.values())

    @property
    def busy(self) -> int:
        """GPUs in use."""
        return self.count("busy")

    @property
    def words(self) -> str:
        """What a search looks through."""
        own = [self.name, *self.also, self.os]
        gpus = [f"{gpu.name} {gpu.uuid}" for gpu in self.by_key.values()]
        runs = [f"{run.display_name} {run.uid} {run.project.name} {run.user or ''}" for run in self.runs]
        return " ".join([*own, *gpus, *runs]).lower()


@dataclass(frozen=True, slots=True)
class Sighting:
    """What one run says of one machine."""

    name: str
    row: RunHost | None
    run: Run
    values: Values
    seen_at: datetime
    is_active: bool = False


class Machines:
    """Gathers machines; those that share a GPU become one."""

    def __init__(self, now: datetime) -> None:
        self._now = now.timestamp()
        self._by_name: dict[str, Host] = {}
        self._by_uuid: dict[str, Host] = {}

    def found(self) -> list[Host]:
        """Return the machines."""
        hosts = list({id(host): host for host in self._by_name.values()}.values())
        for host in hosts:
            host.also.discard(host.name)
            for gpu in host.by_key.values():
                gpu.state = self._state_of(gpu, host)
        return hosts

    def see(self, sighting: Sighting) -> None:
        """Add what a run says of a machine."""
        cards = sighting.row.gpus if sighting.row else []
        uuids = [str(card["uuid"]) for card in cards if card.get("uuid")]
        host = self._host(sighting.name, uuids)
        run, row = sighting.run, sighting.row
        is_monitor = run.is_host
        if is_monitor and not host.is_named:
            host.name, host.is_named = sighting.name, True
        host.is_monitored |= is_monitor and sighting.is_active
        host.is_live |= sighting.is_active
        host.also.add(sighting.name)
        if host.seen_at is None or sighting.seen_at > host.seen_at:
            host.seen_at, host.is_lost = sighting.seen_at, run.state == RunState.CRASHED
        if sighting.is_active and not is_monitor and run not in host.runs:
            host.runs.append(run)
        if row:
            host.os = host.os or row.os
            host.cpu_count = host.cpu_count or row.cpu_count
            host.memory_bytes = host.memory_bytes or row.memory_bytes
        self._take_host_values(host, sighting.values, is_monitor=is_monitor)
        self._take_gpus(host, sighting, cards)

    def _host(self, name: str, uuids: list[str]) -> Host:
        known = [self._by_name.get(name), *(self._by_uuid.get(uuid) for uuid in uuids)]
        hosts = list({id(host): host for host in known if host}.values())
        host = hosts[0] if hosts else Host(name)
        for other in hosts[1:]:
            self._join(host, other)
        self._by_name[name] = host
        for uuid in uuids:
            self._by_uuid[uuid] = host
        return host

    def _join(self, host: Host, other: Host) -> None:
        """Make one machine of two."""
        if other.is_named and not host.is_named:
            host.name, host.is_named = other.name, True
        host.is_monitored |= other.is_monitored
        host.is_live |= other.is_live
        host.also |= other.also
        host.os, host.cpu_count = host.os or other.os, host.cpu_count or other.cpu_count
        host.memory_bytes = host.memory_bytes or other.memory_bytes
        if host.cpu_percent is None:
            host.cpu_percent = other.cpu_percent
        if host.sampled_at is None or (other.sampled_at or 0) > host.sampled_at:
            host.sampled_at, host.memory_percent = other.sampled_at, other.memory_percent
        if other.seen_at is not None and (host.seen_at is None or other.seen_at > host.seen_at):
            host.seen_at, host.is_lost = other.seen_at, other.is_lost
        host.runs += [run for run in other.runs if run not in host.runs]
        host.by_key = other.by_key | host.by_key
        for found in (self._by_name, self._by_uuid):
            found.update({key: host for key, value in found.items() if value is other})

    def _take_host_values(self, host: Host, values: Values, *, is_monitor: bool) -> None:
        if not values:
            return
        newest = max(at for _, at in values.values())
        if host.sampled_at is None or newest >= host.sampled_at:
            host.sampled_at = newest
            host.memory_percent = self._fresh(values.get("memory_percent")) or host.memory_percent
        if is_monitor:
            host.cpu_percent = self._fresh(values.get("cpu"))

    def _take_gpus(self, host: Host, sighting: Sighting, cards: list[dict[str, Any]]) -> None:
        card_of = {int(card["index"]): card for card in cards}
        sampled, process_seen_at = _gpu_values(sighting.values)
        for index in sorted({*card_of, *sampled}):
            card = card_of.get(index, {})
            gpu = self._device(host, index, card)
            gpu.name = gpu.name or str(card.get("name", ""))
            gpu.memory_bytes = gpu.memory_bytes or card.get("memory_bytes")
            values = sampled.get(index, {})
            if values:
                newest = max(at for _, at in values.values())
                gpu.see(
                    {name: value for name, (value, at) in values.items() if at > newest - STALE_S}, newest
                )
            is_held = index in process_seen_at and self._now - process_seen_at[index] <= STALE_S
            if is_held and sighting.run not in gpu.users and not sighting.run.is_host:
                gpu.users.append(sighting.run)

    def _device(self, host: Host, index: int, card: dict[str, Any]) -> Device:
        """Return the GPU by its UUID; one that was only known by its index until now is that one."""
        uuid = str(card.get("uuid") or "")
        if not uuid:
            same = [gpu for gpu in host.by_key.values() if gpu.index == index]
            return same[0] if same else host.by_key.setdefault(f"#{index}", Device(index))
        if uuid not in host.by_key and f"#{index}" in host.by_key:
            host.by_key[uuid] = host.by_key.pop(f"#{index}")
            host.by_key[uuid].uuid = uuid
        return host.by_key.setdefault(uuid, Device(index, uuid))

    def _fresh(self, value: tuple[float, float] | None) -> float | None:
        return value[0] if value and self._now - value[1] <= STALE_S else None

    def _state_of(self, gpu: Device, host: Host) -> str:
        if gpu.sampled_at is None or self._now - gpu.sampled_at > STALE_S:
            return "stale" if host.is_live or host.is_lost else "unwatched"
        return "busy" if gpu.users or (gpu.use_percent or 0) >= BUSY_PERCENT else "idle"


def _gpu_values(values: Values) -> tuple[dict[int, Values], dict[int, float]]:
    """Return the last values of each GPU by index, and when a process of the run was last seen on which."""
    sampled: dict[int, Values] = {}
    process_seen_at: dict[int, float] = {}
    for tag, (value, at) in values.items():
        is_held = tag.startswith(_OF_PROCESS)
        number, _, name = tag.removeprefix(_OF_PROCESS if is_held else _PREFIX).partition(".")
        index = parse_int(number)
        if not tag.startswith(_PREFIX) or index is None or "." in name:
            continue
        if is_held:
            process_seen_at[index] = max(at, process_seen_at.get(index, 0.0))
        else:
            sampled.setdefault(index, {})[name] = (value, at)
    return sampled, process_seen_at


def _moment(at: float | None) -> datetime | None:
    return None if at is None else datetime.fromtimestamp(at, tz=timezone.get_current_timezone())
