"""Cells of tables in artifacts."""

from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from artifacts.pages.tables.view import ShownMedia, TableView
from artifacts.previews.cells import MediaCell, text_of
from artifacts.previews.tables.pages import TableGroup
from common.templatetags.runyard import icon, number

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
    if not media.media_type:
        return format_html(
            '<a href="{}" download title="{}">{}{}</a>', media.url, _("Download"), icon("download"), name
        )
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
def artifact_mean(group: TableGroup, name: str) -> SafeString | str:
    """Show the mean of a group's numbers in a column, with the least and greatest to hover."""
    summary = group.numbers.get(name)
    if summary is None or not summary.count:
        return "–"
    least, greatest = number(summary.low), number(summary.high)
    ends = _("From %(least)s to %(greatest)s") % {"least": least, "greatest": greatest}
    return format_html('<span title="{}">{}</span>', ends, number(summary.mean))


@register.simple_tag
def artifact_sort(table: TableView, column: str) -> dict[str, str]:
    """Return how a head sorts groups when it is clicked, and how it does now; a mean and a count fall at first.

    Args:
        table: Which is grouped.
        column: The name of one, or "" for how many rows the groups have.
    """
    is_sorted = table.sort == column and (bool(column) or table.is_falling)
    begins_falling = column != table.group
    falls = not table.is_falling if is_sorted else begins_falling
    if not column:
        falls = not is_sorted  # there is no name for the smallest first
    return {
        "sort": f"-{column}" if falls else column,
        "icon": ("arrow-down" if table.is_falling else "arrow-up") if is_sorted else "",
        "aria": ("descending" if table.is_falling else "ascending") if is_sorted else "",
    }
