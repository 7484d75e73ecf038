"""Runs, and what changes as they go on."""

from datetime import datetime

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.models import Timestamped
from runs.models.project import Project
from runs.states import ACTIVE, RunState


def is_listed() -> Q:
    """Return what lists, counts and charts show of runs: those that are live, but for what a rewind set aside.

    Of that its run's page tells; once the run is deleted it is in lists like others, or nobody would find it.
    """
    is_own = Q(archive_of__isnull=True) | Q(archive_of__deleted_at__isnull=False)
    return Q(deleted_at__isnull=True) & is_own


HOST_JOB_TYPE = "host"
"""The job type of runs that `runyard-agent host` makes."""


class RunQuerySet(models.QuerySet["Run"]):
    """Runs, deleted ones among them."""

    def live(self) -> "RunQuerySet":
        """Leave deleted runs out."""
        return self.filter(deleted_at__isnull=True)

    def listed(self) -> "RunQuerySet":
        """Keep what lists, counts and charts show."""
        return self.filter(is_listed())

    def locked(self) -> "RunQuerySet":
        """Lock the runs until the transaction ends, in one order, before anything that belongs to them.

        Foreign-key checks of others pass this lock; it stands for every row of the run, its points' too.
        """
        return self.select_for_update(of=("self",), no_key=True).order_by("pk")


class Run(Timestamped):
    """One training run: its identity, configuration and state. Its points live in ``metrics``."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="runs")
    uid = models.CharField(
        "run ID", max_length=128, help_text="Chosen by the SDK; unique in its project for ever."
    )
    number = models.PositiveBigIntegerField(help_text="In its project, from 1.")
    display_name = models.CharField(max_length=128)
    user = models.ForeignKey(
        User,
        models.SET_NULL,
        null=True,
        related_name="runs",
        help_text="The author: the attributed member, if any.",
    )
    logged_by = models.ForeignKey(
        User, models.SET_NULL, null=True, related_name="+", help_text="The account whose API key logged it."
    )
    state = models.CharField(max_length=12, default=RunState.RUNNING)
    started_at = models.DateTimeField(default=timezone.now)
    synced_at = models.DateTimeField(
        null=True,
        help_text="When the server first received it, if it was recorded offline, UTC.",
    )
    finished_at = models.DateTimeField(null=True, help_text="After a crash, the last sign of life.")
    active_since = models.DateTimeField(null=True, help_text="Begin of the lifetime under way.")
    active_before_s = models.FloatField(
        "earlier active time (s)", default=0.0, help_text="In earlier lifetimes."
    )
    exit_code = models.IntegerField(null=True)
    stop_requested_at = models.DateTimeField(null=True)
    forked_from = models.ForeignKey(
        "self",
        models.SET_NULL,
        null=True,
        related_name="forks",
        help_text="Whose history this one's begins with.",
    )
    forked_at_step = models.BigIntegerField(null=True, help_text="The last step that was taken over.")
    archive_of = models.ForeignKey(
        "self",
        models.SET_NULL,
        null=True,
        related_name="archives",
        help_text="The run that was rewound: this one keeps what it had before. Not in lists.",
    )
    deleted_at = models.DateTimeField(null=True)
    is_protected = models.BooleanField("protected", default=False, help_text="Cannot be deleted.")
    purge_began_at = models.DateTimeField(null=True, help_text="From then on it cannot be restored.")
    purged_at = models.DateTimeField(
        null=True, help_text="Its data is gone; the row stays, so that its ID is not used again."
    )
    config_text = models.TextField(default="{}", help_text="Exactly as it came; what the SDK gets back.")
    config_flat = models.JSONField("flat config", default=dict)  # see runs.config.flatten
    redacted_keys = models.JSONField(
        default=list,
        help_text="Keys of config and metadata whose values were removed; see runs.config.redaction.",
    )
    tags = models.JSONField(default=list)
    notes = models.TextField(blank=True)
    description = models.TextField(blank=True)
    masked_notes = models.TextField(
        blank=True, help_text="What filters read instead; empty without a secret."
    )
    masked_description = models.TextField(blank=True, help_text="As masked_notes.")
    group = models.CharField(max_length=256, blank=True)
    job_type = models.CharField(max_length=256, blank=True)
    sweep = models.CharField(max_length=16, blank=True, help_text="The ID of the sweep that it is part of.")
    is_host = models.BooleanField(
        "host monitoring",
        default=False,
        help_text="Whether it only monitors a machine, hence is no training.",
    )
    host = models.CharField(max_length=256, blank=True)
    program = models.CharField(max_length=1024, blank=True)
    git_remote = models.CharField("Git remote", max_length=1024, blank=True)
    git_commit = models.CharField("Git commit", max_length=64, blank=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(fields=["project", "uid"], name="runs_run_uid_once"),
            models.CheckConstraint(condition=Q(state__in=RunState.values), name="runs_run_state"),
        ]
        indexes = [
            models.Index(fields=["project", "-created_at", "-id"], name="runs_run_newest"),
            # All that `runs.projects.run_counts` counts and adds up.
            models.Index(
                fields=[
                    "project",
                    "deleted_at",
                    "archive_of",
                    "state",
                    "user",
                    "finished_at",
                    "active_before_s",
                    "active_since",
                ],
                name="runs_run_counted",
            ),
            models.Index(fields=["state"], condition=Q(state__in=sorted(ACTIVE)), name="runs_run_active"),
            models.Index(fields=["user", "-created_at", "-id"], name="runs_run_by_user"),
            models.Index(fields=["user", "state"], name="runs_run_of_user_in_state"),
            models.Index(fields=["user", "-finished_at"], name="runs_run_ended"),
            models.Index(fields=["project", "sweep"], condition=~Q(sweep=""), name="runs_run_by_sweep"),
            models.Index(
                fields=["deleted_at"],
                condition=Q(deleted_at__isnull=False, purged_at__isnull=True),
                name="runs_run_unpurged",
            ),
        ]

    def __str__(self) -> str:
        return self.display_name

    @property
    def state_label(self) -> str:
        """What pages call the state."""
        return str(RunState(self.state).label)

    @property
    def is_active(self) -> bool:
        """Whether heartbeats are expected."""
        return self.state in ACTIVE

    @property
    def arrived_at(self) -> datetime:
        """When the server first heard of the run."""
        return self.synced_at or self.created_at

    @property
    def runtime_s(self) -> float:
        """Wall clock from start to end, or until now (RUN-3)."""
        return max(0.0, ((self.finished_at or timezone.now()) - self.started_at).total_seconds())

    @property
    def duration_s(self) -> float:
        """As runtime, without the pauses between an end and a resume (RUN-3)."""
        return self.active_before_s + self.lifetime_s(self.finished_at or timezone.now())

    @property
    def protection(self) -> str:
        """Why the run cannot be deleted, "" when it can; its project must be loaded."""
        if self.is_protected:
            return str(_("it is protected"))
        tag = next((tag for tag in self.tags if tag in self.project.protected_tags), "")
        return str(_("its tag “%(tag)s” protects it in this project")) % {"tag": tag} if tag else ""

    @property
    def is_rewound(self) -> bool:
        """Whether steps were cut off; the run that keeps them is the one it was forked from."""
        return self.forked_from is not None and self.forked_from.archive_of_id == self.pk

    def lifetime_s(self, until: datetime) -> float:
        """Return the seconds of the lifetime under way; 0 when none is."""
        return max(0.0, (until - self.active_since).total_seconds()) if self.active_since else 0.0


class Pulse(models.Model):
    """What changes with every post of a run, in a narrow row beside the wide one (decisions/database.md)."""

    run = models.OneToOneField(Run, models.CASCADE, primary_key=True, related_name="pulse")
    heartbeat_at = models.DateTimeField(db_index=True, help_text="Last post, UTC.")
    summary_text = models.TextField(default="{}", help_text="Exactly as it came; may hold NaN tokens.")
    summary_flat = models.JSONField(default=dict, help_text="See runs.config.flatten.")
    log_lines = models.PositiveBigIntegerField(default=0, help_text="Lines of console log, gaps counted.")
    bad_lines = models.PositiveBigIntegerField(
        default=0, help_text="Lines set aside because they were malformed."
    )

    def __str__(self) -> str:
        return f"pulse of {self.run_id}"


class RunHost(models.Model):
    """A machine that a process of a run said it runs on: the cluster's pages read it for all runs at once."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="hosts")
    host = models.CharField(max_length=256)
    label = models.CharField(
        max_length=256, blank=True, help_text="What tags of its samples end with, if that is not its name."
    )
    os = models.CharField(max_length=256, blank=True)
    cpu_count = models.PositiveIntegerField(null=True, help_text="Logical ones.")
    memory_bytes = models.BigIntegerField(null=True)
    gpus = models.JSONField(default=list, help_text="In the order of their index; see runs.hosts.gpus.")
    told = models.JSONField(default=dict, help_text="The metadata file; of the SDK the config says the same.")

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["run", "host"], name="runs_runhost_once")]

    def __str__(self) -> str:
        return self.host


