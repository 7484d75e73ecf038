"""How amounts and money are written on pages of usage."""

from decimal import Decimal

from django import template

from usage.formatting import amount, in_column, measured, money, unit_price, with_unit

register = template.Library()
for written in (amount, in_column, money, unit_price, with_unit):
    register.filter(written)
register.simple_tag(measured)


@register.filter
def tick(value: Decimal) -> str:
    """Write a value of an axis: no more figures than it has, ``1,000`` or ``0.25``."""
    exact = value.normalize()
    places = max(0, -int(exact.as_tuple().exponent))
    return f"{exact:,.{places}f}"


@register.filter
def add_half(y: float) -> float:
    """Move a line between two pixels onto one, so that it is drawn sharp."""
    return round(y) + 0.5
