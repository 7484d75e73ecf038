"""A second try of a test that failed, in CI, which others' work slows at will; `tests.plugin` calls this.

The summary names each test that needed one, and each is a fault to mend at its cause.
"""

import os
from typing import TYPE_CHECKING, cast

import pytest

from tests.suite.passes import CURRENT, Pass, file_of

if TYPE_CHECKING:
    from _pytest.fixtures import SubRequest

SERVER = "server"
"""The fixture of the session's installation."""


def mark(item: pytest.Item) -> pytest.MarkDecorator:
    """Return the mark by which a failed test is run once more.

    What kills at random and finds something wrong must not pass the second time, so there only a limit of time is
    forgiven.
    """
    if item.get_closest_marker("faults"):
        return pytest.mark.flaky(reruns=1, only_rerun=["TimeoutError", "TimeoutExpired"])
    return pytest.mark.flaky(reruns=1)


def renew_server(item: pytest.Item) -> None:
    """End the installations before a second try, which starts others: names are taken on the first ones.

    They are the session's, and those that fixtures of the test's own file keep for several tests.
    """
    if getattr(item, "execution_count", 1) == 1:
        return
    assert isinstance(item, pytest.Function)
    request = cast("SubRequest", item._request)  # asked for its node alone
    for name, fixtures in item._fixtureinfo.name2fixturedefs.items():
        for fixture in fixtures:
            if name == SERVER or fixture.baseid == file_of(item):
                fixture.finish(request)  # with all that asks it


class AtOnce:
    """Prints each failure at once, first tries included, since a pass that is cut off prints no summary."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Print the report of a phase that failed."""
        if report.outcome in {"passed", "skipped"}:
            return
        reporter: pytest.TerminalReporter | None = self._config.pluginmanager.get_plugin("terminalreporter")
        assert reporter is not None
        reporter.ensure_newline()
        reporter.write_line(f"=== {report.nodeid} ({report.when}, {report.outcome})\n{report.longreprtext}")


def register(config: pytest.Config) -> None:
    """Print failures at once in the passes that take long, in the process that hears of all tests."""
    is_long = bool(os.environ.get("CI")) or CURRENT is Pass.ALL
    if is_long and not hasattr(config, "workerinput"):
        config.pluginmanager.register(AtOnce(config), "runyard-failures")
