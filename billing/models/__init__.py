"""What organizations pay for, what they use, and what they paid.

Money is in US dollars as exact decimals; days and periods are UTC. Ledgers speak of teams, projects, runs and people by
plain numbers, because they outlive these.
"""

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
from billing.models.plans import BillingAdmin, InternalPrices, Plan, Subscription
from billing.models.usage import (
    GpuClaim,
    HardwareShift,
    HardwareUse,
    IngestionEntry,
    MeterState,
    NoticeDismissal,
    ReportedTime,
    TeamDay,
    TrackedInterval,
    UsageAlert,
    UsageDay,
)

__all__ = [
    "BillingAdmin",
    "GatewayEvent",
    "GpuClaim",
    "HardwareShift",
    "HardwareUse",
    "IngestionEntry",
    "InternalPrices",
    "Invoice",
    "InvoiceKind",
    "InvoiceLine",
    "InvoiceStatus",
    "MeterState",
    "NoticeDismissal",
    "Payment",
    "PaymentMethod",
    "PaymentStatus",
    "PeriodClose",
    "Plan",
    "ReportedTime",
    "Subscription",
    "TeamDay",
    "TrackedInterval",
    "UsageAlert",
    "UsageDay",
]
