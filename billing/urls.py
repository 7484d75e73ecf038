"""Routes of billing's pages."""

from django.urls import path

from billing.views import changes, invoices, notices, overview, own, payment, plans, roles, stripe

app_name = "billing"
_BILLING = "organizations/<str:entity>/billing"
urlpatterns = [
    # plans and limits
    path("billing", own.start, name="start"),
    path("settings/billing", own.own, name="own"),
    path("billing/notices/close", notices.close, name="notices_close"),
    path(_BILLING, overview.overview, name="overview"),
    path(f"{_BILLING}/plans", plans.compare, name="plans"),
    # payment, changes of plan, Stripe
    path(f"{_BILLING}/payment", payment.payment, name="payment"),
    path(f"{_BILLING}/payment/add", payment.add, name="payment_add"),
    path(f"{_BILLING}/payment/setup", payment.setup, name="payment_setup"),
    path(f"{_BILLING}/payment/details", payment.details, name="payment_details"),
    path(f"{_BILLING}/payment/<int:pk>", payment.act, name="payment_act"),
    path(f"{_BILLING}/payment/pay/<str:number>", payment.pay, name="payment_pay"),
    path(f"{_BILLING}/change", changes.change, name="change"),
    path(f"{_BILLING}/storage", changes.storage, name="storage"),
    path(f"{_BILLING}/cancel", changes.cancel, name="cancel"),
    path(f"{_BILLING}/undo", changes.undo, name="undo"),
    path("stripe/webhook", stripe.webhook, name="stripe_webhook"),
    # invoices
    path(f"{_BILLING}/invoices", invoices.invoices, name="invoices"),
    path(f"{_BILLING}/invoices/<str:number>.pdf", invoices.invoice_pdf, name="invoice_pdf"),
    path(f"{_BILLING}/invoices/<str:number>", invoices.invoice, name="invoice"),
    # Manage roles
    path(f"{_BILLING}/roles", roles.roles, name="roles"),
    path(f"{_BILLING}/roles/assign", roles.assign, name="role_assign"),
    path(f"{_BILLING}/roles/withdraw", roles.withdraw, name="role_withdraw"),
]
