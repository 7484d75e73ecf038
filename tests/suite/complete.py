"""The complete pass, `make test-all`: for a release, and after a large change. It takes hours.

It says which part it is at and how long it has taken. Cut off, it goes on where it was, as long as the tree is the
same: what has passed is kept in `.cache/test-all/`. `ARGS=--anew` forgets it; `ARGS="embedded kills"` runs some parts.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.suite.checkout import ROOT
from tests.suite.passes import DIALECT

STATE = ROOT / ".cache" / "test-all"
NO_TESTS_LEFT = 5
"""pytest's status when nothing is to be run: all has passed before."""
SERVERS = ".ci/servers"
"""Starts PostgreSQL and Redis where they do not answer, and prints the variables that name them."""
ALL = {"RUNYARD_TEST_PASS": "all", "RUNYARD_TEST_DIALECT": "1", "CI": "1"}
TOGETHER = ("-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder")


@dataclass(frozen=True)
class Part:
    """A part of the complete pass.

    Args:
        tests: pytest's arguments; empty for a part that is a command.
    """

    name: str
    what: str
    tests: Sequence[str] = ()
    command: Sequence[str] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    on_servers: bool = False


PARTS = [
    Part("lint", "style, layers, types, migrations", command=["make", "--no-print-directory", "lint"]),
    Part("clone", "an empty clone serves and takes a run", command=[sys.executable, "-m", "tests.suite.fresh_clone"]),
    Part("embedded", "all tests on the embedded default", [*TOGETHER, "-m", "not faults"], env=ALL),
    Part("kills", "a hundred kills of each process", ["-m", "faults"], env=ALL),
    Part(
        "servers", "all tests that ask a database, on PostgreSQL and Redis",
        [*TOGETHER, "-m", "not faults and not unstored"], env=ALL, on_servers=True,
    ),
    Part(
        "server-kills", "a hundred kills of each process, on PostgreSQL and Redis",
        ["-m", "faults and not unstored"], env=ALL, on_servers=True,
    ),
]  # fmt: skip


def tree_hash() -> str:
    """Return a hash of all that is in the working tree but ignored files, and the list that the pass itself records."""

    def git(*arguments: str) -> bytes:
        return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True).stdout

    found = hashlib.sha256(
        git("rev-parse", "HEAD") + git("diff", "HEAD", "--", ".", f":!{DIALECT.relative_to(ROOT)}")
    )
    for name in git("ls-files", "--others", "--exclude-standard", "-z").split(b"\0"):
        if name:
            found.update(name + (ROOT / name.decode()).read_bytes())
    return found.hexdigest()[:16]


def server_variables() -> dict[str, str]:
    """Return the variables that name PostgreSQL and Redis, which are started where they do not answer."""
    printed = subprocess.run([SERVERS], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    return dict(line.split("=", 1) for line in printed.splitlines())


def status_of(command: Sequence[str], env: Mapping[str, str]) -> int:
    """Run a command and return its status; Ctrl-C, which it hears too, lets it end what it has started."""
    process = subprocess.Popen(command, cwd=ROOT, env=env)
    try:
        return process.wait()
    except KeyboardInterrupt:
        process.wait()
        raise


def run_part(part: Part, folder: Path) -> bool:
    """Run what is left of a part; return whether all of it has passed."""
    env = os.environ | dict(part.env) | (server_variables() if part.on_servers else {})
    if not part.tests:
        return status_of(part.command, env) == 0
    journal, done = folder / f"{part.name}.passed", folder / f"{part.name}.done"
    journal.touch()
    shutil.copy(journal, done)
    env |= {"RUNYARD_TEST_JOURNAL": str(journal), "RUNYARD_TEST_DONE": str(done)}
    command = [sys.executable, "-m", "pytest", "-p", "tests.suite.journal", *part.tests]
    return status_of(command, env) in {0, NO_TESTS_LEFT}


def run_all(parts: Sequence[Part], folder: Path) -> list[str]:
    """Run the parts that have not passed yet; return the names of those that fail."""
    begin, failed = time.monotonic(), []
    for number, part in enumerate(parts, start=1):
        passed = folder / f"{part.name}.ok"
        minutes = (time.monotonic() - begin) / 60
        print(
            f"=== part {number} of {len(parts)}, {part.name}: {part.what} ({minutes:.0f} min so far)",
            flush=True,
        )
        if passed.exists():
            print("=== has passed before", flush=True)
        elif run_part(part, folder):
            passed.touch()
        else:
            failed.append(part.name)
            print(f"=== {part.name} FAILED", flush=True)
    return failed


def main() -> None:
    """Run what is asked for, and say what fails."""
    names = [part.name for part in PARTS]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*names, []], help="some parts only")
    parser.add_argument("--anew", action="store_true", help="forget what has passed")
    asked = parser.parse_args()
    folder = STATE / tree_hash()
    if asked.anew:
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        failed = run_all([part for part in PARTS if not asked.parts or part.name in asked.parts], folder)
    except KeyboardInterrupt:
        sys.exit("Cut off. `make test-all` goes on where it was.")
    if failed:
        sys.exit(f"Failed: {', '.join(failed)}. `make test-all` runs only what has not passed.")
    print("Everything passed.")


if __name__ == "__main__":
    main()
