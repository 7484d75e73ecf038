"""The lines of the table that ends a test run, and the jobs whose outcome they look at.

A module of tests names its jobs in `JOBS`. They run a few at a time as soon as its first test asks; only those that the
chosen tests need.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests import sdks
from tests.installation import Installation
from tests.sdk.lab import Lab
from tests.sdk.people import Person
from tests.sdk.table import parts

AT_ONCE = 4
"""Scripts that run at the same time: they mostly wait, and the SDK's slowest steps are imports."""

Told = dict[str, Any]
Job = Callable[[Lab], Told]


@dataclass(frozen=True)
class Line:
    """One line of the table, in one release's column."""

    number: int
    title: str
    job: str
    since: str
    before: str
    version: str


@dataclass(frozen=True)
class Ran:
    """What a job told, and where to look."""

    lab: Lab
    told: Told


_titles: list[str] = []


def scenario(title: str, job: str, *, since: str = "0", before: str = "1") -> Callable[[Any], Any]:
    """Make a test a line of the table.

    Args:
        since: The first release that has what it is about.
        before: The first that has it no longer.
    """
    number = len(_titles)
    _titles.append(title)
    lines = [
        pytest.param(Line(number, title, job, since, before, version), id=version)
        for version in sdks.of_scenarios()
    ]
    return pytest.mark.parametrize("ran", lines, indirect=True)


class Jobs:
    """Runs each job once for all the tests that look at it, and once more for a test that is tried again."""

    def __init__(
        self,
        named: Mapping[str, Job],
        pool: ThreadPoolExecutor,
        server: Installation,
        ada: Person,
        new_folder: Callable[[str], Path],
    ) -> None:
        self._named, self._pool = named, pool
        self._server, self._ada, self._new_folder = server, ada, new_folder
        self._started: dict[tuple[str, str], list[Future[Ran]]] = defaultdict(list)
        self._failed: set[tuple[str, str]] = set()

    def start(self, job: str, version: str) -> None:
        """Start a job in a folder and a project of its own."""
        attempts, folder = self._started[job, version], self._new_folder(job)
        attempts.append(self._pool.submit(self._do, job, version, folder, len(attempts) + 1))

    def _do(self, job: str, version: str, folder: Path, attempt: int) -> Ran:
        lab = Lab(version, sdks.python_of(version), self._server, self._ada, folder, job, attempt)
        return Ran(lab, self._named[job](lab))

    def result(self, job: str, version: str) -> Ran:
        """Wait for what a job has told."""
        key = (job, version)
        if key in self._failed:
            self._failed.remove(key)
            self.start(job, version)
        try:
            return self._started[key][-1].result()
        except BaseException:
            self._failed.add(key)
            raise


def lacks(line: Line) -> bool:
    """Whether the release knows nothing of what the line is about."""
    return not parts(line.since) <= parts(line.version) < parts(line.before)


def only(script: str, **variables: str) -> Job:
    """Run one script."""
    return lambda lab: {"out": lab.script(script, **variables)}
