"""A finding: what was looked at, how it is, and what to do."""

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """How a part is."""

    FINE = "fine"
    WARNING = "warning"
    """It works, but something should be mended."""
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Finding:
    """What the doctor says of one part."""

    part: str
    state: State
    text: str
    advice: str = ""
    """How to mend it; empty where it is fine."""


def fine(part: str, text: str) -> Finding:
    """Return that a part is fine."""
    return Finding(part, State.FINE, text)


def warning(part: str, text: str, advice: str) -> Finding:
    """Return that something of a part should be mended."""
    return Finding(part, State.WARNING, text, advice)


def broken(part: str, text: str, advice: str) -> Finding:
    """Return that a part does not work."""
    return Finding(part, State.BROKEN, text, advice)
