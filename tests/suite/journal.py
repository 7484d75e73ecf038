"""Lets a pass go on where it was cut off: `tests.suite.complete` loads this plugin.

Each test that has passed is written down at once; those of the list that the pass begins with are not run again.
"""

import os
from pathlib import Path

import pytest

JOURNAL_VARIABLE = "RUNYARD_TEST_JOURNAL"
"""Names the file to which the tests that have passed are added."""
DONE_VARIABLE = "RUNYARD_TEST_DONE"
"""Names a copy of it from before this pass, since all workers of xdist must choose the same."""


class Journal:
    """Writes down what has passed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._failed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a test after its last phase, unless one of its phases failed."""
        if report.outcome not in {"passed", "skipped"}:
            self._failed.add(report.nodeid)
        elif report.when == "teardown" and report.nodeid not in self._failed:
            with self._path.open("a") as file:
                file.write(f"{report.nodeid}\n")
        if report.when == "teardown":
            self._failed.discard(report.nodeid)  # a second try may pass


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Write, in the process that hears of all tests."""
    path = os.environ.get(JOURNAL_VARIABLE)
    if path and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Journal(Path(path)), "runyard-journal")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what has passed before."""
    done = set(Path(os.environ[DONE_VARIABLE]).read_text().splitlines())
    left_out = [item for item in items if item.nodeid in done]
    items[:] = [item for item in items if item.nodeid not in done]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
