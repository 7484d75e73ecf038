"""What payloads of webhooks say of a notice."""

from typing import Any

from django.conf import settings

from alerts.transports.base import Notice

MAX_TITLE, MAX_BODY, MAX_FIELDS = 250, 3500, 20
"""As much as each of the peers of `alerts.presets` takes: Discord 256 and 4096, ntfy 4096 bytes, 25 fields."""
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


def shortened(text: str, most: int) -> str:
    """Return a text of that many characters at most."""
    return text if len(text) <= most else text[: most - 1] + "…"


def values_of_notice(notice: Notice) -> dict[str, Any]:
    """Return the values of the variables of `alerts.templating`."""
    looks = _LOOKS.get(notice.level, _LOOKS["INFO"])
    fields = [(label, value) for label, value in notice.fields if value][:MAX_FIELDS]
    return {
        **notice.variables,
        **looks,
        "color_number": int(looks["color"][1:], 16),
        "title": shortened(notice.title, MAX_TITLE),
        "text": notice.text,
        "body": shortened(_body(notice, fields), MAX_BODY),
        "level": notice.level,
        "url": notice.url or settings.BASE_URL,
        "delivery": notice.uid,
        "fields": dict(fields),
        "facts": [{"title": label, "value": value} for label, value in fields],
        "embed_fields": [
            {"name": shortened(label, 250), "value": shortened(value, 1000), "inline": True}
            for label, value in fields
        ],
    }


def _body(notice: Notice, fields: list[tuple[str, str]]) -> str:
    parts = [notice.text] if notice.text else []
    parts += [f"{label}: {value}" for label, value in fields]
    parts += [f"{line.words} {line.url}".rstrip() for line in notice.lines]
    return "\n".join(parts)
