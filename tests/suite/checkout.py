"""The checkout that the suite tries."""

import os
import subprocess
import zlib
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RELEASED = "6194982d58241ea955e542d56c5065f71b709a0a"
"""The commit of the last release, 0.1.0."""


TURN_VARIABLE = "RUNYARD_TEST_TURN"
"""Chooses what takes turns in place of the commit: a number, or the commit of a pass that is to be repeated."""


def git(*arguments: str) -> str | None:
    """Return what git prints, without the end of the last line; None where it fails or is not installed."""
    try:
        ran = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return ran.stdout.rstrip("\n") if ran.returncode == 0 else None


@cache
def turn_name() -> str:
    """Return what chooses the turns: the variable's value, or the commit."""
    return os.environ.get(TURN_VARIABLE) or (git("rev-parse", "--short=12", "HEAD") or "0")


def turn(what: str, of: int) -> int:
    """Return whose turn it is, from 0 to ``of`` - 1; it differs from commit to commit, and for each ``what``."""
    name = turn_name()
    return (int(name) if name.isdecimal() else zlib.crc32(f"{what} {name}".encode())) % of
