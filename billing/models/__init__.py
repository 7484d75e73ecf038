"""What organizations pay for, and what they paid.

Money is in US dollars as exact decimals; days and periods are UTC.
"""

from billing.models.limits import NoticeDismissal, UsageAlert, UsageCategory
from billing.models.money import (
    GatewayEvent,
    Invoice,
    InvoiceKind,
    InvoiceLine,
    InvoiceStatus,
    Payment,
    PaymentMethod,
    PaymentStatus,
    PeriodClose,
)
from billing.models.plans import BillingAdmin, Plan, Subscription

__all__ = [
    "BillingAdmin",
    "GatewayEvent",
    "Invoice",
    "InvoiceKind",
    "InvoiceLine",
    "InvoiceStatus",
    "NoticeDismissal",
    "Payment",
    "PaymentMethod",
    "PaymentStatus",
    "PeriodClose",
    "Plan",
    "Subscription",
    "UsageAlert",
    "UsageCategory",
]
