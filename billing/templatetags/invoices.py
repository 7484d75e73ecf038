"""How pages write what is on invoices."""

from decimal import Decimal

from django import template

from billing.invoices.drafts import quantity_text
from billing.invoices.selectors import StatusLabel, status_label_of
from billing.invoices.texts import lines_of_seller, price_text
from billing.models import Invoice, InvoiceLine

register = template.Library()


@register.filter
def price(value: Decimal) -> str:
    """Write a price for a unit, as exact as it is; of credits below zero."""
    return ("−" if value < 0 else "") + price_text(abs(value))


@register.filter
def quantity(line: InvoiceLine) -> str:
    """Write the quantity of a line as it was counted, in English as the line is."""
    return quantity_text(line)


@register.filter
def seller_lines(invoice: Invoice) -> list[str]:
    """Return name and address of who sells."""
    return lines_of_seller(invoice)


@register.filter
def status_label(invoice: Invoice) -> StatusLabel:
    """Say what became of an invoice."""
    return status_label_of(invoice)
