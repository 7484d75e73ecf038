"""Where the suite's time goes: `make test-times` loads this plugin, then prints its report.

Each test is charged its wall time and the CPU time that its whole process tree took meanwhile, so a server of the
session is charged to whoever runs while it works. What ends unseen by its parent, as parts of a browser do, is lost.
"""

import json
import os
import resource
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.suite.budget import area_of

FOLDER_VARIABLE = "RUNYARD_TEST_TIMES"
"""Names the folder to which each process of the suite writes what it measured."""
TICK_S = 1 / os.sysconf("SC_CLK_TCK")
SLOWEST = 40
PLAIN_MARKS = {"parametrize", "usefixtures", "filterwarnings", "flaky", "skipif", "skip"}
"""Say nothing about what a test costs."""


@dataclass
class Span:
    """Something that took time.

    Args:
        kind: "test", "fixture" or "session".
        name: The node id, or the name and scope of the fixture.
    """

    kind: str
    name: str
    marks: list[str]
    wall_s: float = 0.0
    cpu_s: float = 0.0


def tree_cpu_s() -> float:
    """Return the CPU time of this process, its living descendants and those that were waited for, in seconds."""
    reaped = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + reaped.ru_utime + reaped.ru_stime + _living_descendants_s()


def _living_descendants_s() -> float:
    children: dict[int, list[int]] = defaultdict(list)
    ticks: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended meanwhile
            fields = stat.read_text().rpartition(")")[2].split()
            pid = int(stat.parent.name)
            children[int(fields[1])].append(pid)
            ticks[pid] = sum(map(int, fields[11:15]))  # utime, stime and those of its own reaped children
    total, waiting = 0, [os.getpid()]
    while waiting:
        for pid in children[waiting.pop()]:
            total += ticks[pid]
            waiting.append(pid)
    return total * TICK_S


class Recorder:
    """Measures the tests and fixtures of one process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._spans: list[Span] = []
        self._session = Span("session", os.environ.get("PYTEST_XDIST_WORKER", "main"), [])
        self._begin = (time.perf_counter(), tree_cpu_s())

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        marks = sorted({mark.name for mark in item.iter_markers()} - PLAIN_MARKS)
        begin, cpu_s = time.perf_counter(), tree_cpu_s()
        result = yield
        self._add("test", item.nodeid, marks, begin, max(tree_cpu_s() - cpu_s, 0.0))
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
        """Charge the wall time alone: there are twenty for each test, and a look at all processes takes 2 ms."""
        begin = time.perf_counter()
        result = yield
        self._add("fixture", f"{fixturedef.argname} ({fixturedef.scope})", [], begin, 0.0)
        return result

    def _add(self, kind: str, name: str, marks: list[str], begin: float, cpu_s: float) -> None:
        self._spans.append(Span(kind, name, marks, time.perf_counter() - begin, cpu_s))

    def pytest_sessionfinish(self) -> None:
        self._session.wall_s = time.perf_counter() - self._begin[0]
        self._session.cpu_s = tree_cpu_s() - self._begin[1]
        self._folder.mkdir(parents=True, exist_ok=True)
        lines = [json.dumps(asdict(span)) for span in [*self._spans, self._session]]
        (self._folder / f"{self._session.name}.jsonl").write_text("\n".join(lines))


def pytest_configure(config: pytest.Config) -> None:
    """Record, where the suite is asked to."""
    if folder := os.environ.get(FOLDER_VARIABLE):
        config.pluginmanager.register(Recorder(Path(folder)), "runyard-times")


def table(title: str, spans: Iterable[Span], keys: Callable[[Span], Iterable[str]], limit: int = 0) -> str:
    """Return a Markdown table of sums by key, most CPU time first."""
    sums: dict[str, list[float]] = defaultdict(lambda: [0, 0, 0])
    for span in spans:
        for key in keys(span):
            for place, value in enumerate((1, span.wall_s, span.cpu_s)):
                sums[key][place] += value
    rows = sorted(sums.items(), key=lambda row: (-row[1][2], -row[1][1]))[: limit or None]
    lines = [f"| {key} | {count:.0f} | {wall:.1f} | {cpu:.1f} |" for key, (count, wall, cpu) in rows]
    return "\n".join([f"| {title} | count | wall s | CPU s |", "|---|--:|--:|--:|", *lines])


def report(folder: Path) -> str:
    """Return what was measured, as Markdown."""
    lines = (line for file in sorted(folder.glob("*.jsonl")) for line in file.read_text().splitlines())
    spans = [Span(**json.loads(line)) for line in lines]
    tests = [span for span in spans if span.kind == "test"]
    tables = [
        table("process", (span for span in spans if span.kind == "session"), lambda span: [span.name]),
        table("area", tests, lambda span: [area_of(span.name)]),
        table("mark", tests, lambda span: span.marks or ["none"]),
        table(
            "fixture", (span for span in spans if span.kind == "fixture"), lambda span: [span.name], SLOWEST
        ),
        table("test", tests, lambda span: [span.name], SLOWEST),
    ]
    return "\n\n".join(tables)


if __name__ == "__main__":
    print(report(Path(sys.argv[1])))
