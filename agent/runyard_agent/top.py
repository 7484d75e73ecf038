"""A terminal's view of this host, or of a run on the server: what it looks at, and how long."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from itertools import islice
from typing import Any, Callable, Protocol

from rich.console import Console
from rich.live import Live

from runyard_agent.collectors import all_collectors
from runyard_agent.drawing import frame
from runyard_agent.metrics import describe
from runyard_agent.run_paths import NoRun, RunPath
from runyard_agent.sampler import Row, Sampler
from runyard_agent.server import Server, Unreachable
from runyard_agent.settings import Settings
from runyard_agent.views import Point, View, as_data

_FIRST_S = 0.5
_KEYS_AT_ONCE = 100
"""The server takes 500; addresses that long some proxies refuse."""
_RATE_BUCKETS = 300
"""Of a run's whole time: the last two tell the first rate of its counters."""


class Source(Protocol):
    """What is looked at."""

    def look(self) -> View:
        """Return what is known now.

        Raises:
            NoRun, Refused: nothing will come of it.
            Unreachable: the server does not answer now.
        """

    def close(self) -> None:
        """End what was started."""


class ThisHost:
    """The collectors of this host."""

    def __init__(self, settings: Settings, *, interval_s: float) -> None:
        self._sampler = Sampler(
            all_collectors(settings),
            interval_s=interval_s,
            label="",
            patience_s=min(settings.tool_timeout, interval_s),
        )
        self._now: dict[str, Point] = {}

    def look(self) -> View:
        """Sample; the first time twice, since rates need two readings."""
        if not self._now:
            self._now = _merged(self._sampler.sample())
            time.sleep(_FIRST_S)
        before, self._now = self._now, {**self._now, **_merged(self._sampler.sample())}
        facts = self._sampler.facts()
        host, system = str(facts.get("host", "")), str(facts.get("os", ""))
        return View(host, system, self._now, before, {"host": host, "os": system})

    def close(self) -> None:
        self._sampler.close()


class WatchedRun:
    """A run on the server, by REST.

    Args:
        label: show only the host of this name.
    """

    def __init__(self, server: Server, path: RunPath, *, label: str = "") -> None:
        self._server, self._path, self._label = server, path, label
        self._now: dict[str, Point] = {}
        self._before: dict[str, Point] = {}

    def look(self) -> View:
        """Ask for the run and the latest value of each of its system metrics."""
        run = self._run()
        keys = self._server.get(f"runs/{run['id']}/keys/", {"kind": "system"})["keys"]
        tags = [each["key"] for each in keys if self._is_wanted(each["key"])]
        if not self._now:
            counters = [tag for tag in tags if (found := describe(tag)) and found.metric.cumulative]
            self._before = self._points(run["id"], counters, buckets=_RATE_BUCKETS, which=-2)
        for tag, point in self._points(run["id"], tags, buckets=1, which=-1).items():
            known = self._now.get(tag)
            if known is not None and point.at > known.at:
                self._before[tag] = known
            self._now[tag] = point
        title = f"{run['display_name'] or run['uid']}  {run['state']}"
        return View(title, str(self._path), self._now, self._before, {"run": run}, clock=time.time())

    def close(self) -> None:
        """Hold nothing."""

    def _run(self) -> dict[str, Any]:
        _, entity, project, uid = self._path
        found = self._server.get("runs/", {"entity": entity, "project": project, "uid": uid})["results"]
        if not found:
            raise NoRun.at(self._path)
        return dict(found[0])

    def _is_wanted(self, tag: str) -> bool:
        found = describe(tag)
        return found is not None and (not self._label or found.label == self._label)

    def _points(self, run_id: int, tags: Iterable[str], *, buckets: int, which: int) -> dict[str, Point]:
        """Return the last or last but one of each tag's buckets."""
        points: dict[str, Point] = {}
        left = iter(tags)
        while some := list(islice(left, _KEYS_AT_ONCE)):
            query = {"kind": "system", "keys": some, "x": "_runtime", "buckets": buckets}
            for tag, series in self._server.get(f"runs/{run_id}/series/", query)["series"].items():
                if len(series["last"]) < -which:
                    continue
                at, value = series["timestamp"][which], series["last"][which]
                if isinstance(at, (int, float)) and isinstance(value, (int, float)):  # NaN comes as text
                    points[tag] = Point(at, value)
        return points


def watch(source: Source, *, interval_s: float, once: bool, as_json: bool) -> int:
    """Show a source until interrupted, or once.

    Raises:
        NoRun, Refused: the run is not there, or no longer.
        Unreachable: the server does not answer, at the first look; later ones are tried again.
    """
    console = Console()
    try:
        view = source.look()
        show = _printer(console, as_json=as_json)
        if once or as_json or not console.is_terminal:
            _follow(source, view, show, interval_s=interval_s, once=once)
            return 0
        with Live(console=console, screen=True, auto_refresh=False) as live:
            _follow(
                source,
                view,
                lambda view, note: live.update(frame(view, console.width, note), refresh=True),
                interval_s=interval_s,
                once=False,
            )
        return 0
    finally:
        source.close()


def _follow(
    source: Source, view: View, show: Callable[[View, str], None], *, interval_s: float, once: bool
) -> None:
    show(view, "")
    while not once:
        time.sleep(interval_s)
        try:
            view, note = source.look(), ""
        except Unreachable as error:
            view, note = view._replace(clock=view.clock and time.time()), str(error)
        show(view, note)


def _printer(console: Console, *, as_json: bool) -> Callable[[View, str], None]:
    def show(view: View, note: str) -> None:
        if as_json:
            console.file.write(json.dumps({**as_data(view), **({"note": note} if note else {})}) + "\n")
            console.file.flush()
        else:
            console.print(frame(view, console.width, note))

    return show


def _merged(rows: Iterable[Row]) -> dict[str, Point]:
    """Return the values of rows; the newest of a tag counts."""
    return {
        tag: Point(row["_runtime"], value)
        for row in rows
        for tag, value in row.items()
        if not tag.startswith("_")
    }
