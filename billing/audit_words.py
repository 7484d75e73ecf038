"""What the audit log says of billing."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from access.audit_values import Field, day, moment, register_fields
from access.audit_words import Kind, register_kind, register_words
from billing.access import BillingAction
from billing.models import Invoice, Plan
from billing.models.money import InvoiceKind, InvoiceStatus
from billing.words import usd

PLANS = {
    "plan.save": _("Changed a plan"),
    "plan.delete": _("Deleted a plan"),
}
SUBSCRIPTIONS = {
    "subscription.assign": _("Put somebody on a plan"),
    "subscription.trial": _("Gave a trial of a plan"),
    "subscription.trial_end": _("Ended the trial of a plan"),
    "subscription.assign_storage": _("Gave more storage than the plan’s"),
    "subscription.assign_payment": _("Set how the plan is paid"),
    "subscription.upgrade": _("Upgraded the plan"),
    "subscription.downgrade": _("Chose a lower plan for when the period ends"),
    "subscription.switch": _("Chose another plan for when the period ends"),
    "subscription.cancel": _("Canceled the plan for when the period ends"),
    "subscription.storage": _("Bought storage"),
    "subscription.storage_later": _("Reduced bought storage for when the period ends"),
    "subscription.undo": _("Undid a change that was to come when the period ends"),
}
PERIODS = {"billing_period.begin": _("Began what was chosen for the next billing period")}
PAYMENT = {
    "payment_method.add": _("Added a payment method"),
    "payment_method.default": _("Chose the payment method that is charged"),
    "payment_method.remove": _("Removed a payment method"),
}
DETAILS = {"billing_details.change": _("Changed what stands on invoices")}
INVOICES = {
    "invoice.issue": _("Issued an invoice"),
    "invoice.carry": _("Left an invoice that is too small to be charged to the next one"),
    "invoice.pay": _("Marked an invoice as paid"),
    "invoice.pay_now": _("Asked for an invoice to be charged now"),
    "invoice.surplus_payment": _("Received money by which nothing was owed; it is to be given back"),
    "invoice.payment_failed": _("Failed to collect an invoice"),
    "invoice.void": _("Declared an invoice void"),
}
BILLING_ADMINS = {
    "billing_admin.assign": _("Made somebody a usage or billing admin"),
    "billing_admin.withdraw": _("Removed the role of usage or billing admin from somebody"),
}
PRICES = {"internal_prices.change": _("Changed the prices for chargeback")}


def register() -> None:
    """Tell the audit log."""
    _register_fields()
    register_words("subscription", _("Plans"), {**PLANS, **SUBSCRIPTIONS})
    register_words("billing_period", _("Billing periods"), PERIODS)
    register_words("payment_method", _("Payment"), {**PAYMENT, **DETAILS})
    register_words("invoice", _("Invoices"), INVOICES)
    register_words("billing_admin", _("Usage and billing admins"), BILLING_ADMINS)
    register_words("internal_prices", _("Prices for chargeback"), PRICES)
    register_kind("billing.Plan", _("Plan"))
    register_kind("billing.Subscription", _("Subscription"))
    register_kind("billing.PaymentMethod", _("Payment method"))
    register_kind("billing.InternalPrices", _("Prices for chargeback"))
    register_kind(
        "billing.Invoice",
        _("Invoice"),
        Kind(BillingAction.VIEW, _url_of_invoice, related=("subscription__organization",)),
    )


def _url_of_invoice(row: Invoice) -> str:
    organization = row.subscription.organization
    return reverse("billing:invoice", args=[organization.name if organization else "", row.number])


def _register_fields() -> None:
    dollars = {name: Field(label, show=_dollars) for name, label in _AMOUNTS.items()}
    register_fields(
        {
            **dollars, "billing_admins": _("Usage and billing admins"), "plan": Field(_("Plan"), choices=_plans),
            "next_plan": Field(_("Next plan"), choices=_plans), "extra_storage_gb": _("Extra storage, GB"),
            "next_extra_storage_gb": _("Next extra storage, GB"), "pays_by_transfer": _("Pays by bank transfer"),
            "anchor_day": _("Periods begin on day"), "trial_ends_at": Field(_("Trial ends"), show=moment),
            "trial_then": Field(_("Plan after the trial"), choices=_plans), "method": _("Payment method"),
            "expires": _("Expires"), "default": _("Default payment method"), "billing_name": _("Name on invoices"),
            "billing_address": _("Address"), "tax_id": _("Tax ID"), "purchase_order": _("Purchase order"),
            "payment": _("Payment"), "currency": _("Currency"), "gpu_hour_price": _("For an hour of one GPU"),
            "storage_gb_price": _("For a GB stored for a month"), "kwh_price": _("For a kWh"),
        }
    )  # fmt: skip
    register_fields(
        {
            "status": Field(_("Status"), choices=dict(InvoiceStatus.choices)),
            "kind": Field(_("Kind"), choices=dict(InvoiceKind.choices)),
            "period_start": Field(_("Period begins"), show=day),
        },
        scope="billing.Invoice",
    )
    register_fields(
        {field.name: capfirst(str(field.verbose_name)) for field in Plan._meta.concrete_fields},
        scope="billing.Plan",
    )


_AMOUNTS = {
    "charged": _("Charged now"),
    "total_usd": _("Total"),
    "minimum_usd": _("Smallest charge"),
    "amount_usd": _("Amount"),
}


def _plans() -> dict[str, str]:
    return dict(Plan.objects.values_list("key", "name"))


def _dollars(amount: Any, _told: Mapping[str, Any]) -> str:
    return usd(Decimal(amount))
