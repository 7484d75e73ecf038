"""What stands on an invoice, on its page as in its file."""

from decimal import Decimal

from billing.formatting import plain, usd
from billing.models import Invoice

PRODUCT = "Runyard"
"""Stands for the seller where the operator told no name (RUNYARD_BILLING_SELLER)."""


def lines_of_seller(invoice: Invoice) -> list[str]:
    """Return name and address of who sells, one line each."""
    return [line for line in invoice.details.get("seller", "").splitlines() if line.strip()] or [PRODUCT]


def price_text(price: Decimal) -> str:
    """Return a price for a unit: to the cent, or as exact as it is."""
    cents = usd(price)
    return cents if Decimal(cents.replace("$", "").replace(",", "")) == price else f"${plain(price)}"
