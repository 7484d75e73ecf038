"""Plans, who is on which, and who looks after it."""

from decimal import Decimal
from typing import cast

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts.models import User
from common.models import Timestamped
from teams.models import Organization, Team
from usage.periods import Period

_ZERO = Decimal(0)


def _price(verbose_name: str, help_text: str) -> "models.DecimalField[Decimal, Decimal]":
    return models.DecimalField(
        verbose_name,
        max_digits=12,
        decimal_places=4,
        default=_ZERO,
        validators=[MinValueValidator(_ZERO)],
        help_text=help_text,
    )


def _optional_price(
    verbose_name: str, help_text: str
) -> "models.DecimalField[Decimal | None, Decimal | None]":
    return models.DecimalField(
        verbose_name,
        max_digits=12,
        decimal_places=4,
        default=None,
        null=True,
        blank=True,
        validators=[MinValueValidator(_ZERO)],
        help_text=help_text,
    )


class Plan(Timestamped):
    """What an organization gets and what it costs (BIL-3). Operators edit plans; a fresh installation seeds some."""

    key = models.SlugField(max_length=40, unique=True)
    name = models.CharField(max_length=80)
    description = models.CharField(max_length=300, blank=True)
    rank = models.PositiveSmallIntegerField("position", default=0, help_text="Order on pages.")
    is_offered = models.BooleanField(
        "offered",
        default=False,
        help_text="Billing admins can choose it themselves; other plans are assigned by operators.",
    )
    by_contact = models.BooleanField(
        "contact only", default=False, help_text="Listed for comparison, with a contact instead of a button."
    )
    is_default = models.BooleanField(
        "default", default=False, help_text="New organizations start on it. Exactly one plan is the default."
    )
    is_personal_default = models.BooleanField(
        "personal default",
        default=False,
        help_text="New people start on it. Exactly one plan is the personal default.",
    )
    trial_days = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="Length of the trial for new organizations and people who start on the plan; empty means no trial.",
    )
    price_usd = _price("price (USD)", "Per billing period, charged in advance.")
    seats = models.PositiveIntegerField(null=True, blank=True, help_text="Full seats; empty means no limit.")
    view_only_seats = models.PositiveIntegerField(
        "view-only seats",
        null=True,
        blank=True,
        help_text="Empty means no limit. Requires the view-only role.",
    )
    included_hours = models.PositiveIntegerField(
        null=True, blank=True, help_text="Tracked hours per billing period; empty means no limit."
    )
    hour_price_usd = _optional_price(
        "hour overage price (USD)",
        "Per tracked hour above the limit; empty means that hours are shown but never charged.",
    )
    included_storage_gb = models.PositiveIntegerField(
        "included storage (GB)",
        null=True,
        blank=True,
        help_text="GB (10⁹ bytes), averaged over the billing period; empty means no limit.",
    )
    storage_price_usd = _optional_price(
        "storage overage price (USD)",
        "Per GB above the limit and billing period; empty means that nothing is stored above it.",
    )
    extra_storage_price_usd = _optional_price(
        "extra storage price (USD)",
        "Per GB bought in advance and billing period; empty means that none is sold.",
    )
    included_ingestion_gb = models.PositiveIntegerField(
        "included trace data (GB)",
        null=True,
        blank=True,
        help_text="Per billing period; empty means no limit.",
    )
    ingestion_price_usd = _optional_price(
        "trace data overage price (USD)",
        "Per GB above the limit; empty means that nothing is accepted above it.",
    )
    grace_days = models.PositiveSmallIntegerField(
        default=7,
        help_text="How long uploads are only warned about, not refused, after storage has exceeded its limit.",
    )
    has_custom_roles = models.BooleanField("custom roles", default=False)
    has_view_only_role = models.BooleanField(
        "view-only role", default=False, help_text="View-only seats and the view-only role."
    )
    has_service_accounts = models.BooleanField("service accounts", default=False)
    has_automations = models.BooleanField(
        "automations", default=False, help_text="Slack and webhook automations."
    )
    has_sso = models.BooleanField(
        "SSO", default=False, help_text="Teams by groups of a sign-in provider, and SCIM."
    )
    has_audit_log = models.BooleanField("audit log", default=False)
    has_usage_alerts = models.BooleanField("usage alerts", default=False)
    alerts_billing_admin_only = models.BooleanField(
        "usage alerts to billing admins only", default=False, help_text="Instead of to all admins."
    )
    has_many_billing_admins = models.BooleanField(
        "several billing admins", default=False, help_text="Otherwise assigning a new one moves the role."
    )

    class Meta:
        ordering = ["rank", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["is_default"], condition=Q(is_default=True), name="billing_plan_one_default"
            ),
            models.UniqueConstraint(
                fields=["is_personal_default"],
                condition=Q(is_personal_default=True),
                name="billing_plan_one_personal_default",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def sells_storage(self) -> bool:
        """Whether storage can be bought on top of it."""
        return self.included_storage_gb is not None and self.extra_storage_price_usd is not None


TERMS = (
    "plan", "extra_storage_gb", "next_plan", "next_extra_storage_gb", "earlier_terms", "trial_ends_at", "trial_then",
    "trial_told_days",
)  # fmt: skip
"""Fields of `Subscription` that say what holds when."""


class Subscription(Timestamped):
    """The plan of an organization or of a personal entity, and how it pays; each has one from its first day."""

    organization = models.OneToOneField(
        Organization, models.PROTECT, null=True, blank=True, related_name="subscription"
    )
    team = models.OneToOneField(
        Team,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="subscription",
        verbose_name="personal entity",
    )
    plan = models.ForeignKey(Plan, models.PROTECT, related_name="subscriptions")
    next_plan = models.ForeignKey(
        Plan,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="From the end of the current period.",
    )
    former_plans = models.ManyToManyField(
        Plan,
        blank=True,
        related_name="+",
        help_text="Plans that the payer left by choice and can return to, offered or not.",
    )
    extra_storage_gb = models.PositiveIntegerField(
        "extra storage (GB)", default=0, help_text="Bought in advance, on top of the plan's."
    )
    next_extra_storage_gb = models.PositiveIntegerField(
        "next extra storage (GB)",
        null=True,
        blank=True,
        help_text="From the end of the current period; empty means unchanged.",
    )
    earlier_terms = models.JSONField(
        default=list,
        blank=True,
        help_text="What was included earlier in the current period, each until a day.",
    )
    trial_ends_at = models.DateTimeField(
        null=True, blank=True, help_text="Until then the plan is a trial and free of charge, UTC."
    )
    trial_then = models.ForeignKey(
        Plan, models.PROTECT, null=True, blank=True, related_name="+", verbose_name="plan after trial"
    )
    trial_told_days = models.PositiveSmallIntegerField(
        "trial notice (days)",
        null=True,
        blank=True,
        help_text="How many days before its end the last notice was sent.",
    )
    anchor_day = models.PositiveSmallIntegerField(
        "billing day",
        default=1,
        validators=[MinValueValidator(1), MaxValueValidator(28)],
        help_text="Day of the month on which billing periods begin, UTC.",
    )
    closed_to = models.DateField(
        "closed until", null=True, blank=True, help_text="Billing periods before this day are closed."
    )
    over_storage_since = models.DateTimeField(
        "storage exceeded since",
        null=True,
        blank=True,
        help_text="UTC; the grace period starts then.",
    )
    pays_by_transfer = models.BooleanField(
        "bank transfer", default=False, help_text="Pays by bank transfer, whatever else is on file."
    )
    gateway = models.CharField(
        max_length=20, blank=True, help_text="The gateway that knows the payer as a customer."
    )
    customer_ref = models.CharField(
        "customer reference", max_length=120, blank=True, help_text="At the gateway."
    )
    billing_name = models.CharField(max_length=200, blank=True, help_text="Printed on invoices.")
    billing_address = models.TextField(max_length=1000, blank=True, help_text="Printed on invoices.")
    tax_id = models.CharField("tax ID", max_length=60, blank=True)
    purchase_order = models.CharField(max_length=60, blank=True)
    invoice_prefix = models.CharField(
        max_length=40, blank=True, help_text="Of invoice numbers; set with the first invoice."
    )
    invoices_made = models.PositiveIntegerField(
        "invoice count", default=0, help_text="Numbers invoices; never decreases."
    )

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(organization__isnull=True) ^ Q(team__isnull=True),
                name="billing_subscription_of_one",
            ),
            models.CheckConstraint(
                condition=Q(trial_ends_at__isnull=True, trial_then__isnull=True)
                | Q(trial_ends_at__isnull=False, trial_then__isnull=False),
                name="billing_subscription_trial_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.payer} ({self.plan})"

    @property
    def payer(self) -> Organization | Team:
        """Whose it is."""
        return self.organization or cast("Team", self.team)

    @property
    def has_next(self) -> bool:
        """Whether something changes when the period ends."""
        return self.next_plan_id is not None or self.next_extra_storage_gb is not None

    @property
    def is_trial(self) -> bool:
        """Whether the plan is a trial (TEAM-12): it costs nothing, and ends by itself."""
        return self.trial_ends_at is not None

    def clear_trial(self) -> None:
        """Let the plan be no trial any more, since another one or the same for good took its place; saves nothing."""
        self.trial_ends_at = self.trial_then = self.trial_told_days = None

    def is_behind(self, period: Period) -> bool:
        """Whether a period before this one, which runs, is not closed yet."""
        if self.closed_to is None:
            return self.created_at < period.starts_at
        return self.closed_to < period.start

    @property
    def terms(self) -> dict[str, str | int | None]:
        """What holds now, and from the period's end on, as the audit log keeps it."""
        return {
            "plan": self.plan.key,
            "extra_storage_gb": self.extra_storage_gb,
            "next_plan": self.next_plan.key if self.next_plan else None,
            "next_extra_storage_gb": self.next_extra_storage_gb,
        }

    @property
    def next_terms(self) -> tuple[Plan, int]:
        """The plan and the bought GB of the period that follows; storage ends with the plan that sold it."""
        plan = self.next_plan or self.plan
        if self.next_extra_storage_gb is not None:
            return plan, self.next_extra_storage_gb
        return plan, self.extra_storage_gb if self.next_plan is None or plan.sells_storage else 0

    def apply_next_terms(self) -> None:
        """Let the period that follows begin; saves nothing. A trial goes on unless another plan was chosen."""
        if self.next_plan is not None:
            self.clear_trial()
        self.plan, self.extra_storage_gb = self.next_terms
        self.next_plan = self.next_extra_storage_gb = None
        self.earlier_terms = []

    @property
    def storage_limit_gb(self) -> int | None:
        """What may be stored, bought storage included; None is without limit."""
        included = self.plan.included_storage_gb
        return None if included is None else included + self.extra_storage_gb


class BillingAdmin(models.Model):
    """An organization admin who gets its billing mail and manages payment (BIL-9)."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="billing_admins")
    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["organization", "user"], name="billing_admin_once")]

    def __str__(self) -> str:
        return f"{self.user} for {self.organization}"
