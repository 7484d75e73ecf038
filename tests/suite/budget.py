"""What each area of the suite takes in a pass of the gate, and what it may take.

Seconds are those of tests with their fixtures, summed over the workers, on a machine as `budget.toml` names it. An area
that exceeds its budget by half is named in the closing lines: remove something from it before you add to it. Machines
differ by a factor of four, so where all areas together exceed their budgets, each is allowed as many times its own.
"""

import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import pytest

from tests.suite.checkout import ROOT
from tests.suite.passes import CURRENT, Pass, is_whole

LIST = Path(__file__).with_name("budget.toml")
OVER = 1.5
"""An area that exceeds its budget by this factor is named."""


def area_of(test: str) -> str:
    """Return the app of a test; below tests/ its folder, or "tests" for a file that is in none."""
    parts = test.partition("::")[0].split("/")
    return "/".join(parts[:2]) if parts[0] == "tests" and len(parts) > 2 else parts[0]


def areas() -> set[str]:
    """Return all areas that there are."""
    files = [
        *ROOT.glob("*/tests/**/test_*.py"),
        *ROOT.glob("tests/**/test_*.py"),
        *ROOT.glob("assets/ts/**/*.test.ts"),
    ]
    return {area_of(path.relative_to(ROOT).as_posix()) for path in files}


@cache
def budgets(current: Pass) -> Mapping[str, float]:
    """Return the seconds of each area in a pass; none where it has no budget."""
    listed: dict[str, dict[str, float]] = tomllib.loads(LIST.read_text())
    return listed.get(current, {})


class Spent:
    """Adds up what the areas take."""

    def __init__(self) -> None:
        self._tests: dict[str, set[str]] = defaultdict(set)
        self._seconds: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        area = area_of(report.nodeid)
        self._tests[area].add(report.nodeid)
        self._seconds[area] += report.duration

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for line in describe(
            {area: (len(tests), self._seconds[area]) for area, tests in self._tests.items()}
        ):
            terminalreporter.write_line(line)


def describe(spent: Mapping[str, tuple[int, float]]) -> Iterable[str]:
    """Yield a table of tests and seconds by area, most first, and a line that names areas over their budget."""
    budget = budgets(CURRENT)
    yield f"{'Area':<20}{'tests':>7}{'s':>8}{'budget':>8}"
    for area, (count, seconds) in sorted(spent.items(), key=lambda entry: -entry[1][1]):
        yield f"{area:<20}{count:>7}{seconds:>8.0f}{budget.get(area, 0):>8.0f}"
    total = sum(seconds for _, seconds in spent.values())
    yield f"{'all':<20}{sum(count for count, _ in spent.values()):>7}{total:>8.0f}{sum(budget.values()):>8.0f}"
    slower = max(1.0, total / sum(budget.values()))
    if slower > 1:
        yield f"All areas take {slower:.1f} times their budgets: a slower machine, or more work."
    limits = {area: OVER * slower * budget.get(area, 0) for area in spent}
    if over := [area for area, (_, seconds) in sorted(spent.items()) if seconds > limits[area]]:
        yield f"More than half over the budget (tests/suite/budget.toml): {', '.join(over)}"


def register(config: pytest.Config) -> None:
    """Add up, in the process that hears of all tests of a pass that has a budget."""
    if budgets(CURRENT) and is_whole(config):
        config.pluginmanager.register(Spent(), "runyard-budget")
