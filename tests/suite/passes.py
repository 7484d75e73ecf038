"""Which tests a pass of the suite runs, and how much each of them does.

`make test` and `.ci/run` run what protects users in minutes; `make test-all` runs everything and may take hours. Marks
in the tests say what belongs to which pass (pyproject.toml describes them), so files can move freely.
"""

import os
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TypeVar

import pytest

from tests.suite import rotation
from tests.suite.checkout import TURN_VARIABLE, turn, turn_name

Amount = TypeVar("Amount")
REAL_MARKS = ("browser", "sdk", "processes", "faults")
REAL_FIXTURES = {"server", "new_server"}
"""What tells that a test waits for other processes."""
STORED_MARKS = (*REAL_MARKS, "django_db")
STORED_FIXTURES = {*REAL_FIXTURES, "db", "transactional_db", "django_db_setup"}
"""What tells that a test asks a database or Redis."""
IN_THE_SECOND_PASS = ("browser", "dialect", "races")
FIFTHS = 5
DIALECT = Path(__file__).with_name("dialect.txt")


class Pass(StrEnum):
    """What is run; the variable RUNYARD_TEST_PASS names it."""

    GATE = "gate"
    """All tests but the exhaustive ones, and those that drive a browser."""
    BROWSER = "browser"
    """The tests that drive a browser."""
    SECOND = "second"
    """On a second database: the tests that drive a browser, those that are about what differs (`dialect`, or listed in
    dialect.txt) or happens at the same time (`races`, or with transactions that commit), and a fifth of the others.
    Tests that wait for other processes run in one of the gate's passes, by turns."""
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


def share(what: str, cases: Sequence[Amount], *, in_both: bool = False) -> Sequence[Amount]:
    """Return the cases that a test tries: in the gate's second pass, or ``in_both``, a fifth, chosen by the commit."""
    if CURRENT is not Pass.SECOND and not (in_both and CURRENT is Pass.GATE):
        return cases
    fifth = cases[current_fifth() :: FIFTHS]
    reduced[what] = f"{len(fifth)} of {len(cases)}"
    return fifth


def current_fifth() -> int:
    """Return the fifth (0 to 4) that a second database gets of what takes turns."""
    return turn("fifths", FIFTHS)


def is_whole(config: pytest.Config) -> bool:
    """Whether this process gives all the pass's tests to workers of xdist."""
    everything = config.args_source is pytest.Config.ArgsSource.TESTPATHS and not config.option.collectonly
    return everything and bool(getattr(config.option, "tx", None)) and not hasattr(config, "workerinput")


def files_of(config: pytest.Config) -> list[Path]:
    """Return the files in which tests are looked for."""
    found: set[Path] = set()
    for argument in config.args:
        path = config.invocation_params.dir / argument.partition("::")[0]
        found.update(path.rglob("test_*.py") if path.is_dir() else [path])
    return sorted(found)


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


def commits(item: pytest.Item) -> bool:
    """Whether a test's transactions end, as they have to where several happen at the same time."""
    mark = item.get_closest_marker("django_db")
    return bool(mark and mark.kwargs.get("transaction")) or "transactional_db" in getattr(
        item, "fixturenames", ()
    )


def can_differ(item: pytest.Item) -> bool:
    """Whether a test may pass on one database and fail on another, as far as is known."""
    marked = any(map(item.get_closest_marker, IN_THE_SECOND_PASS))
    return marked or commits(item) or function_of(item) in listed()


def changes_places(item: pytest.Item) -> bool:
    """Whether a test runs in one of the gate's passes alone: it waits for other processes, so it takes long.

    One that is skipped on a database runs on the other.
    """
    apart = item.get_closest_marker("browser") or item.get_closest_marker("skipif")
    return is_real(item) and not apart and not rotation.is_named()


def is_on_second(item: pytest.Item) -> bool:
    """Whether a test that changes places runs on the second database with this commit: if it can differ there, every
    other commit; else when its fifth has a turn.
    """
    if can_differ(item):
        return zlib.crc32(file_of(item).encode()) % 2 == turn("servers", 2)
    return fifth_of(item) == current_fifth()


def is_in_turn(item: pytest.Item) -> bool:
    """Whether a test that takes turns by itself (`turns`) runs with this commit."""
    return zlib.crc32(function_of(item).encode()) % FIFTHS == turn("tests", FIFTHS)


def file_of(item: pytest.Item) -> str:
    """Return the path of a test's file."""
    return item.nodeid.partition("::")[0]


def function_of(item: pytest.Item) -> str:
    """Return the name of a test without its case."""
    return item.nodeid.partition("[")[0]


@cache
def listed() -> frozenset[str]:
    """Return the tests, without their cases, that reach what databases do differently (`tests.suite.dialect`)."""
    return frozenset(DIALECT.read_text().splitlines())


def fifth_of(item: pytest.Item) -> int:
    """Return the fifth that a test belongs to; those of one file share expensive fixtures, so they stay together."""
    return zlib.crc32(file_of(item).encode()) % FIFTHS


def why_left_out(item: pytest.Item) -> str:
    """Return why the current pass leaves a test out; empty where it does not."""
    exhaustive = item.get_closest_marker("exhaustive")
    if exhaustive and CURRENT is not Pass.ALL:
        return str(exhaustive.args[0])
    if CURRENT in {Pass.GATE, Pass.SECOND} and not rotation.is_named():
        if suite := rotation.left_out_with(file_of(item)):
            return f"of the {suite}, whose sources have not changed lately, and not of this commit's turn"
        if item.get_closest_marker("turns") and not is_in_turn(item):
            return "take turns, one in five with each commit"
    return WHY_NOT[CURRENT](item)


def _why_not_in_the_gate(item: pytest.Item) -> str:
    if item.get_closest_marker("browser"):
        return "drive a browser: `make test-browser`"
    if changes_places(item) and is_on_second(item):
        return "wait for other processes, and run on the second database with this commit"
    return ""


def _why_not_in_a_browser(item: pytest.Item) -> str:
    return "" if item.get_closest_marker("browser") else "drive no browser"


def _why_not_on_a_second_database(item: pytest.Item) -> str:
    if not is_stored(item):
        return "ask no database"
    if changes_places(item):
        return "" if is_on_second(item) else "wait for other processes, and run on the first database"
    if can_differ(item):
        return ""
    fifth = current_fifth()
    if fifth_of(item) == fifth:
        return ""
    return f"do not depend on the database, and not of fifth {fifth} (of 0 to 4)"


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
    if lines and CURRENT is not Pass.ALL:
        lines.append(
            f"The same tests again: RUNYARD_TEST_PASS={CURRENT} {TURN_VARIABLE}={turn_name()} make test"
        )
    return ["Left to `make test-all`:", *lines] if lines else []
