"""How amounts and money are written on pages and in sentences."""

from decimal import ROUND_HALF_UP, Decimal

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from billing.units import GB


def amount(value: Decimal | float | None) -> str:
    """Write an amount with about three figures and thousands separators: ``0.04``, ``3.27``, ``41.8``, ``500``."""
    if value is None:
        return "–"
    exact = Decimal(value)
    size = abs(exact)
    is_whole = exact == exact.to_integral_value()
    places = 0 if size >= 100 or is_whole else 1 if size >= 10 else 2 if size >= Decimal("0.005") else 4
    return str(number_format(_rounded(exact, places), places, force_grouping=True))


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


def with_unit(value: Decimal | int, unit: str) -> str:
    """Show a quantity with its unit; seats have none."""
    return f"{amount(value)} {unit}" if unit else amount(value)


def gigabytes(size_bytes: int) -> str:
    """Show bytes in GB (10⁹ bytes), as plans are written."""
    return with_unit(Decimal(size_bytes) / GB, "GB")


def included(value: Decimal | int | None, unit: str) -> str:
    """Show a limit; None is without one."""
    return _("Unlimited") if value is None else with_unit(value, unit)
