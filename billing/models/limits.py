"""What is limited, which usage alerts were sent, and which notices were closed."""

from django.db import models
from django.utils import timezone

from accounts.models import User
from billing.models.plans import Subscription


class UsageCategory(models.TextChoices):
    """What is limited, or charged."""

    HOURS = "hours", "Tracked hours"
    STORAGE = "storage", "Storage"
    INGESTION = "ingestion", "Trace data"
    CHARGES = "charges", "Charges"


class UsageAlert(models.Model):
    """A threshold that was passed in a period, and who was mailed (BIL-6): once each."""

    subscription = models.ForeignKey(Subscription, models.CASCADE, related_name="usage_alerts")
    period_start = models.DateField()
    category = models.CharField(max_length=12, choices=UsageCategory)
    threshold = models.PositiveIntegerField(help_text="Percent of the limit; US dollars of charges.")
    at = models.DateTimeField("sent at", default=timezone.now)
    recipients = models.JSONField(default=list, help_text="Usernames.")

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["subscription", "period_start", "category", "threshold"],
                name="billing_usagealert_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_category_display()}, {self.threshold}, from {self.period_start}"


class NoticeDismissal(models.Model):
    """A notice of a limit that somebody closed; it comes back at the next stage, and in the next period."""

    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    subscription = models.ForeignKey(Subscription, models.CASCADE, related_name="+")
    limit = models.CharField(max_length=20, help_text="seats, view_only_seats, hours, storage or ingestion.")
    stage = models.CharField(max_length=10, help_text="near, full or refused.")
    period_start = models.DateField(help_text="UTC.")

    class Meta:
        ordering = ["-pk"]
        verbose_name = "dismissed notice"
        constraints = [
            models.UniqueConstraint(
                fields=["user", "subscription", "limit", "stage", "period_start"],
                name="billing_noticedismissal_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.limit} {self.stage} of {self.subscription_id} by {self.user_id}"
