"""Search in a console log of any length, on the server, in bounded steps."""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass

import re2
import zstandard
from django.utils.translation import gettext as _

from common.errors import Invalid
from runs.logs.blocks import LINES_PER_BLOCK, log_lines_between
from runs.logs.console_lines import read_line
from runs.models import LogBlock
from runs.secrets.masking import mask_lines

WINDOW = 10 * LINES_PER_BLOCK
STEP_S = 1.0
"""A request reads for about so long; the page asks again from where it ended."""
MOST_HITS = 100_000
MAX_NEEDLE = 500
_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*(?:[@-~]|\Z)|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\|\Z)|\x1b(?:[ -/]*[0-~]|\Z)"
)
"""As `assets/ts/logs/ansi.ts` reads them: control sequences, commands to the terminal, and all others; also cut off."""
_PLAIN = re.compile(rb"[ !#-\[\]-~]+")
"""ASCII that JSON writes as it is."""
_ESCAPES_IN_JSON = rb"(?:\\u001b(?:\[[0-?]*[ -/]*[@-~]|[ -/]*[0-Z^-~]))*"


def displayed_text(text: str, *, raw: bool) -> str:
    """Return a line as the log window shows it: without escapes, and unless ``raw`` what the last return left."""
    if not raw:
        text = text[text.rfind("\r", 0, max(0, len(text) - 1)) + 1 :]
    return _ESCAPES.sub("", text) if "\x1b" in text else text


@dataclass(frozen=True, slots=True)
class Needle:
    """What is looked for."""

    text: str
    is_regex: bool = False
    is_exact: bool = False
    """Whether capitals count."""
    raw: bool = False

    def pattern(self) -> "re2._Regexp[str]":
        """Return it as a pattern of RE2, whose time is linear.

        Raises:
            Invalid: no regular expression.
        """
        if not self.text or len(self.text) > MAX_NEEDLE:
            raise Invalid(_("Enter 1 to %(most)s characters.") % {"most": MAX_NEEDLE})
        options = re2.Options()
        options.case_sensitive, options.log_errors, options.literal = self.is_exact, False, not self.is_regex
        try:
            return re2.compile(self.text, options)
        except re2.error as error:
            raise Invalid(_("Invalid regular expression: %(reason)s") % {"reason": error.args[0]}) from None

    def bytes_pattern(self) -> "re2._Regexp[bytes] | None":
        """Return a pattern that every stored block with a hit matches, where there is one.

        Between any two characters there may be escapes, as JSON writes them. (100 MB in 1 s instead of 7 s.)
        """
        needle = self.text.encode()
        if self.is_regex or not _PLAIN.fullmatch(needle):
            return None
        options = re2.Options()
        options.case_sensitive, options.log_errors = self.is_exact, False
        return re2.compile(_ESCAPES_IN_JSON.join(re2.escape(bytes([code])) for code in needle), options)


def _candidates(
    run_id: int, start: int, stop: int, pattern: "re2._Regexp[bytes] | None"
) -> list[tuple[int, int]]:
    """Return (first line, line after the last) of what may have hits: all of it without a pattern."""
    if pattern is None:
        return [(start, stop)]
    blocks = LogBlock.objects.filter(
        run_id=run_id, first_line__lt=stop, first_line__gt=start - LINES_PER_BLOCK
    )
    found: list[tuple[int, int]] = []
    rows = blocks.order_by("first_line").values_list("first_line", "line_count", "payload")
    for first, count, payload in rows.iterator(chunk_size=64):
        if pattern.search(zstandard.decompress(bytes(payload))) is None:
            continue
        begin, end = max(first, start), min(first + count, stop)
        if found and begin <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        elif begin < end:
            found.append((begin, end))
    return found


def _promising(line: str, needle: Needle) -> bool:
    """Say, cheaply, whether a line could be a hit."""
    if needle.is_regex or not needle.text.isascii():
        return True
    if "\x1b" in line:
        line = _ESCAPES.sub("", line)
    return needle.text in line if needle.is_exact else needle.text.lower() in line.lower()


def _is_hit(line: str | None, needle: Needle, pattern: "re2._Regexp[str]") -> bool:
    if line is None or not _promising(line, needle):
        return False
    return pattern.search(displayed_text(read_line(line).text, raw=needle.raw)) is not None


def _hits(
    lines: list[str | None], needle: Needle, pattern: "re2._Regexp[str]", *, revealed: bool
) -> list[tuple[int, str]]:
    """Return the number and the line, as it may be shown, of each hit."""
    hits = [number for number, line in enumerate(lines) if _is_hit(line, needle, pattern)]
    if hits and not revealed:
        lines, count = mask_lines(lines)  # nobody finds out a secret by searching for it
        hits = [number for number in hits if _is_hit(lines[number], needle, pattern)] if count else hits
    return [(number, lines[number] or "") for number in hits]


def _windows(
    run_id: int, needle: Needle, start: int, total: int, *, revealed: bool
) -> Iterator[tuple[int, list[tuple[int, str]]]]:
    """Yield (line up to which was read, hits in it) of window after window of a log."""
    pattern, quick = needle.pattern(), needle.bytes_pattern()
    while start < total:
        stop = min(total, start + WINDOW)
        found: list[tuple[int, str]] = []
        for first, end in _candidates(run_id, start, stop, quick):
            hits = _hits(log_lines_between(run_id, first, end), needle, pattern, revealed=revealed)
            found += [(first + number, line) for number, line in hits]
        start = stop
        yield start, found


@dataclass(frozen=True, slots=True)
class LogMatch:
    """A line with a hit, as it is shown."""

    number: int
    """From 0."""
    text: str


def first_matches(
    run_id: int, needle: Needle, start: int, total: int, *, most: int, until: float
) -> tuple[list[LogMatch], int]:
    """Return (the first lines with a hit, line up to which was read), secrets masked.

    Reads windows from ``start`` on, at least one, until there are ``most`` lines or the clock (monotonic, seconds) says
    ``until``.
    """
    found: list[tuple[int, str]] = []
    read_to = start
    for end, hits in _windows(run_id, needle, start, total, revealed=False):
        found += hits
        read_to = found[most][0] if len(found) > most else end
        if len(found) > most or time.monotonic() > until:
            break
    lines = [
        LogMatch(number, displayed_text(read_line(line).text, raw=needle.raw))
        for number, line in found[:most]
    ]
    return lines, read_to


def search(run_id: int, needle: Needle, start: int, total: int, *, revealed: bool) -> tuple[list[int], int]:
    """Return (numbers of lines with a hit, line up to which was read), from ``start`` on for about STEP_S.

    Raises:
        Invalid: nothing to search for, or no regular expression.
    """
    needle.pattern()
    until = time.monotonic() + STEP_S
    found: list[int] = []
    read_to = start
    for read_to, hits in _windows(run_id, needle, start, total, revealed=revealed):  # noqa: B007 - the last is told
        found += [number for number, _line in hits]
        if len(found) >= MOST_HITS or time.monotonic() >= until:
            break
    return found, read_to
