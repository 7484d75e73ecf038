"""Watches a host without a run of its own: one long run for each day or boot."""

from __future__ import annotations

import contextlib
import datetime as dt
import socket
import struct
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, NamedTuple

from runyard_agent.collecting import Collector
from runyard_agent.collectors import all_collectors
from runyard_agent.delivery import Delivery, Tally
from runyard_agent.ending import Ending
from runyard_agent.facts import host_facts
from runyard_agent.identity import boot_id, boot_time, host_id, slug
from runyard_agent.recording import Recorder
from runyard_agent.sampler import Row, Sampler
from runyard_agent.server import Refused, Server, Unreachable
from runyard_agent.settings import Settings
from runyard_agent.spool import Spool, SpoolError, root_of, spools_in, tell

if TYPE_CHECKING:
    from runyard_agent.exporting import Exporter

PROJECT, JOB_TYPE = "hosts", "host"
_DAY_S = 86_400
_OLD_RUN_S = 7 * _DAY_S
"""How long the run of a day that is over waits for the server; after that it stays in the spool."""
_STOP_S = 20.0
"""How long a stop waits for the server; systemd kills after 30 s."""
_ENDED = ("finished", "failed")


class Period(NamedTuple):
    """A day (UTC) or boot, which has one run of the host."""

    name: str
    began_at: float
    """UTC, s: where the run's time is 0, whenever the agent itself was started."""


class AlreadyWatched(Exception):
    """Another agent watches this host for the same project; the message names it."""


def day_of(moment: float) -> Period:
    """Return the day, in UTC, of a moment in UTC seconds."""
    began_at = moment // _DAY_S * _DAY_S
    return Period(dt.datetime.fromtimestamp(began_at, dt.timezone.utc).date().isoformat(), began_at)


@lru_cache(maxsize=1)
def this_boot() -> Period:
    """Return the boot that this host is in; when that was changes with the clock, so it is asked once."""
    return Period(boot_id(), boot_time())


PERIODS: dict[str, Callable[[float], Period]] = {"day": day_of, "boot": lambda _: this_boot()}


