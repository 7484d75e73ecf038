"""Automations, when they acted last for which run, how far they have looked at its metrics, and which sweeps fail.

Most of their tables and constraints are named after `alerts`, where they began.
"""

from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from alerts.models import Destination, Level
from artifacts.models import Collection
from common.models import Timestamped
from runs.models import Project, Run
from sweeps.models import Sweep
from teams.models import Team


class ActionKind(models.TextChoices):
    """What an automation does, as the SDK names it; it knows no mail."""

    NOTIFICATION = "NOTIFICATION", _("Send a Slack message")
    GENERIC_WEBHOOK = "GENERIC_WEBHOOK", _("Call a webhook")
    EMAIL = "EMAIL", _("Send an email")
    NO_OP = "NO_OP", _("Record only")


class Automation(Timestamped):
    """When something happens in a project, one of its collections, or all projects of a team, do something (ALR-6)."""

    team = models.ForeignKey(Team, models.CASCADE, related_name="automations")
    project = models.ForeignKey(
        Project,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="automations",
        help_text="Empty: all projects of the team.",
    )
    collection = models.ForeignKey(
        Collection,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="automations",
        help_text="Of the project; empty: all its collections.",
    )
    name = models.CharField(max_length=128)
    description = models.TextField(blank=True)
    event = models.CharField(
        max_length=32, help_text="The SDK's name for it, such as RUN_STATE or RUN_METRIC."
    )
    filter = models.JSONField(
        default=dict, help_text="The SDK's eventFilter."
    )  # see automations.conditions.filters
    action = models.CharField(max_length=20, choices=ActionKind)
    destination = models.ForeignKey(
        Destination,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="automations",
        help_text="Empty: nothing is sent.",
    )
    mail_to = models.ManyToManyField(
        User,
        related_name="+",
        blank=True,
        help_text="Team members who get an email.",
        verbose_name="email recipients",
    )
    mail_author = models.BooleanField(
        "email to author", default=False, help_text="Whether the author of the run gets an email."
    )
    title = models.CharField(
        max_length=256, blank=True, help_text="Of the message or email; may contain variables."
    )
    message = models.TextField(blank=True, help_text="Of the message or email; may contain variables.")
    severity = models.CharField(max_length=8, default=Level.INFO, choices=Level)
    payload = models.TextField(blank=True, help_text="Of the webhook; empty uses the destination's template.")
    once_in_s = models.PositiveIntegerField(
        "cooldown (s)",
        default=86_400,
        help_text="How long it stays silent for a run after it was triggered; 0 means that it always acts.",
    )
    is_on = models.BooleanField("enabled", default=True)
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    last_fired_at = models.DateTimeField("last triggered at", null=True, blank=True)

    class Meta:
        db_table = "alerts_automation"
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["team", "name"], name="alerts_automation_name_once")]
        indexes = [models.Index(fields=["project", "event"], name="alerts_automation_event")]

    def __str__(self) -> str:
        return self.name


class AutomationRun(models.Model):
    """When an automation acted last for a run."""

    automation = models.ForeignKey(Automation, models.CASCADE, related_name="+")
    run = models.ForeignKey(Run, models.CASCADE, related_name="+")
    fired_at = models.DateTimeField()

    class Meta:
        db_table = "alerts_automationrun"
        constraints = [
            models.UniqueConstraint(fields=["run", "automation"], name="alerts_automationrun_once")
        ]

    def __str__(self) -> str:
        return f"{self.automation_id} for {self.run_id}"


class FailingSweep(models.Model):
    """That an automation has acted on the failures of a sweep's runs; gone once their share falls below again."""

    automation = models.ForeignKey(Automation, models.CASCADE, related_name="+")
    sweep = models.ForeignKey(Sweep, models.CASCADE, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["sweep", "automation"], name="automations_failingsweep_once")
        ]

    def __str__(self) -> str:
        return f"{self.automation_id} for {self.sweep_id}"


class MetricCursor(models.Model):
    """How far automations have looked at a run's rows; written every few seconds, read when a process begins."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="+")
    kind = models.SmallIntegerField(help_text="See metrics.models.StreamKind.")
    stream = models.BigIntegerField(
        help_text="The metrics.Stream whose rows are counted: a rewound run has another; 0: none yet."
    )
    row = models.BigIntegerField(help_text="The first row that was not looked at.")
    at = models.DateTimeField(help_text="When it was written, UTC.")

    class Meta:
        db_table = "alerts_metriccursor"
        constraints = [models.UniqueConstraint(fields=["run", "kind"], name="alerts_metriccursor_once")]

    def __str__(self) -> str:
        return f"row {self.row} of {self.run_id}"
