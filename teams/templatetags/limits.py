"""How limits are written."""

from django import template
from django.utils.translation import gettext as _

from access.limits.registry import LimitUnit
from common.templatetags.runyard import duration, filesize_binary, number

register = template.Library()


@register.filter
def in_unit(value: int, unit: LimitUnit) -> str:
    """Write a limit's value in its unit: ``64.0 MiB``, ``3,000 a minute``; a rate of 0 is no limit."""
    text = number(value)
    words = {
        LimitUnit.BYTES: lambda: filesize_binary(value),
        LimitUnit.SECONDS: lambda: duration(value),
        LimitUnit.CHARACTERS: lambda: _("%(n)s characters") % {"n": text},
        LimitUnit.PER_SECOND: lambda: _("%(n)s per second") % {"n": text} if value else _("no limit"),
        LimitUnit.PER_MINUTE: lambda: _("%(n)s per minute") % {"n": text} if value else _("no limit"),
        LimitUnit.PER_HOUR: lambda: _("%(n)s per hour") % {"n": text} if value else _("no limit"),
    }
    return words[unit]() if unit in words else text
