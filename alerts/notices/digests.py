"""How much of a digest is shown where: whole runs, and how many more there are (ALR-5)."""

from collections.abc import Sequence
from dataclasses import replace

from django.utils.translation import ngettext

from alerts.notices.notice import NoticeLine

MOST_LINES = 20
MAX_LINE_TEXT = 300
"""Characters of what the alerts of one run say, where many runs are listed."""
_ROOM_FOR_MORE = 60
"""Bytes of *and 180 more runs* or *changes*, in any language."""


def shortened(text: str, most: int) -> str:
    """Return a text of that many characters at most."""
    return text if len(text) <= most else text[: most - 1] + "…"


def shown(lines: Sequence[NoticeLine], most_bytes: int = 1_000_000) -> list[NoticeLine]:
    """Return as many lines as fit, each text in one line, and one that says how many are left out."""
    kept: list[NoticeLine] = []
    room = most_bytes - _ROOM_FOR_MORE
    for line in lines[:MOST_LINES]:
        short = replace(line, text=shortened(" ".join(line.text.split()), MAX_LINE_TEXT))
        room -= len(plain(short).encode(errors="replace")) + 1
        if room < 0:
            break
        kept.append(short)
    if more := len(lines) - len(kept):
        words = (
            ngettext("and %(n)d more change", "and %(n)d more changes", more)
            if "artifact_url" in lines[0].variables
            else ngettext("and %(n)d more run", "and %(n)d more runs", more)
        ) % {"n": more}
        kept.append(NoticeLine(words=words))
    return kept


def plain(line: NoticeLine) -> str:
    """Write a line as text: what happened, where it is, and what was said of it below."""
    return "\n".join(filter(None, [f"{line.words} {line.url}".rstrip(), line.text]))
