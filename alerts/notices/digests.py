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
        kept.append(NoticeLine(words=_more_words(lines[-more:]) % {"n": more}))
    return kept


def _more_words(left_out: Sequence[NoticeLine]) -> str:
    """Say what is left out; sweeps, where there are any, come first, so what is left out tells."""
    if "sweep_url" in left_out[0].variables:
        return ngettext("and %(n)d more", "and %(n)d more", len(left_out))
    if "artifact_url" in left_out[0].variables:
        return ngettext("and %(n)d more change", "and %(n)d more changes", len(left_out))
    return ngettext("and %(n)d more run", "and %(n)d more runs", len(left_out))


def plain(line: NoticeLine) -> str:
    """Write a line as text: what happened, where it is, and what was said of it below."""
    return "\n".join(filter(None, [f"{line.words} {line.url}".rstrip(), line.text]))
