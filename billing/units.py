"""The units that plans are written in."""

from decimal import Decimal

GB = 10**9
"""Bytes. Plans, prices and invoices speak of decimal GB."""
HOUR_S = 3600
DAY_S = 86_400
KWH_J = 3_600_000

CENT = Decimal("0.01")
