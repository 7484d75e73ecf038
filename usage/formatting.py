"""How amounts and money are written on pages and in sentences."""

from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from usage.units import GB

_SMALLER = {
    "h": (("min", 60), ("s", 3600)),
    "GB": (("MB", 10**3), ("KB", 10**6), ("B", 10**9)),
    "kWh": (("Wh", 10**3),),
}
"""Units for what is less than one of a unit, the largest first, and how many are one."""

_LEAST = Decimal("0.0001")


class Measured(NamedTuple):
    """A quantity as people write it: the number, and its unit."""

    amount: str
    unit: str


def amount(value: Decimal | float | None) -> str:
    """Write an amount with about three figures and thousands separators: ``0.04``, ``3.27``, ``41.8``, ``500``."""
    if value is None:
        return "–"
    exact = Decimal(value)
    size = abs(exact)
    is_whole = exact == exact.to_integral_value()
    places = 0 if size >= 100 or is_whole else 1 if size >= 10 else 2 if size >= Decimal("0.005") else 4
    rounded = _rounded(exact, places)
    if exact and not rounded:
        return f"<{number_format(_LEAST, 4)}"
    return str(number_format(rounded, places, force_grouping=True))


def money(value: Decimal | None, currency: str = "USD") -> str:
    """Write an amount of money to the cent: ``$1,204.50``; of other currencies ``1,204.50 EUR``."""
    if value is None:
        return "–"
    text = str(number_format(_rounded(abs(value), 2), 2, force_grouping=True))
    sign = "−" if value < 0 else ""
    return f"{sign}${text}" if currency == "USD" else f"{sign}{text} {currency}"


def unit_price(value: Decimal | None, currency: str = "USD") -> str:
    """Write a price for a unit, which may be less than a cent: ``$0.025``, ``$60.00``."""
    if value is None:
        return "–"
    exact = value.normalize()
    places = max(2, -int(exact.as_tuple().exponent))
    text = str(number_format(_rounded(value, places), places, force_grouping=True))
    return f"${text}" if currency == "USD" else f"{text} {currency}"


def _rounded(value: Decimal, places: int) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def measured(value: Decimal | int | None, unit: str) -> Measured:
    """Return a quantity in the unit in which it is one or more, if there is one: 0.02 h as ``1.20 min``."""
    size = Decimal(value or 0)
    if 0 < abs(size) < 1:
        for smaller, count in _SMALLER.get(unit, ()):
            unit, value = smaller, size * count
            if abs(value) >= 1:
                break
    return Measured(amount(value), unit)


def with_unit(value: Decimal | int, unit: str) -> str:
    """Show a quantity with its unit; seats have none."""
    return " ".join(part for part in measured(value, unit) if part)


def in_column(value: Decimal | int | None, unit: str) -> str:
    """Write a quantity under a head that names its unit; a smaller one follows the number."""
    found = measured(value, unit)
    return found.amount if found.unit == unit else " ".join(found)


def gigabytes(size_bytes: int) -> str:
    """Show bytes in GB (10⁹ bytes), as plans are written."""
    return with_unit(Decimal(size_bytes) / GB, "GB")


def included(value: Decimal | int | None, unit: str) -> str:
    """Show a limit; None is without one."""
    return _("Unlimited") if value is None else with_unit(value, unit)
