"""What a system has to bring to be measured; standard library only, since it also runs beside the peers."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from bench.peers.link import Ask, Link


@dataclass
class Place:
    """Where one measurement is made; the clients get it as JSON."""

    folder: str
    port: int
    second_port: int
    secrets: dict[str, str] = field(default_factory=dict)
    """What `begin` found out: keys, names."""

    @property
    def url(self) -> str:
        """Of the server that answers."""
        return f"http://127.0.0.1:{self.port}"


@dataclass(frozen=True)
class Server:
    """A process to start; it is up when the path answers 200, or without one when the port takes connections."""

    name: str
    argv: list[str]
    port: int
    path: str = ""
    env: dict[str, str] = field(default_factory=dict)
    user: str | None = None
    cwd: str = ""
    """Else the place's folder."""


class Writer(Protocol):
    """A run that is being logged, by the ordinary client or by bare HTTP."""

    def log(self, values: dict[str, float], step: int) -> None:
        """Log one step."""

    def finish(self) -> None:
        """End the run; all of it has been sent then, as far as the client can tell."""


class System:
    """One system in one variant; `writer` and the folders are for the system's own Python."""

    packages: tuple[str, ...] = ()
    """Whose versions are told."""
    plan: dict[str, tuple[str, ...]] = {}
    """Per workload what of it to measure, as "variant client"; clients matter where logging is measured."""
    load_mode = "sdk"
    """The fastest client, for data that is only to be read."""
    settle_s = 2.0
    """How long the server goes on working after everything can be read."""
    tolerance = 0.0
    """Of values that are read back."""

    def __init__(self, place: Place, variant: str) -> None:
        self.place = place
        self.variant = variant
        self.folder = Path(place.folder)

    @classmethod
    def python(cls) -> Path:
        """Return the Python that has the client."""
        from bench.peers.servers import python_of

        return python_of(cls.__module__.rpartition(".")[2])

    @classmethod
    def program(cls, name: str) -> str:
        """Return a program of the system's environment."""
        return str(cls.python().parent / name)

    @property
    def data(self) -> Path:
        """The folder whose bytes are counted."""
        return self.folder / "data"

    def servers(self) -> list[Server]:
        """Return the processes to start, in order; they may rely on `data` being there."""
        return []

    def begin(self) -> None:
        """Make what a client needs to log in, when the servers are up."""

    def link(self) -> Link:
        """Return a connection that may read."""
        return Link(self.place.url)

    def writer(self, run: str, config: dict[str, str], mode: str, *, hardware: bool) -> Writer:
        """Begin a run; ``hardware`` lets the client log its hardware metrics too."""
        raise NotImplementedError

    def log_folder(self, folder: str) -> None:
        """Log a folder as an artifact by the ordinary client, until all of it is there; in the system's own Python."""
        raise NotImplementedError

    def fetch_folder(self, target: str) -> None:
        """Download what `log_folder` logged, by the ordinary client; in the system's own Python."""
        raise NotImplementedError

    def count(self, link: Link, run: str, metric: str) -> int:
        """Return how many points of a metric can be read."""
        return len(self.values(link, run, [metric])[metric])

    def values(self, link: Link, run: str, names: list[str]) -> dict[str, list[float]]:
        """Return all values of some metrics, in order of steps."""
        raise NotImplementedError

    def charts(self, link: Link, run: str, metric: str) -> dict[str, Ask]:
        """Return what a page asks for to draw one metric, under names."""
        raise NotImplementedError

    def points(self, body: bytes) -> int:
        """Return how many points an answer to one of `charts` has."""
        raise NotImplementedError

    def pages(self) -> dict[str, Ask]:
        """Return first pages of runs that are only timed, where they neither filter nor sort by a metric."""
        return {}

    def tables(self, link: Link) -> dict[str, Ask]:
        """Return the queries of the runs table: p00 is v3, m00 over 0.5, by m01 descending, the first 100."""
        raise NotImplementedError

    def rows(self, body: bytes) -> list[str]:
        """Return the names of the runs of an answer to one of `tables`."""
        raise NotImplementedError
