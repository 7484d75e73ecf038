"""The tables of docs/use/limits.md, made of the limits that apps declare."""

from pathlib import Path

from django.utils import translation

from access.limits.registry import Limit, all_limits
from teams.templatetags.limits import in_unit

FILE = Path(__file__).resolve().parents[2] / "docs/use/limits.md"
START = "<!-- Made by `manage.py write_limits`: -->\n"
"""After it comes what is made; what stands before it is written by hand."""

_HEAD = ("| What | Limit | Setting | At the limit |", "|---|---|---|---|")


def _row(limit: Limit) -> str:
    setting = f"`{limit.setting}`" if limit.setting else ""
    return f"| {limit.label} | {in_unit(limit.value(), limit.unit)} | {setting} | {limit.outcome} |"


def limits_page() -> str:
    """Return the whole page, with the limits that are in force in this process."""
    lines: list[str] = []
    group = None
    with translation.override("en"):
        for limit in all_limits():
            if limit.group is not group:
                group = limit.group
                lines += ["", f"## {group.label}", "", *_HEAD]
            lines.append(_row(limit))
    by_hand = FILE.read_text().split(START)[0]
    return by_hand + START + "\n".join(lines) + "\n"
