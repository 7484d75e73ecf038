"""What Slack shows of a notice: blocks, within Slack's limits, and text for where blocks are not shown."""

import re
from typing import Any

from django.utils.translation import gettext as _

from alerts.notices.digests import shortened, shown
from alerts.notices.notice import Notice, NoticeLine

MAX_TEXT = 3000
"""Of a section."""
MAX_HEADER = 150
MAX_FIELDS = 10
"""Of a section."""
MAX_FIELD = 2000
MAX_BLOCKS = 50
MAX_URL = 3000
_MOST_SECTIONS = 40
"""Of each kind: what Slack takes of blocks, less the others."""
_SIGNS = {"INFO": ":large_blue_circle:", "WARN": ":warning:", "ERROR": ":red_circle:"}
_COLORS = {"INFO": "#2563eb", "WARN": "#d97706", "ERROR": "#dc2626"}
_MENTION = re.compile(r"(?P<user>[UW][A-Z0-9]{2,})|(?P<group>S[A-Z0-9]{2,})|(?P<all>here|channel|everyone)")


def escaped(text: str) -> str:
    """Write what Slack would read as links, mentions and commands."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def mention_of(mention: str) -> str:
    """Return how a message names somebody; "" for what is no id of Slack."""
    found = _MENTION.fullmatch(mention)
    if found is None:
        return ""
    if found["user"]:
        return f"<@{mention}>"
    return f"<!subteam^{mention}>" if found["group"] else f"<!{mention}>"


def message_of(notice: Notice, *, mention: str = "") -> dict[str, Any]:
    """Return the arguments of Slack's client: text for notifications, and an attachment for its colored edge."""
    sign = _SIGNS.get(notice.level, _SIGNS["INFO"])
    title = f"{sign} {_link(shortened(notice.title, MAX_HEADER), notice.url, bold=True)}"
    mentioned = mention_of(mention)
    blocks = [
        _section(f"{mentioned} {title}" if mentioned else title),
        *map(_section, _chunks(escaped(notice.text))[:3]),
        *_fields(notice.fields),
        *_lines(notice.lines),
        *_end(notice),
    ]
    color = _COLORS.get(notice.level, _COLORS["INFO"])
    text = " ".join(filter(None, [mentioned, escaped(shortened(notice.title, MAX_HEADER))]))
    return {"attachments": [{"color": color, "fallback": text, "blocks": blocks[:MAX_BLOCKS]}], "text": text}


def _link(text: str, url: str, *, bold: bool = False) -> str:
    shown = escaped(text).replace("\n", " ")
    shown = shown.replace("|", "¦") if url else shown  # what separates an address from its words
    shown = f"<{_address(url)}|{shown}>" if url and len(url) < MAX_URL // 2 else shown
    return f"*{shown}*" if bold else shown


def _address(url: str) -> str:
    return escaped(url).replace("|", "%7C")


def _section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def _chunks(text: str) -> list[str]:
    """Cut a text into parts that Slack takes, at ends of lines where there are some."""
    parts: list[str] = []
    while text.strip():
        cut = len(text) if len(text) <= MAX_TEXT else text.rfind("\n", 0, MAX_TEXT) + 1 or _whole_sign(text)
        parts.append(text[:cut])
        text = text[cut:]
    return parts


def _whole_sign(text: str) -> int:
    """Return where to cut so that no `&amp;` is broken."""
    start = text.rfind("&", MAX_TEXT - 5, MAX_TEXT)
    return start if start > 0 and ";" not in text[start:MAX_TEXT] else MAX_TEXT


def _fields(fields: tuple[tuple[str, str], ...]) -> list[dict[str, Any]]:
    shown = [
        {
            "type": "mrkdwn",
            "text": f"*{escaped(shortened(label, 200))}*\n{escaped(shortened(value, 300))}"[:MAX_FIELD],
        }
        for label, value in fields
        if value
    ]
    starts = range(0, min(len(shown), 2 * MAX_FIELDS), MAX_FIELDS)
    return [{"type": "section", "fields": shown[start : start + MAX_FIELDS]} for start in starts]


def _lines(lines: tuple[NoticeLine, ...]) -> list[dict[str, Any]]:
    """Gather lines into sections, a line in one piece: half an address leads nowhere."""
    sections: list[str] = []
    for line in shown(lines):
        text = f"• {_link(shortened(line.words, 300), line.url)}"
        body = f"\n{escaped(line.text)}" if line.text else ""
        text += body if len(text) + len(body) <= MAX_TEXT else ""
        if sections and len(sections[-1]) + len(text) < MAX_TEXT:
            sections[-1] += f"\n{text}"
        else:
            sections.append(text)
    return [_section(text) for text in sections[:_MOST_SECTIONS]]


def _end(notice: Notice) -> list[dict[str, Any]]:
    notes = ["Runyard"]
    if notice.is_repeat:
        notes.append(_("Possibly a duplicate: the response to an earlier attempt was lost."))
    return [{"type": "context", "elements": [{"type": "mrkdwn", "text": escaped(" · ".join(notes))}]}]