class Hosting:
    """Takes the rows of one sampler into the run of their day or boot.

    Args:
        period_of: the period of a moment in UTC seconds.
        ending: is told when somebody stops the run on its page.
        collectors: what is sampled; None takes all as the settings want them.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        period_of: Callable[[float], Period],
        ending: Ending,
        collectors: Iterable[Collector] | None = None,
    ) -> None:
        is_chosen = settings.origin("project") not in {"default", "WANDB_PROJECT"}  # that is for trainings
        self._settings = settings if is_chosen else settings.replaced(project=PROJECT)
        self._period_of, self._ending = period_of, ending
        self._name = slug(settings.run_id) if settings.run_id else host_id()
        self._server = Server(self._settings) if settings.mode == "online" else None
        sources = all_collectors(settings) if collectors is None else collectors
        self._sampler = Sampler(sources, interval_s=settings.interval, label=settings.label)
        self._facts, self._tally = host_facts(), Tally()
        self._exporter = self._new_exporter() if settings.metrics_listen else None
        self._period: Period | None = None
        self._recorder: Recorder | None = None
        self._place = {"entity": self._settings.entity, "project": self._settings.project}

    @property
    def name(self) -> str:
        """What the runs' ids begin with."""
        return self._name

    @property
    def project(self) -> str:
        """Where the runs are."""
        return "/".join(filter(None, [self._settings.entity, self._settings.project]))

    def run(self) -> None:
        """Watch until told to end, then finish the run.

        Raises:
            SettingsError: nothing can listen where metrics are to be served.
        """
        with self._served():
            self._watch()

    def _watch(self) -> None:
        over = threading.Event()
        sampling = threading.Thread(target=self._sample, args=(over,), name="runyard-sampler", daemon=True)
        sampling.start()
        threading.Thread(target=self._send_left, name="runyard-left", daemon=True).start()
        try:
            self._ending.wait()
        finally:
            over.set()
            sampling.join(self._settings.tool_timeout)
            self._sampler.close()
            if self._recorder:
                self._recorder.finish(0, timeout_s=min(self._settings.finish_timeout, _STOP_S))

    @contextlib.contextmanager
    def _served(self) -> Iterator[None]:
        """Let Prometheus ask while the context lasts, where that is wanted."""
        if self._exporter is None:
            yield
            return
        from runyard_agent.scrapes import Scrapes

        with contextlib.closing(Scrapes(self._settings.metrics_listen, self._exporter.page)) as scrapes:
            scrapes.start()
            yield

    def _new_exporter(self) -> Exporter:
        from runyard_agent.exporting import Exporter

        return Exporter(self._settings, self._sampler, self._tally)

    def _sample(self, over: threading.Event) -> None:
        try:
            self._sampler.run(self._take, over)
        finally:
            if not over.is_set():  # a fault of ours; better to be started again than to watch nothing
                self._ending.exit_code = 1
                self._ending.tell()

    def _take(self, row: Row) -> None:
        """Bring a row to the run of its moment; what the disk does not take must not end the watching."""
        if self._exporter:
            self._exporter.take(row)
        period = self._period_of(row["_timestamp"])
        try:
            if self._recorder is None or self._period is None or period.name != self._period.name:
                self._turn_to(period)
        except SpoolError as error:  # the next row tries again
            tell(str(error))
            return
        assert self._recorder is not None  # noqa: S101 - made above
        self._recorder.system({**row, "_runtime": round(row["_timestamp"] - period.began_at, 3)})
        self._recorder.tell_facts({**self._facts, **self._sampler.facts()})
        if self._recorder.state in _ENDED:
            self._revive(period)

    def _turn_to(self, period: Period) -> None:
        """Begin the run of a period, then let the one before end in the background: no row is lost between."""
        before = self._recorder
        self._recorder = Recorder(
            self._settings,
            self._header_of(period),
            mode=self._settings.mode,
            collectors=(),
            on_stop=self._ending.tell,
            tally=self._tally,
        )
        self._period = period
        self._recorder.start()
        if before:
            end = partial(before.finish, 0, timeout_s=_OLD_RUN_S)
            threading.Thread(target=end, name="runyard-old-run", daemon=True).start()

    def _header_of(self, period: Period) -> dict[str, Any]:
        settings, host = self._settings, socket.gethostname()
        header = {
            "resume": "allow",
            "display_name": f"{settings.name or host} {period.name}",
            "group": settings.group or host,
            "job_type": settings.job_type or JOB_TYPE,
            "host": host,
            "tags": settings.tags,
            "notes": settings.notes,
        }
        known = {name: value for name, value in header.items() if value}
        return {**self._place, "uid": self._uid_of(period), **known}

    def _uid_of(self, period: Period) -> str:
        return f"{self._name}-{period.name}"

    def _revive(self, period: Period) -> None:
        """Begin the run once more: what an agent before us left, its end included, may come after our beginning."""
        assert self._server is not None  # noqa: S101 - who told the run's state
        with contextlib.suppress(Unreachable, Refused):  # the next answer says the same, and we try again
            self._server.begin({**self._place, "uid": self._uid_of(period), "resume": "allow"}, is_retry=True)

    def _send_left(self) -> None:
        """Send what agents of this host left behind, one after the other, beside the new."""
        if self._server is None:
            return
        for folder in spools_in(root_of(self._settings)):
            with contextlib.suppress(SpoolError):  # in use, as the new one is, or broken: `sync` says so
                spool = Spool.open(folder)
                if self._is_ours(spool.header):
                    delivery = Delivery(spool, Server(self._settings), heartbeat_s=None, tally=self._tally)
                    delivery.start()
                    delivery.drain(None)
                    delivery.close()
                spool.close()

    def _is_ours(self, header: Mapping[str, Any]) -> bool:
        place = {name: header[name] for name in self._place}
        return place == self._place and header["uid"].startswith(f"{self._name}-")


@contextlib.contextmanager
def alone(name: str, folder: Path) -> Iterator[None]:
    """Hold a name on this host while the context lasts.

    On Linux it is a socket's in the abstract name space: seen by all users of the host, whatever folders they use, and
    gone with its process.

    Raises:
        AlreadyWatched: another process holds it.
    """
    if sys.platform != "linux":
        import fcntl

        folder.mkdir(parents=True, exist_ok=True)
        with (folder / f".{slug(name)}.lock").open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise AlreadyWatched("by another agent") from None
            yield
        return
    address = f"\0runyard-agent {name}"
    with socket.socket(socket.AF_UNIX) as held:
        try:
            held.bind(address)
        except OSError:
            raise AlreadyWatched(f"by another agent{_holder(address)}") from None
        held.listen()
        yield


def _holder(address: str) -> str:
    """Return who holds it, as words to append."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as asking:
        asking.settimeout(1)
        asking.connect(address)
        pid = struct.unpack("iII", asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
        return f" (process {pid})"
    return ""


def watch_host(settings: Settings, *, per: str) -> int:
    """Watch this host until a signal or a stop on the page of its run.

    Raises:
        AlreadyWatched: another agent does.
        SettingsError: the server is not set.
    """
    with Ending() as ending:
        hosting = Hosting(settings, period_of=PERIODS[per], ending=ending)
        with alone(f"{hosting.name} {hosting.project}", root_of(settings)):
            tell(f"watching {socket.gethostname()} in the project {hosting.project}, a run per {per}")
            hosting.run()
        return ending.exit_code
