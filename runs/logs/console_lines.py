"""Console lines as the SDK writes them: ``[ERROR ]2026-11-21T07:20:26.038634 text``."""

import re
from dataclasses import dataclass

_LINE = re.compile(
    r"(ERROR )?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?)(?:Z|[+-]\d\d:\d\d)? ?(.*)", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class ConsoleLine:
    """One line taken apart."""

    at: str | None
    """ISO 8601, UTC, without zone; None when the line carries no time."""
    level: str | None
    """"error" for stderr."""
    text: str


def read_line(raw: str) -> ConsoleLine:
    """Take a raw line apart; one in another form is all text. The line's end, which 0.16 to 0.22 send, is no text."""
    raw = raw.removesuffix("\n").removesuffix("\r")
    match = _LINE.fullmatch(raw)
    if match is None:
        return ConsoleLine(None, None, raw)
    return ConsoleLine(match[2], "error" if match[1] else None, match[3])