class RunWriter(models.Model):
    """One of several processes that write to a run beside each other, and what it sent last (decisions/runs.md)."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="writers")
    writer = models.CharField(
        max_length=64, blank=True, help_text="The ID that the client made; empty for all that give none."
    )
    is_primary = models.BooleanField(
        default=False, help_text="Whether it describes its machine, as only primary writers do."
    )
    has_ended = models.BooleanField(default=False)
    config_text = models.TextField(default="{}")
    tags = models.JSONField(default=list)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["run", "writer"], name="runs_runwriter_once")]

    def __str__(self) -> str:
        return f"{self.run_id} {self.writer}"


class RunAlias(models.Model):
    """Another path of a run: by which the agent began it, before the SDK in its command gave it an id of its own."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="+")
    uid = models.CharField(max_length=128)
    run = models.OneToOneField(Run, models.CASCADE, related_name="alias")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "uid"], name="runs_runalias_once")]

    def __str__(self) -> str:
        return self.uid


class StateChange(models.Model):
    """One step in a run's life, for its timeline, alerts and metering."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="state_changes")
    state = models.CharField(max_length=12)
    at = models.DateTimeField("time", help_text="UTC; for a crash, the last sign of life.")
    noticed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.run_id} {self.state}"


class RunAlert(models.Model):
    """An alert that code sent (ALR-1); what the same title sent within its waiting time is not repeated."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="alerts")
    title = models.CharField(max_length=256)
    text = models.TextField(blank=True)
    level = models.CharField(max_length=8, help_text="INFO, WARN or ERROR.")
    at = models.DateTimeField(default=timezone.now)
    token = models.CharField(
        max_length=64,
        blank=True,
        help_text="The client's own; what comes with the same again changes nothing.",
    )
    is_sent = models.BooleanField(
        default=True,
        help_text="False: came within the waiting time of its title, kept only for its token.",
    )

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "token"], condition=~Q(token=""), name="runs_runalert_token_once"
            )
        ]
        indexes = [models.Index(fields=["run", "title", "-at"], name="runs_runalert_title")]

    def __str__(self) -> str:
        return self.title
