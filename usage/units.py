"""The units in which use and money are counted."""

from decimal import ROUND_HALF_UP, Decimal

GB = 10**9
"""Bytes. Plans, prices and invoices speak of decimal GB."""
HOUR_S = 3600
DAY_S = 86_400
KWH_J = 3_600_000

CURRENCY = "USD"
CENT = Decimal("0.01")
ZERO = Decimal(0)


def to_cents(amount: Decimal) -> Decimal:
    """Round to the cent, half up."""
    return amount.quantize(CENT, ROUND_HALF_UP)
