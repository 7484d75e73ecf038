"""Cells of tables in artifacts."""

from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from artifacts.pages.tables import ShownMedia
from artifacts.previews.cells import MediaCell, text_of
from artifacts.previews.tables.pages import TableGroup
from common.templatetags.runyard import number

register = template.Library()
_NOTHING = mark_safe('<span class="muted">–</span>')
_MOST_SHOWN = 500
"""Characters of a cell."""


@register.simple_tag
def artifact_cell(cell: Any) -> SafeString | str:
    """Show a value, or pictures, sounds and videos by their signed addresses."""
    if isinstance(cell, list):
        return format_html_join(" ", "{}", ((_media(media),) for media in cell))
    if cell is None:
        return _NOTHING
    text = text_of(cell)
    shown = text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
    kind = "num" if isinstance(cell, int | float) and not isinstance(cell, bool) else "artifact-text"
    return format_html('<span class="{}" title="{}">{}</span>', kind, shown, shown)


@register.simple_tag
def artifact_plain(cell: Any) -> SafeString | str:
    """Show a value; of media only what they are called."""
    media = cell if isinstance(cell, list) else [cell] if isinstance(cell, MediaCell) else []
    return ", ".join(one.caption or one.path or one.kind for one in media) if media else artifact_cell(cell)


def _media(media: ShownMedia) -> SafeString:
    name = media.caption or media.path
    if not media.url:
        return format_html('<span class="muted">{}</span>', name or media.kind)
    if media.kind == "audio":
        return format_html(
            '<audio controls preload="none" src="{}" aria-label="{}"></audio>', media.url, name
        )
    if media.kind == "video":
        return format_html(
            '<video controls preload="none" src="{}" aria-label="{}"></video>', media.url, name
        )
    return format_html('<img loading="lazy" src="{}" alt="{}" title="{}" />', media.url, name, name)


@register.simple_tag
def artifact_mean(group: TableGroup, name: str) -> str:
    """Show the mean of a group's numbers in a column."""
    summary = group.numbers.get(name)
    return number(summary.mean) if summary is not None and summary.count else "–"
