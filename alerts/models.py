"""What people and teams want to be told of, where it goes, and what was told.

An event is written in the transaction of what happened. Routing turns it into deliveries, each part of one message to
one recipient; a message gathers what belongs together, is sent, and keeps what its peer answered.
"""

import uuid

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.models import OutboxMail, User
from common.models import Timestamped
from runs.models import Project, Run
from teams.models import Team


class Level(models.TextChoices):
    """How urgent an alert is, as the SDK says it."""

    INFO = "INFO", _("Info")
    WARN = "WARN", _("Warning")
    ERROR = "ERROR", _("Error")


class EventKind(models.TextChoices):
    """What can happen. Automations choose among finer events (`automations.conditions.events`)."""

    RUN_STATE = "run_state", _("Run state changed")
    RUN_ALERT = "run_alert", _("Alert sent by code")
    RUN_METRIC = "run_metric", _("Metric met a condition")
    ARTIFACT = "artifact", _("Artifact changed")
    SWEEP = "sweep", _("Sweep changed")


class AlertSettings(Timestamped):
    """What a person is told of the runs they author, or a team of all runs in its projects (ALR-2). No row: nothing."""

    user = models.OneToOneField(User, models.CASCADE, null=True, related_name="alert_settings")
    team = models.OneToOneField(Team, models.CASCADE, null=True, related_name="alert_settings")
    on_finished = models.BooleanField("finished runs", default=False)
    on_crashed = models.BooleanField("crashed and failed runs", default=False)
    on_killed = models.BooleanField("runs stopped by others", default=False)
    on_scripted = models.BooleanField("alerts sent by code", default=False)
    on_sweeps = models.BooleanField("finished sweeps", default=False)
    least_level = models.CharField(
        "minimum level", max_length=8, default=Level.INFO, choices=Level, help_text="Of alerts sent by code."
    )
    by_email = models.BooleanField(
        "email", default=True, help_text="To the person, or to every team member who can see the run."
    )

    class Meta:
        verbose_name_plural = "alert settings"
        constraints = [
            models.CheckConstraint(
                condition=Q(user__isnull=True) ^ Q(team__isnull=True), name="alerts_settings_of_one"
            )
        ]

    def __str__(self) -> str:
        return f"alerts of {self.user or self.team}"


class DestinationKind(models.TextChoices):
    """How a destination is reached; `alerts.transports` has one folder's worth of code for each."""

    SLACK = "slack", _("Slack")
    SLACK_WEBHOOK = "slack_webhook", _("Slack incoming webhook")
    WEBHOOK = "webhook", _("Webhook")


class Destination(Timestamped):
    """A place outside: a Slack channel or a webhook. It belongs to a team; a person's own to their personal one."""

    team = models.ForeignKey(Team, models.CASCADE, related_name="destinations")
    kind = models.CharField(max_length=16, choices=DestinationKind)
    name = models.CharField(max_length=64)
    sealed_url = models.TextField(
        "sealed URL", help_text="Encrypted, because everyone who knows it can post to it."
    )
    place = models.CharField(
        "target", max_length=200, blank=True, help_text="Shown on pages: channel and workspace, or host."
    )
    mention = models.CharField(max_length=40, blank=True, help_text="The Slack ID that messages mention.")
    preset = models.CharField(
        max_length=16, blank=True, help_text="The service that the webhook's payload is made for."
    )
    template = models.TextField(blank=True, help_text="Payload of the webhook; empty uses the preset's.")
    access_token_name = models.CharField(
        "access token",
        max_length=64,
        blank=True,
        help_text="Name of the team secret that the webhook sends as its Bearer token.",
    )
    signing_secret_name = models.CharField(
        "signing secret",
        max_length=64,
        blank=True,
        help_text="Name of the team secret that signs the webhook's body.",
    )
    is_on = models.BooleanField("enabled", default=True)
    off_reason = models.TextField(
        "disabling reason", blank=True, help_text="Why it was disabled automatically."
    )
    last_sent_at = models.DateTimeField(null=True, blank=True)
    last_error = models.TextField(blank=True, help_text="Of the last attempt; empty if it succeeded.")
    last_error_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["team", "name"], name="alerts_destination_name_once")]

    def __str__(self) -> str:
        return self.name

    @property
    def is_slack(self) -> bool:
        """Whether it takes Slack's messages."""
        return self.kind != DestinationKind.WEBHOOK


