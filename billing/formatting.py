"""Money, days and amounts as people read them."""

from datetime import date
from decimal import Decimal

from django.utils.formats import date_format

BRANDS = {"amex": "American Express", "mastercard": "Mastercard", "jcb": "JCB", "unionpay": "UnionPay"}
"""Brands of cards that are not their key with a capital."""


def usd(amount: Decimal) -> str:
    """Return US dollars with cents: "$1,234.50", "-$3.00"; the same in every language."""
    return f"{'-' if amount < 0 else ''}${abs(amount):,.2f}"


def plain(amount: Decimal) -> str:
    """Return a quantity without the zeros at its end: "12.5", "1,000"."""
    text = f"{amount:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def payment_name(brand: str, last4: str) -> str:
    """Return how one pays as it is written everywhere: "Visa •••• 4242", "Bank transfer"."""
    return f"{BRANDS.get(brand, brand[:1].upper() + brand[1:])} {f'•••• {last4}' if last4 else ''}".rstrip()


def day(value: date) -> str:
    """Return a day in the active language."""
    return date_format(value, "DATE_FORMAT")
