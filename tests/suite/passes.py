"""Which tests a pass of the suite runs, and how much each of them does.

`make test` and `.ci/run` run what protects users in minutes; `make test-all` runs everything and may take hours. Marks
in the tests say what belongs to which pass (pyproject.toml describes them), so files can move freely.
"""

import os
import subprocess
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TypeVar

import pytest

ROOT = Path(__file__).resolve().parents[2]
Amount = TypeVar("Amount")
REAL_MARKS = ("browser", "sdk", "processes", "faults")
REAL_FIXTURES = {"server", "new_server"}
"""What tells that a test waits for other processes."""
STORED_MARKS = (*REAL_MARKS, "django_db")
STORED_FIXTURES = {*REAL_FIXTURES, "db", "transactional_db", "django_db_setup"}
"""What tells that a test asks a database or Redis."""
IN_THE_SECOND_PASS = ("browser", "dialect", "races")
FIFTHS = 5


class Pass(StrEnum):
    """What is run; the variable RUNYARD_TEST_PASS names it."""

    GATE = "gate"
    """All tests but the exhaustive ones, and those that drive a browser."""
    BROWSER = "browser"
    """The tests that drive a browser."""
    SECOND = "second"
    """On a second database: what asks it from the test's own process, unless it is `portable`; of what asks it through
    servers, the tests that drive a browser and those that are about what differs (`dialect`, `races`); and a fifth of
    the others."""
    ALL = "all"
    """All tests, each as thorough as it can be."""


CURRENT = Pass(os.environ.get("RUNYARD_TEST_PASS", Pass.GATE))


reduced: dict[str, str] = {}
"""What the tests of this process do less of than they can: "kills" to "2 of 100"."""


def amount(what: str, usual: Amount, thorough: Amount) -> Amount:
    """Return how much of something a test does; a pass that does less says so at its end."""
    if CURRENT is Pass.ALL:
        return thorough
    reduced[what] = f"{usual} of {thorough}"
    return usual


def share(what: str, cases: Sequence[Amount]) -> Sequence[Amount]:
    """Return the cases that a test tries: in the gate's second pass a fifth of them, chosen by the commit."""
    if CURRENT is not Pass.SECOND:
        return cases
    fifth = cases[current_fifth() :: FIFTHS]
    reduced[what] = f"{len(fifth)} of {len(cases)}"
    return fifth


@cache
def current_fifth() -> int:
    """Return the fifth (0 to 4) that a second database gets: RUNYARD_TEST_FIFTH, or one chosen by the commit."""
    given = os.environ.get("RUNYARD_TEST_FIFTH", "")
    return int(given) % FIFTHS if given else zlib.crc32(_commit().encode()) % FIFTHS


def _commit() -> str:
    """Return the hash of the commit that is checked out; empty where there is no git."""
    command = ["git", "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    except FileNotFoundError:
        return ""


def is_whole(config: pytest.Config) -> bool:
    """Whether this process gives all the pass's tests to workers of xdist."""
    everything = config.args_source is pytest.Config.ArgsSource.TESTPATHS and not config.option.collectonly
    return everything and bool(getattr(config.option, "tx", None)) and not hasattr(config, "workerinput")


def count_files(config: pytest.Config) -> int:
    """Return in how many files tests are looked for."""
    found: set[Path] = set()
    for argument in config.args:
        path = config.invocation_params.dir / argument.partition("::")[0]
        found.update(path.rglob("test_*.py") if path.is_dir() else [path])
    return len(found)


def is_real(item: pytest.Item) -> bool:
    """Whether a test waits for other processes."""
    return _has(item, REAL_MARKS, REAL_FIXTURES)


def is_stored(item: pytest.Item) -> bool:
    """Whether a test asks a database or Redis."""
    return _has(item, STORED_MARKS, STORED_FIXTURES)


def _has(item: pytest.Item, marks: Iterable[str], fixtures: Iterable[str]) -> bool:
    """Whether a test has one of the marks, or is given one of the fixtures, by others or by itself."""
    given = getattr(item, "fixturenames", ())
    return any(map(item.get_closest_marker, marks)) or any(name in given for name in fixtures)


def fifth_of(item: pytest.Item) -> int:
    """Return the fifth that a test belongs to; those of one file share expensive fixtures, so they stay together."""
    return zlib.crc32(item.nodeid.partition("::")[0].encode()) % FIFTHS


def why_left_out(item: pytest.Item) -> str:
    """Return why the current pass leaves a test out; empty where it does not."""
    exhaustive = item.get_closest_marker("exhaustive")
    if exhaustive and CURRENT is not Pass.ALL:
        return str(exhaustive.args[0])
    return WHY_NOT[CURRENT](item)


def _why_not_in_the_gate(item: pytest.Item) -> str:
    return "drive a browser: `make test-browser`" if item.get_closest_marker("browser") else ""


def _why_not_in_a_browser(item: pytest.Item) -> str:
    return "" if item.get_closest_marker("browser") else "drive no browser"


def _why_not_on_a_second_database(item: pytest.Item) -> str:
    if not is_stored(item):
        return "ask no database"
    if any(map(item.get_closest_marker, IN_THE_SECOND_PASS)):
        return ""
    if not is_real(item) and not item.get_closest_marker("portable"):
        return ""
    fifth = current_fifth()
    if fifth_of(item) == fifth:
        return ""
    return f"ask through servers or are portable, and not of fifth {fifth} (of 0 to 4)"


WHY_NOT: dict[Pass, Callable[[pytest.Item], str]] = {
    Pass.GATE: _why_not_in_the_gate,
    Pass.BROWSER: _why_not_in_a_browser,
    Pass.SECOND: _why_not_on_a_second_database,
    Pass.ALL: lambda _item: "",
}


def select(items: list[pytest.Item]) -> dict[str, int]:
    """Remove what the current pass leaves out; return how many tests, by reason."""
    reasons = [(item, why_left_out(item)) for item in items]
    items[:] = [item for item, reason in reasons if not reason]
    return dict(Counter(reason for _, reason in reasons if reason))


def describe(left: dict[str, int], reduced: dict[str, str]) -> list[str]:
    """Return the lines that say what a pass has left to `make test-all`."""
    lines = [
        f"  {count} {'test' if count == 1 else 'tests'}: {reason}" for reason, count in sorted(left.items())
    ]
    lines += [f"  {what}: {share}" for what, share in sorted(reduced.items())]
    if CURRENT is Pass.SECOND:
        lines.append(
            f"The same tests again: RUNYARD_TEST_PASS=second RUNYARD_TEST_FIFTH={current_fifth()} make test"
        )
    return ["Left to `make test-all`:", *lines] if lines else []
