"""Plans, who is on which, and who looks after it."""

from decimal import Decimal
from typing import cast

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts.models import User
from billing.periods import Period
from common.models import Timestamped
from teams.models import Organization, Team

CURRENCY = "USD"
_ZERO = Decimal(0)


def _price(help_text: str) -> "models.DecimalField[Decimal, Decimal]":
    return models.DecimalField(
        max_digits=12,
        decimal_places=4,
        default=_ZERO,
        validators=[MinValueValidator(_ZERO)],
        help_text=help_text,
    )


def _optional_price(help_text: str) -> "models.DecimalField[Decimal | None, Decimal | None]":
    return models.DecimalField(
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
    rank = models.PositiveSmallIntegerField(default=0, help_text="Order on pages.")
    is_offered = models.BooleanField(
        default=False, help_text="Billing admins choose it themselves; others are given by operators."
    )
    by_contact = models.BooleanField(
        default=False, help_text="Shown for comparison, with the contact instead of a button."
    )
    is_default = models.BooleanField(default=False, help_text="Of new organizations. One plan is.")
    is_personal_default = models.BooleanField(
        default=False, help_text="Of new personal entities. One plan is."
    )
    trial_days = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="New organizations and people that begin on it have it so long, as a trial; empty: for good.",
    )
    price_usd = _price("For a billing period, in advance.")
    seats = models.PositiveIntegerField(
        null=True, blank=True, help_text="Full seats; empty is without limit."
    )
    view_only_seats = models.PositiveIntegerField(
        null=True, blank=True, help_text="Seats that only look; empty is without limit. Needs the switch."
    )
    included_hours = models.PositiveIntegerField(
        null=True, blank=True, help_text="Tracked hours in a period; empty is without limit."
    )
    hour_price_usd = _optional_price("For a tracked hour above; empty: hours are shown and never billed.")
    included_storage_gb = models.PositiveIntegerField(
        null=True, blank=True, help_text="GB (10⁹ bytes), on average over the period; empty is without limit."
    )
    storage_price_usd = _optional_price(
        "For a GB above, for a period; empty: nothing is stored above the limit."
    )
    extra_storage_price_usd = _optional_price(
        "For a GB bought in advance, for a period; empty: none is sold."
    )
    included_ingestion_gb = models.PositiveIntegerField(
        null=True, blank=True, help_text="GB of trace data in a period; empty is without limit."
    )
    ingestion_price_usd = _optional_price(
        "For a GB of trace data above; empty: none is taken above the limit."
    )
    grace_days = models.PositiveSmallIntegerField(
        default=7, help_text="So long uploads are warned about, not refused, once storage is above its limit."
    )
    has_custom_roles = models.BooleanField(default=False)
    has_view_only_role = models.BooleanField(
        default=False, help_text="View-only seats and the view-only role."
    )
    has_service_accounts = models.BooleanField(default=False)
    has_automations = models.BooleanField(default=False, help_text="Slack and webhook automations.")
    has_sso = models.BooleanField(
        "has SSO", default=False, help_text="Teams by groups of a provider, and SCIM."
    )
    has_audit_log = models.BooleanField(default=False)
    has_usage_alerts = models.BooleanField(default=False)
    alerts_billing_admin_only = models.BooleanField(
        default=False, help_text="Usage alerts go to the billing admins, not to all admins."
    )
    has_many_billing_admins = models.BooleanField(
        default=False, help_text="Several at a time; otherwise assigning one moves the role."
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
        help_text="Of kind personal.",
    )
    plan = models.ForeignKey(Plan, models.PROTECT, related_name="subscriptions")
    next_plan = models.ForeignKey(
        Plan,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="From the end of the period on.",
    )
    former_plans = models.ManyToManyField(
        Plan,
        blank=True,
        related_name="+",
        help_text="Plans that it left by its own choice, and can go back to, whether they are offered or not.",
    )
    extra_storage_gb = models.PositiveIntegerField(
        default=0, help_text="Bought in advance, on top of the plan's."
    )
    next_extra_storage_gb = models.PositiveIntegerField(
        null=True, blank=True, help_text="From the end of the period on; empty: as now."
    )
    earlier_terms = models.JSONField(
        default=list,
        blank=True,
        help_text="What was included earlier in the period that runs, each until a day (`billing.charges`).",
    )
    trial_ends_at = models.DateTimeField(
        null=True, blank=True, help_text="The plan is a trial until then, UTC, and costs nothing meanwhile."
    )
    trial_then = models.ForeignKey(
        Plan, models.PROTECT, null=True, blank=True, related_name="+", help_text="The plan after the trial."
    )
    trial_told_days = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="The trial's end was mailed so many days before."
    )
    anchor_day = models.PositiveSmallIntegerField(
        default=1,
        validators=[MinValueValidator(1), MaxValueValidator(28)],
        help_text="Day of the month on which periods begin, UTC.",
    )
    closed_to = models.DateField(null=True, blank=True, help_text="Periods before this day are closed.")
    over_storage_since = models.DateTimeField(
        null=True,
        blank=True,
        help_text="Since when more is stored than the limit, UTC; the grace runs from then.",
    )
    pays_by_transfer = models.BooleanField(
        default=False, help_text="By bank transfer, whatever else is set up and on file."
    )
    gateway = models.CharField(max_length=20, blank=True, help_text="Which gateway knows it as a customer.")
    customer_ref = models.CharField(max_length=120, blank=True, help_text="What the gateway calls it.")
    billing_name = models.CharField(max_length=200, blank=True, help_text="On invoices.")
    billing_address = models.TextField(max_length=1000, blank=True, help_text="On invoices.")
    tax_id = models.CharField(max_length=60, blank=True)
    purchase_order = models.CharField(max_length=60, blank=True)
    invoice_prefix = models.CharField(
        max_length=40, blank=True, help_text="Of its invoices' numbers; set with the first."
    )
    invoices_made = models.PositiveIntegerField(default=0, help_text="Numbers invoices; never goes back.")

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
    def coming(self) -> tuple[Plan, int]:
        """The plan and the bought GB of the period that follows; storage ends with the plan that sold it."""
        plan = self.next_plan or self.plan
        if self.next_extra_storage_gb is not None:
            return plan, self.next_extra_storage_gb
        return plan, self.extra_storage_gb if self.next_plan is None or plan.sells_storage else 0

    def begin_coming(self) -> None:
        """Let the period that follows begin; saves nothing. A trial goes on unless another plan was chosen."""
        if self.next_plan is not None:
            self.clear_trial()
        self.plan, self.extra_storage_gb = self.coming
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


class InternalPrices(Timestamped):
    """What an organization charges its own teams, for showback; no money moves by it."""

    organization = models.OneToOneField(Organization, models.CASCADE, related_name="internal_prices")
    currency = models.CharField(max_length=3, default=CURRENCY, help_text="ISO 4217.")
    gpu_hour_price = _price("For an hour of one GPU.")
    storage_gb_price = _price("For a GB (10⁹ bytes) stored for a period.")
    kwh_price = _price("For a kWh that GPUs drew.")

    class Meta:
        verbose_name_plural = "internal prices"

    def __str__(self) -> str:
        return f"prices of {self.organization}"
