"""Sizes as plans and invoices speak of them."""

from django import template
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

register = template.Library()

_UNITS = ("B", "kB", "MB", "GB", "TB", "PB", "EB")


def decimal_size(size_bytes: int) -> str:
    """Say a size in decimal units with three figures: ``1.21 GB`` is 1,210,000,000 bytes."""
    amount, power = float(size_bytes), 0
    while abs(amount) >= 999.5 and power < len(_UNITS) - 1:
        amount, power = amount / 1000, power + 1
    decimals = 0 if not power or abs(amount) >= 99.95 else 1 if abs(amount) >= 9.995 else 2
    return f"{number_format(round(amount, decimals), decimals)} {_UNITS[power]}"


@register.simple_tag
def size(size_bytes: int, nothing: str = "–") -> SafeString:
    """Show a size in decimal units, exact on hover; nothing at all as a dash unless it is given."""
    exact = _("%(n)s bytes") % {"n": number_format(size_bytes, force_grouping=True)}
    if not size_bytes:
        return format_html('<span class="muted" title="{}">{}</span>', exact, nothing)
    return format_html('<span title="{}">{}</span>', exact, decimal_size(size_bytes))
