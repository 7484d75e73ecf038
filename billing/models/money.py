"""Payment methods, closed periods, invoices, and what payment gateways said. History is only added to."""

from datetime import date
from decimal import Decimal

from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from billing.formatting import payment_name
from billing.models.plans import Subscription
from common.models import Timestamped
from usage.periods import Period
from usage.units import CURRENCY


class PaymentMethod(Timestamped):
    """How an organization pays (BIL-7). Card numbers never reach the server; of cards it knows what is printed here."""

    subscription = models.ForeignKey(Subscription, models.PROTECT, related_name="payment_methods")
    gateway = models.CharField(max_length=20)
    ref = models.CharField("gateway reference", max_length=120)
    brand = models.CharField(max_length=40, help_text="The card's brand, such as visa; or “bank transfer”.")
    last4 = models.CharField("last 4 digits", max_length=4, blank=True)
    exp_month = models.PositiveSmallIntegerField("expiry month", null=True, blank=True)
    exp_year = models.PositiveSmallIntegerField("expiry year", null=True, blank=True)
    is_default = models.BooleanField("default", default=False)
    removed_at = models.DateTimeField(null=True, blank=True)
    forgotten_at = models.DateTimeField(
        null=True, blank=True, help_text="From then on the gateway cannot charge it any more."
    )

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["gateway", "ref"], name="billing_method_ref_once"),
            models.UniqueConstraint(
                fields=["subscription"],
                condition=Q(is_default=True, removed_at__isnull=True),
                name="billing_method_one_default",
            ),
        ]

    def __str__(self) -> str:
        return payment_name(self.brand, self.last4)


class PeriodClose(models.Model):
    """A closed period and what was used in it. Closing again changes nothing."""

    subscription = models.ForeignKey(Subscription, models.PROTECT, related_name="closes")
    period_start = models.DateField()
    period_end = models.DateField(help_text="Exclusive.")
    closed_at = models.DateTimeField(default=timezone.now)
    usage = models.JSONField(
        default=dict, help_text="Amounts used, and the plan's terms that the charges are based on."
    )

    class Meta:
        ordering = ["-period_start"]
        verbose_name = "closed billing period"
        constraints = [
            models.UniqueConstraint(fields=["subscription", "period_start"], name="billing_close_once")
        ]

    def __str__(self) -> str:
        return f"subscription {self.subscription_id} from {self.period_start}"


TRANSFER = "manual"
"""The gateway of bank transfers; the others take money by themselves."""


class InvoiceKind(models.TextChoices):
    """Why an invoice was made."""

    PERIOD = "period", _("Monthly")
    CHANGE = "change", _("Change of plan")


class InvoiceStatus(models.TextChoices):
    """What became of an invoice."""

    OPEN = "open", _("Open")
    PAID = "paid", _("Paid")
    VOID = "void", _("Void")
    CARRIED = "carried", _("On the next invoice")