class Route(Timestamped):
    """Where alerts go besides mail: those of all projects, or of one, or of runs with a tag (wish 79)."""

    settings = models.ForeignKey(AlertSettings, models.CASCADE, related_name="routes")
    destination = models.ForeignKey(Destination, models.CASCADE, related_name="routes")
    project = models.ForeignKey(Project, models.CASCADE, null=True, blank=True, related_name="+")
    tag = models.CharField(max_length=256, blank=True)

    class Meta:
        ordering = ["pk"]
        verbose_name = "alert route"
        constraints = [
            models.UniqueConstraint(
                fields=["settings", "destination", "project", "tag"],
                condition=Q(project__isnull=False),
                name="alerts_route_of_project_once",
            ),
            models.UniqueConstraint(
                fields=["settings", "destination", "tag"],
                condition=Q(project__isnull=True),
                name="alerts_route_of_all_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.settings} to {self.destination}"


class Mute(Timestamped):
    """What a person does not want mail about: a project, or what a team sends its members."""

    user = models.ForeignKey(User, models.CASCADE, related_name="alert_mutes")
    project = models.ForeignKey(Project, models.CASCADE, null=True, related_name="+")
    team = models.ForeignKey(Team, models.CASCADE, null=True, related_name="+")

    class Meta:
        ordering = ["pk"]
        verbose_name = "alert mute"
        constraints = [
            models.CheckConstraint(
                condition=Q(project__isnull=True) ^ Q(team__isnull=True), name="alerts_mute_of_one"
            ),
            models.UniqueConstraint(
                fields=["user", "project"],
                condition=Q(project__isnull=False),
                name="alerts_mute_project_once",
            ),
            models.UniqueConstraint(
                fields=["user", "team"], condition=Q(team__isnull=False), name="alerts_mute_team_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.project or self.team}"


class Secret(Timestamped):
    """A team's secret for webhooks: encrypted, used by name, never shown again (ALR-7)."""

    team = models.ForeignKey(Team, models.CASCADE, related_name="webhook_secrets")
    name = models.CharField(max_length=64, help_text="A letter, then letters, digits and _.")
    sealed = models.TextField()
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["team", "name"], name="alerts_secret_name_once")]

    def __str__(self) -> str:
        return self.name


class Event(models.Model):
    """Something that happened, written in its own transaction; whom it concerns is found afterwards."""

    uid = models.UUIDField("event ID", default=uuid.uuid4, unique=True)
    kind = models.CharField(max_length=16, choices=EventKind)
    team = models.ForeignKey(Team, models.CASCADE, related_name="+")
    project = models.ForeignKey(Project, models.CASCADE, null=True, related_name="+")
    run = models.ForeignKey(Run, models.CASCADE, null=True, related_name="events")
    automation = models.ForeignKey(
        "automations.Automation",
        models.CASCADE,
        null=True,
        related_name="+",
        help_text="The automation whose condition was met.",
    )
    at = models.DateTimeField("time", default=timezone.now, help_text="When it happened, UTC.")
    data = models.JSONField(default=dict, help_text="By kind; see alerts.events.")
    routed_at = models.DateTimeField(null=True, help_text="When its recipients were determined, UTC.")

    class Meta:
        ordering = ["pk"]
        verbose_name = "alert event"
        indexes = [
            models.Index(fields=["id"], condition=Q(routed_at__isnull=True), name="alerts_event_unrouted"),
            models.Index(fields=["at"], name="alerts_event_at"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}, {self.at:%Y-%m-%d %H:%M}"

    @property
    def sweep_id(self) -> int | None:
        """The key of the sweep that it is about; None of other events."""
        return self.data.get("sweep") if self.kind == EventKind.SWEEP else None


class MessageState(models.TextChoices):
    """What became of a message."""

    WAITING = "waiting", _("Waiting")
    SENT = "sent", pgettext_lazy("message", "Sent")
    FAILED = "failed", _("Failed")
    DROPPED = "dropped", _("Dropped")


class Message(models.Model):
    """What one recipient is told at once: a mail, a Slack message or a call of a webhook, and its outcome (ALR-5)."""

    uid = models.UUIDField(
        "message ID",
        default=uuid.uuid4,
        unique=True,
        help_text="The same for each attempt, so that receivers recognize repeats.",
    )
    recipient = models.CharField(max_length=40, help_text="user:ID, destination:ID or automation:ID.")
    user = models.ForeignKey(
        User, models.CASCADE, null=True, related_name="+", help_text="Who gets the email."
    )
    destination = models.ForeignKey(Destination, models.CASCADE, null=True, related_name="messages")
    automation = models.ForeignKey(
        "automations.Automation", models.CASCADE, null=True, related_name="messages"
    )
    team = models.ForeignKey(
        Team, models.CASCADE, null=True, related_name="+", help_text="The team whose settings asked for it."
    )
    state = models.CharField(max_length=8, default=MessageState.WAITING, choices=MessageState)
    is_open = models.BooleanField("open", default=True, help_text="Whether more events may join it.")
    opened_at = models.DateTimeField(default=timezone.now)
    send_at = models.DateTimeField("next attempt at", help_text="UTC.")
    claimed_until = models.DateTimeField(null=True, help_text="A worker is sending it until then.")
    attempt_count = models.PositiveIntegerField("attempts", default=0)
    request = models.TextField(blank=True, help_text="What was sent last, secrets masked.")
    status = models.PositiveIntegerField("HTTP status", null=True, help_text="Of the last answer.")
    response = models.TextField(blank=True, help_text="The beginning of the last answer.")
    error = models.TextField("last error", blank=True, help_text="Why the last attempt failed.")
    mail = models.ForeignKey(OutboxMail, models.SET_NULL, null=True, related_name="+", verbose_name="email")
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]
        verbose_name = "alert message"
        constraints = [
            models.UniqueConstraint(
                fields=["recipient"], condition=Q(is_open=True), name="alerts_message_one_open"
            )
        ]
        indexes = [
            models.Index(fields=["send_at"], condition=Q(state="waiting"), name="alerts_message_due"),
            models.Index(fields=["recipient", "-ended_at"], name="alerts_message_recent"),
        ]

    def __str__(self) -> str:
        return f"{self.recipient}: {self.state}"

    @property
    def state_label(self) -> str:
        """What pages call the state."""
        return str(MessageState(self.state).label)


class Delivery(models.Model):
    """That an event is told to a recipient: once, in one message, whoever asked for it."""

    event = models.ForeignKey(Event, models.CASCADE, related_name="deliveries")
    message = models.ForeignKey(Message, models.CASCADE, related_name="deliveries")
    recipient = models.CharField(max_length=40, help_text="The recipient of the message.")

    class Meta:
        ordering = ["pk"]
        verbose_name = "alert delivery"
        verbose_name_plural = "alert deliveries"
        constraints = [models.UniqueConstraint(fields=["event", "recipient"], name="alerts_delivery_once")]

    def __str__(self) -> str:
        return f"event {self.event_id} to {self.recipient}"
