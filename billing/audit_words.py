"""What the audit log says of billing."""

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from access.audit_words import Kind, register_kind, register_words
from billing.access import BillingAction
from billing.models import Invoice

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
    "billing_admin.assign": _("Made somebody a billing admin"),
    "billing_admin.withdraw": _("Took the role of billing admin from somebody"),
}
PRICES = {"internal_prices.change": _("Changed the prices for chargeback")}


def register() -> None:
    """Tell the audit log."""
    register_words("subscription", _("Plans"), {**PLANS, **SUBSCRIPTIONS})
    register_words("billing_period", _("Billing periods"), PERIODS)
    register_words("payment_method", _("Payment"), {**PAYMENT, **DETAILS})
    register_words("invoice", _("Invoices"), INVOICES)
    register_words("billing_admin", _("Billing admins"), BILLING_ADMINS)
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
