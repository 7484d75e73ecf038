"""Suites that take turns in the gate, as `rotation.toml` lists them: a part with each commit.

A suite runs whole when its sources have changed within the last hours of work or git cannot tell, and a file when it
has changed itself. Compared with the last release everything would soon differ, and nothing would take turns. The
complete pass runs all of them.
"""

import os
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.suite.checkout import ROOT, git, turn

LIST = Path(__file__).with_name("rotation.toml")
RECENT_S = 12 * 3600
"""Commits that are older than the checkout's by less than this may not have passed the gate yet."""
NAMED_VARIABLE = "RUNYARD_TEST_NAMED"
"""Set where tests were named on the command line: these run out of turn, too."""


@dataclass(frozen=True)
class Suite:
    """Files of tests that take turns.

    Args:
        name: What the closing lines call it.
        tests: The folder of its files.
        turns: After how many commits each file has had a turn, on average.
        sources: What it is about, as patterns of git.
        always: Files that run with each commit.
    """

    name: str
    tests: str
    turns: int
    sources: tuple[str, ...]
    always: tuple[str, ...] = ()

    def files(self) -> list[str]:
        """Return those that take turns."""
        found = (path.relative_to(ROOT).as_posix() for path in (ROOT / self.tests).rglob("test_*.py"))
        return sorted(set(found) - set(self.always))


@cache
def suites() -> list[Suite]:
    """Return all that take turns."""
    return [_suite(name, given) for name, given in tomllib.loads(LIST.read_text()).items()]


def _suite(name: str, given: dict[str, Any]) -> Suite:
    lists = {key: tuple(value) for key, value in given.items() if isinstance(value, list)}
    return Suite(name, **{**given, **lists})


@cache
def base() -> str | None:
    """Return the newest commit that must have passed the gate; None where git cannot tell, as in a shallow clone."""
    at = git("log", "-1", "--format=%ct")
    return git("rev-list", "-1", "--first-parent", f"--before={int(at) - RECENT_S}", "HEAD") if at else None


@cache
def changed(*patterns: str) -> frozenset[str] | None:
    """Return the files that have changed since, new ones too; None where git cannot tell."""
    since = base()
    differ = git("diff", "--name-only", since, "--", *patterns) if since else None
    new = git("ls-files", "--others", "--exclude-standard", "--", *patterns)
    return None if differ is None or new is None else frozenset([*differ.splitlines(), *new.splitlines()])


def is_named() -> bool:
    """Whether tests were named on the command line."""
    return bool(os.environ.get(NAMED_VARIABLE))


@cache
def left_out_with(file: str) -> str:
    """Return the name of the suite with which a file is left out; "" where it runs."""
    suite = next((suite for suite in suites() if file in suite.files()), None)
    if suite is None or is_named():
        return ""
    sources, tests = changed(*suite.sources), changed(suite.tests)
    if sources is None or tests is None or sources or file in tests:
        return ""
    has_turn = suite.files().index(file) % suite.turns == turn(suite.name, suite.turns)
    return "" if has_turn else suite.name
