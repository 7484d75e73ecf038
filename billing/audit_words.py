"""What the audit log says of billing."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from access.audit.values import Field, register_fields, show_day, show_time
from access.audit.words import Kind, register_kind, register_words
from billing.formatting import payment_name, usd
from billing.gateways.base import BANK_TRANSFER
from billing.models import Invoice, Plan
from billing.models.money import InvoiceKind, InvoiceStatus
from usage.access import BillingAction

PLANS = {
    "plan.save": _("Changed a plan"),
    "plan.delete": _("Deleted a plan"),
}
SUBSCRIPTIONS = {
    "subscription.assign": _("Assigned a plan"),
    "subscription.trial": _("Started a plan trial"),
    "subscription.trial_end": _("Ended a plan trial"),
    "subscription.assign_storage": _("Granted storage beyond the plan"),
    "subscription.assign_payment": _("Changed how the plan is paid"),
    "subscription.upgrade": _("Upgraded the plan"),
    "subscription.downgrade": _("Scheduled a downgrade for the end of the period"),
    "subscription.switch": _("Scheduled a plan change for the end of the period"),
    "subscription.cancel": _("Canceled the plan as of the end of the period"),
    "subscription.storage": _("Bought storage"),
    "subscription.storage_later": _("Scheduled less storage for the end of the period"),
    "subscription.undo": _("Undid a scheduled change"),
}
PERIODS = {"billing_period.begin": _("Applied scheduled changes")}
PAYMENT = {
    "payment_method.add": _("Added a payment method"),
    "payment_method.default": _("Changed the default payment method"),
    "payment_method.remove": _("Removed a payment method"),
}
DETAILS = {"billing_details.change": _("Changed billing details")}
INVOICES = {
    "invoice.issue": _("Issued an invoice"),
    "invoice.carry": _("Carried a small invoice over to the next one"),
    "invoice.pay": _("Marked an invoice as paid"),
    "invoice.pay_now": _("Requested immediate payment of an invoice"),
    "invoice.surplus_payment": _("Unexpected payment received; refund required"),
    "invoice.payment_failed": _("Failed to collect an invoice"),
    "invoice.void": _("Voided an invoice"),
}
BILLING_ADMINS = {
    "billing_admin.assign": _("Added a usage or billing admin"),
    "billing_admin.withdraw": _("Removed a usage or billing admin"),
}


def register() -> None:
    """Tell the audit log."""
    _register_fields()
    register_words("subscription", _("Plans"), {**PLANS, **SUBSCRIPTIONS})
    register_words("billing_period", _("Billing periods"), PERIODS)
    register_words("payment_method", _("Payment"), {**PAYMENT, **DETAILS})
    register_words("invoice", _("Invoices"), INVOICES)
    register_words("billing_admin", _("Usage and billing admins"), BILLING_ADMINS)
    register_kind("billing.Plan", _("Plan"))
    register_kind("billing.Subscription", _("Subscription"))
    register_kind("billing.PaymentMethod", _("Payment method"))
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
            "anchor_day": _("Periods begin on day"), "trial_ends_at": Field(_("Trial ends"), show=show_time),
            "trial_then": Field(_("Plan after the trial"), choices=_plans), "method": _METHOD,
            "expires": _("Expires"), "default": replace(_METHOD, label=_("Default payment method")),
            "billing_name": _("Name on invoices"), "billing_address": _("Address"), "tax_id": _("Tax ID"),
            "purchase_order": _("Purchase order"), "payment": replace(_METHOD, label=_("Payment")),
        }
    )  # fmt: skip
    register_fields(
        {
            "status": Field(_("Status"), choices=dict(InvoiceStatus.choices)),
            "kind": Field(_("Kind"), choices=dict(InvoiceKind.choices)),
            "period_start": Field(_("Period begins"), show=show_day),
        },
        scope="billing.Invoice",
    )
    register_fields(
        {field.name: capfirst(str(field.verbose_name)) for field in Plan._meta.concrete_fields},
        scope="billing.Plan",
    )


_METHOD = Field(_("Payment method"), choices={payment_name(BANK_TRANSFER, ""): _("Bank transfer")})
"""Names of cards are the same in every language."""

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
