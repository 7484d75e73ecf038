"""Invoices for operators: read only, but for noting that a transfer came, and declaring one void (BIL-10)."""

from datetime import UTC, datetime, time

from django import forms
from django.contrib import admin
from django.utils import timezone

from accounts.operators.admin_actions import ActionContext, AdminAction, AdminActionForm, ServedAdmin
from accounts.operators.admin_forms import ReasonForm
from billing.invoices import services as invoices
from billing.models import (
    GatewayEvent,
    Invoice,
    InvoiceLine,
    InvoiceStatus,
    NoticeDismissal,
    Payment,
    PaymentMethod,
    PeriodClose,
    UsageAlert,
)
from common.admin import ReadOnlyMixin

_PAYER = ["subscription__organization__name", "subscription__team__name"]
_WITH = ["subscription__plan", "subscription__organization", "subscription__team"]


class PaidForm(AdminActionForm):
    """What the bank says of a transfer."""

    payment_ref = forms.CharField(
        max_length=120,
        label="Reference",
        help_text="The bank’s reference of the transfer; printed on the receipt.",
    )
    on = forms.DateField(label="Received on", help_text="UTC.", widget=forms.DateInput({"type": "date"}))

    def prepare(self) -> None:
        """Propose today."""
        self.initial["on"] = timezone.now().date()


def _mark_paid(doing: ActionContext[Invoice]) -> str:
    at = datetime.combine(doing.typed["on"], time(), UTC)
    ref = doing.typed["payment_ref"]
    row = invoices.mark_paid(actor=doing.actor, invoice=doing.row, payment_ref=ref, at=at)
    return f"{row.number} is paid; the receipt is on its way."


def _void(doing: ActionContext[Invoice]) -> str:
    row = invoices.mark_void(actor=doing.actor, invoice=doing.row, reason=doing.typed["reason"])
    return f"{row.number} is void."


class LineInline(ReadOnlyMixin, admin.TabularInline[InvoiceLine, Invoice]):
    """What it charges."""

    model = InvoiceLine
    extra = 0


class PaymentInline(ReadOnlyMixin, admin.TabularInline[Payment, Invoice]):
    """How it was tried to be collected."""

    model = Payment
    fields = ["created_at", "gateway", "method", "ref", "amount_usd", "status", "failure"]
    readonly_fields = ["created_at"]
    extra = 0


@admin.register(Invoice)
class InvoiceAdmin(ServedAdmin[Invoice]):
    """Everything that was invoiced. Numbers have no gaps: nothing is ever deleted."""

    list_display = [
        "number", "subscription", "kind", "period_start", "total_usd", "status", "issued_at", "due_at", "gateway",
        "attempts", "reminders",
    ]  # fmt: skip
    list_filter = ["status", "kind", "gateway", "issued_at"]
    list_select_related = _WITH
    search_fields = ["number", "ref", *_PAYER]
    date_hierarchy = "issued_at"
    inlines = [LineInline, PaymentInline]
    related = (("Payments", "billing_payment", "invoice__id__exact"),)
    acts = (
        AdminAction(slug="paid", label="Mark as paid", form=PaidForm, is_dangerous=True, do=_mark_paid,
            fits=lambda row: row.status == InvoiceStatus.OPEN,
            text="The transfer arrived. The billing admins get a receipt by email."),
        AdminAction(slug="void", label="Void invoice", form=ReasonForm, is_dangerous=True, do=_void,
            fits=lambda row: row.status == InvoiceStatus.OPEN,
            text="It need not be paid, and its number stays taken. The billing admins get the reason by email."),
    )  # fmt: skip


@admin.register(Payment)
class PaymentAdmin(ServedAdmin[Payment]):
    """Every attempt to collect an invoice."""

    list_display = ["created_at", "invoice", "gateway", "method", "amount_usd", "status", "ref", "failure"]
    list_filter = ["status", "gateway", "created_at"]
    list_select_related = ["invoice", "method"]
    search_fields = ["ref", "invoice__number"]
    date_hierarchy = "created_at"


@admin.register(PaymentMethod)
class PaymentMethodAdmin(ServedAdmin[PaymentMethod]):
    """How organizations pay; of cards there is nothing but what is printed on them."""

    list_display = [
        "subscription",
        "brand",
        "last4",
        "exp_month",
        "exp_year",
        "is_default",
        "gateway",
        "removed_at",
        "forgotten_at",
    ]
    list_filter = ["gateway", "is_default"]
    list_select_related = _WITH
    search_fields = [*_PAYER, "ref"]


@admin.register(PeriodClose)
class PeriodCloseAdmin(ServedAdmin[PeriodClose]):
    """Periods that were closed, with what was used in them and what it came to."""

    list_display = ["subscription", "period_start", "period_end", "closed_at"]
    list_select_related = _WITH
    search_fields = _PAYER
    date_hierarchy = "period_start"


@admin.register(NoticeDismissal)
class NoticeDismissalAdmin(ServedAdmin[NoticeDismissal]):
    """Notices of limits that people closed."""

    list_display = ["user", "subscription", "limit", "stage", "period_start"]
    list_filter = ["limit", "stage"]
    list_select_related = ["user", *_WITH]
    search_fields = ["user__username", *_PAYER]


@admin.register(UsageAlert)
class UsageAlertAdmin(ServedAdmin[UsageAlert]):
    """Thresholds that were passed, and who was mailed."""

    list_display = ["subscription", "period_start", "category", "threshold", "at", "recipients"]
    list_filter = ["category", "threshold"]
    list_select_related = _WITH
    search_fields = _PAYER
    date_hierarchy = "at"


@admin.register(GatewayEvent)
class GatewayEventAdmin(ServedAdmin[GatewayEvent]):
    """What payment gateways told, and what was made of it."""

    list_display = ["received_at", "gateway", "kind", "object_ref", "handled_at", "failure"]
    list_filter = ["gateway", "kind", ("handled_at", admin.EmptyFieldListFilter), "received_at"]
    date_hierarchy = "received_at"
    search_fields = ["event_ref", "object_ref", "kind", "failure"]