class Invoice(Timestamped):
    """One invoice (BIL-10). Its number, lines and addresses never change; its status does."""

    subscription = models.ForeignKey(Subscription, models.PROTECT, related_name="invoices")
    sequence = models.PositiveIntegerField(help_text="Starts at 1, without gaps.")
    number = models.CharField(max_length=60, unique=True)
    kind = models.CharField(max_length=8, choices=InvoiceKind)
    period_start = models.DateField()
    period_end = models.DateField(help_text="Exclusive.")
    issued_at = models.DateTimeField(default=timezone.now)
    due_at = models.DateTimeField()
    currency = models.CharField(max_length=3, default=CURRENCY)
    total_usd = models.DecimalField("total (USD)", max_digits=12, decimal_places=2)
    status = models.CharField(max_length=14, choices=InvoiceStatus, default=InvoiceStatus.OPEN)
    paid_at = models.DateTimeField(null=True, blank=True)
    details = models.JSONField(
        default=dict, help_text="Names and addresses of both parties when it was issued."
    )
    gateway = models.CharField(max_length=20, blank=True)
    ref = models.CharField("gateway reference", max_length=120, blank=True)
    failure = models.CharField(
        "last failure", max_length=300, blank=True, help_text="Why the last payment failed."
    )
    attempts = models.PositiveSmallIntegerField("failed charges", default=0)
    reminders = models.PositiveSmallIntegerField(default=0, help_text="Sent for a late bank transfer.")
    carried_to = models.ForeignKey(
        "self", models.PROTECT, null=True, blank=True, related_name="carries",
        help_text="The invoice that charges the amount, which was too small to be charged alone.",
        verbose_name="carried over to",
    )  # fmt: skip
    next_attempt_at = models.DateTimeField(
        null=True, blank=True, help_text="When it is charged again, or a reminder is sent."
    )

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(fields=["subscription", "sequence"], name="billing_invoice_number_once"),
            models.UniqueConstraint(
                fields=["subscription", "period_start"],
                condition=Q(kind="period"),
                name="billing_invoice_period_once",
            ),
            models.CheckConstraint(
                condition=Q(total_usd__gte=Decimal(0)), name="billing_invoice_not_negative"
            ),
        ]

    def __str__(self) -> str:
        return self.number

    @property
    def period_last_day(self) -> date:
        """The last day of its period, UTC."""
        return Period(self.period_start, self.period_end).last_day

    @property
    def by_transfer(self) -> bool:
        """Whether it is to be paid by bank transfer; *Pay now* makes a card of it."""
        return self.gateway == TRANSFER


class InvoiceLine(models.Model):
    """One line item; lines add up to the invoice's total to the cent."""

    invoice = models.ForeignKey(Invoice, models.CASCADE, related_name="lines")
    position = models.PositiveSmallIntegerField()
    category = models.CharField(
        max_length=16, help_text="plan, extra_storage, hours, storage, ingestion, credit or carried."
    )
    description = models.CharField(max_length=300)
    quantity = models.DecimalField(max_digits=18, decimal_places=6)
    unit = models.CharField(max_length=20, blank=True)
    unit_price_usd = models.DecimalField("unit price (USD)", max_digits=12, decimal_places=4)
    amount_usd = models.DecimalField(
        "amount (USD)", max_digits=12, decimal_places=2, help_text="Negative for credits."
    )
    days = models.PositiveSmallIntegerField(
        "days charged", null=True, blank=True, help_text="If only part of the period is charged."
    )
    of_days = models.PositiveSmallIntegerField("days in period", null=True, blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["invoice", "position"], name="billing_line_position_once"),
            models.CheckConstraint(
                condition=Q(days__isnull=True, of_days__isnull=True) | Q(days__gte=1, of_days__gte=F("days")),
                name="billing_line_days_of_a_period",
            ),
        ]

    def __str__(self) -> str:
        return self.description


class PaymentStatus(models.TextChoices):
    """How an attempt to collect ended."""

    PENDING = "pending", _("Pending")
    SUCCEEDED = "succeeded", _("Succeeded")
    FAILED = "failed", _("Failed")


class Payment(Timestamped):
    """One attempt to collect an invoice."""

    invoice = models.ForeignKey(Invoice, models.PROTECT, related_name="payments")
    method = models.ForeignKey(PaymentMethod, models.PROTECT, null=True, blank=True, related_name="+")
    gateway = models.CharField(max_length=20)
    ref = models.CharField("gateway reference", max_length=120, blank=True)
    amount_usd = models.DecimalField("amount (USD)", max_digits=12, decimal_places=2)
    status = models.CharField(max_length=10, choices=PaymentStatus, default=PaymentStatus.PENDING)
    failure = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.amount_usd} USD, {self.status}"


class GatewayEvent(models.Model):
    """An event that a gateway sent; the same one again changes nothing."""

    gateway = models.CharField(max_length=20)
    event_ref = models.CharField("event reference", max_length=120)
    kind = models.CharField(max_length=80)
    object_ref = models.CharField("object reference", max_length=120, blank=True)
    received_at = models.DateTimeField(default=timezone.now)
    handled_at = models.DateTimeField(null=True, blank=True)
    failure = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["-pk"]
        verbose_name = "payment gateway event"
        constraints = [models.UniqueConstraint(fields=["gateway", "event_ref"], name="billing_event_once")]

    def __str__(self) -> str:
        return f"{self.kind} {self.event_ref}"
