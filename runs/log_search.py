"""Search in a console log of any length, on the server, in bounded steps."""

import re
import time
from dataclasses import dataclass

import re2
import zstandard

from common.errors import Invalid
from runs.console import read_line
from runs.models import LogBlock
from runs.secrets import mask_lines
from runs.selectors import log_lines_between
from runs.services.posts import LINES_PER_BLOCK

WINDOW = 10 * LINES_PER_BLOCK
STEP_S = 1.0
"""A request reads for about so long; the page asks again from where it ended."""
MOST_HITS = 100_000
MAX_NEEDLE = 500
_ESCAPES = re.compile(r"\x1b\[[0-9;:]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-_]")
_PLAIN = re.compile(rb"[ !#-\[\]-~]+")
"""ASCII that JSON writes as it is."""


def shown_text(text: str, *, raw: bool) -> str:
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
            raise Invalid(f"Search for 1 to {MAX_NEEDLE} characters.")
        options = re2.Options()
        options.case_sensitive, options.log_errors, options.literal = self.is_exact, False, not self.is_regex
        try:
            return re2.compile(self.text, options)
        except re2.error as error:
            raise Invalid(f"No regular expression: {error.args[0]!s}") from None

    def bytes_pattern(self) -> "re2._Regexp[bytes] | None":
        """Return a pattern that every stored block with a hit matches, where there is one."""
        needle = self.text.encode()
        if self.is_regex or not _PLAIN.fullmatch(needle):
            return None
        options = re2.Options()
        options.case_sensitive, options.log_errors = self.is_exact, False
        return re2.compile(rb"\\u001b|" + re2.escape(needle), options)


def _may_have(run_id: int, start: int, stop: int, pattern: "re2._Regexp[bytes]") -> bool:
    """Say whether any block of the lines could have a hit, without decoding its lines."""
    blocks = LogBlock.objects.filter(
        run_id=run_id, first_line__lt=stop, first_line__gt=start - LINES_PER_BLOCK
    )
    return any(
        pattern.search(zstandard.decompress(bytes(payload))) is not None
        for payload in blocks.values_list("payload", flat=True).iterator(chunk_size=64)
    )


def _hits(
    lines: list[str | None], needle: Needle, pattern: "re2._Regexp[str]", *, revealed: bool
) -> list[int]:
    texts = ["" if line is None else shown_text(read_line(line).text, raw=needle.raw) for line in lines]
    hits = [number for number, text in enumerate(texts) if text and pattern.search(text)]
    if not hits or revealed:
        return hits
    masked, count = mask_lines(lines)  # nobody finds out a secret by searching for it
    if not count:
        return hits
    again = [shown_text(read_line(masked[number] or "").text, raw=needle.raw) for number in hits]
    return [number for number, text in zip(hits, again, strict=True) if pattern.search(text)]


def search(run_id: int, needle: Needle, start: int, total: int, *, revealed: bool) -> tuple[list[int], int]:
    """Return (numbers of lines with a hit, line up to which was read), from ``start`` on for about STEP_S.

    Raises:
        Invalid: nothing to search for, or no regular expression.
    """
    pattern, quick = needle.pattern(), needle.bytes_pattern()
    until = time.monotonic() + STEP_S
    found: list[int] = []
    while start < total and len(found) < MOST_HITS and time.monotonic() < until:
        stop = min(total, start + WINDOW)
        if quick is None or _may_have(run_id, start, stop, quick):
            lines = log_lines_between(run_id, start, stop)
            found += [start + number for number in _hits(lines, needle, pattern, revealed=revealed)]
        start = stop
    return found, start
