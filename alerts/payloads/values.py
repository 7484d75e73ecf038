"""What payloads of webhooks say of a notice, within what each of the services of `alerts.payloads.presets` takes.

Source: their documentation. Of a message ntfy takes 4096 bytes, Teams 28 KB, Feishu 20 KB, PagerDuty 512 KB and 1024
characters of summary; Discord 256 characters of title, 4096 of description, 25 fields of 256 and 1024, 6000 in all.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from django.conf import settings

from alerts.notices.digests import plain, shortened, shown
from alerts.notices.notice import Notice, NoticeLine

MAX_TITLE, MAX_FIELDS = 250, 20
MAX_TEXT_BYTES = 3500
MAX_FIELD_NAME, MAX_FIELD_VALUE, MAX_ALL_FIELDS = 100, 500, 2000
"""Characters; all fields together."""
MAX_RUNS_BYTES = 32 * 1024
"""Of `${runs}`: half of what a payload may have."""
MAX_RUN_TEXT, MAX_TEXT_OF_MANY = 4000, 500
"""Characters of what one run's alerts say in it: where it is the only one, and where it is one of many."""
_MARKDOWN = re.compile(r"([\\\[\]()*_`~])")
_LOOKS: dict[str, dict[str, Any]] = {
    "INFO": {
        "severity": "info", "priority": 3, "color": "#2563eb", "color_name": "blue", "card_style": "accent",
    },
    "WARN": {
        "severity": "warning", "priority": 4, "color": "#d97706", "color_name": "orange",
        "card_style": "warning",
    },
    "ERROR": {
        "severity": "error", "priority": 5, "color": "#dc2626", "color_name": "red", "card_style": "attention",
    },
}  # fmt: skip


def values_of_notice(notice: Notice) -> dict[str, Any]:
    """Return the values of the variables of `alerts.payloads.templating`."""
    looks = _LOOKS.get(notice.level, _LOOKS["INFO"])
    fields = list(_fields(notice))
    facts = [{"title": label, "value": value} for label, value in fields]
    return {
        **notice.variables,
        **looks,
        "color_number": int(looks["color"][1:], 16),
        "title": shortened(notice.title, MAX_TITLE),
        "text": _text(notice),
        "body": _text(notice, [f"{label}: {value}" for label, value in fields]),
        "level": notice.level,
        "url": notice.url or settings.BASE_URL,
        "delivery": notice.uid,
        "runs": _runs(notice),
        "run_count": len(_run_lines(notice)),
        "fields": dict(fields),
        "facts": facts,
        "embed_fields": [{"name": label, "value": value, "inline": True} for label, value in fields],
        "card_items": _card_items(notice, facts),
    }


def _fields(notice: Notice) -> Iterator[tuple[str, str]]:
    """Yield label and value as far as they fit."""
    free = MAX_ALL_FIELDS
    for label, value in [field for field in notice.fields if all(field)][:MAX_FIELDS]:
        name, shown_value = shortened(label, MAX_FIELD_NAME), shortened(value, MAX_FIELD_VALUE)
        free -= len(name) + len(shown_value)
        if free < 0:
            return
        yield name, shown_value


def _text(notice: Notice, more: Sequence[str] = ()) -> str:
    """Return the words of a notice, more of it, and as many of its runs as fit, each with its link."""
    written = _cut("\n".join(filter(None, [notice.text, *more])), MAX_TEXT_BYTES)
    free = MAX_TEXT_BYTES - len(written.encode(errors="replace"))
    return "\n".join(filter(None, [written, *map(plain, shown(notice.lines, free))]))


def _cut(text: str, most_bytes: int) -> str:
    """Return the beginning of a text, in whole characters."""
    raw = text.encode(errors="replace")
    return text if len(raw) <= most_bytes else raw[: most_bytes - 3].decode(errors="ignore") + "…"


def _runs(notice: Notice) -> list[dict[str, str]]:
    """Return the runs that a notice is about, as programs read them, as many as fit."""
    most = MAX_TEXT_OF_MANY if notice.lines else MAX_RUN_TEXT
    found: list[dict[str, str]] = []
    free = MAX_RUNS_BYTES
    for line in _run_lines(notice):
        run = _run(line, most)
        free -= len(json.dumps(run, ensure_ascii=False).encode(errors="replace")) + 2
        if free < 0:
            break
        found.append(run)
    return found


def _run_lines(notice: Notice) -> Sequence[NoticeLine]:
    """Return a line for each run: those of a digest, or the one run of any other notice, unless it is about none."""
    if notice.lines or "run_id" not in notice.variables:
        return [line for line in notice.lines if "sweep_id" not in line.variables]
    url, variables = notice.url, notice.variables
    return [
        NoticeLine(words=notice.title, url=url, text=notice.text, level=notice.level, variables=variables)
    ]


def _run(line: NoticeLine, most: int) -> dict[str, str]:
    named = {
        "event": "event_type", "id": "run_id", "name": "run_name", "url": "run_url", "state": "run_state",
        "entity": "entity_name", "project": "project_name", "author": "event_author",
    }  # fmt: skip
    variables = {name: line.variables.get(variable, "") for name, variable in named.items()}
    return {**variables, "level": line.level, "title": line.words, "text": shortened(line.text, most)}


def _card_items(notice: Notice, facts: list[dict[str, str]]) -> list[dict[str, Any]]:
    """Return the elements of an adaptive card: text and values, or a block for each run, with its link."""
    text = _cut(notice.text, MAX_TEXT_BYTES)
    blocks = [text, *map(_linked, shown(notice.lines, MAX_TEXT_BYTES))]
    items: list[dict[str, Any]] = [
        {"type": "TextBlock", "text": block, "wrap": True} for block in blocks if block
    ]
    return [*items, {"type": "FactSet", "facts": facts}] if facts else items


def _linked(line: NoticeLine) -> str:
    """Write a line in the Markdown of adaptive cards, which make no links of bare addresses."""
    words = _MARKDOWN.sub(r"\\\1", line.words)
    url = line.url.replace("(", "%28").replace(")", "%29")
    return "\n\n".join(filter(None, [f"[{words}]({url})" if url else words, line.text]))
