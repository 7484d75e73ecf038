"""Sweeps, the agents that work on them, and the trials that those were given."""

from datetime import timedelta
from typing import Any

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.models import Timestamped
from runs.models import Project, Run

SILENT_AFTER = timedelta(seconds=60)
"""An agent that has not been heard for so long counts as lost; they ask every five seconds."""


class SweepState(models.TextChoices):
    """What a sweep is doing; the values are the SDK's words, which knows no other."""

    PENDING = "PENDING", _("Pending")
    RUNNING = "RUNNING", _("Running")
    PAUSED = "PAUSED", _("Paused")
    FINISHED = "FINISHED", _("Finished")
    CANCELED = "CANCELED", _("Canceled")


ENDED = frozenset({SweepState.FINISHED, SweepState.CANCELED})
"""States in which no new runs begin."""


class SweepQuerySet(models.QuerySet["Sweep"]):
    """Sweeps, deleted ones among them."""

    def live(self) -> "SweepQuerySet":
        """Leave deleted sweeps out."""
        return self.filter(deleted_at__isnull=True)


class Sweep(Timestamped):
    """A search over the arguments of a program: its configuration, and how far it is."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="sweeps")
    uid = models.CharField("sweep ID", max_length=16, help_text="Unique in its project for ever.")
    display_name = models.CharField(max_length=128, blank=True)
    description = models.TextField(blank=True)
    config_text = models.TextField(help_text="YAML, exactly as it came.")
    method = models.CharField(max_length=8)
    metric_name = models.CharField(max_length=512, blank=True)
    metric_goal = models.CharField(max_length=8, blank=True, help_text="minimize or maximize.")
    run_cap = models.PositiveIntegerField(null=True, help_text="How many trials are handed out at most.")
    grid_size = models.BigIntegerField(
        null=True, help_text="How many points a grid has; empty for other methods."
    )
    is_hyperband = models.BooleanField(
        "early termination", default=False, help_text="Runs that fall behind are stopped (hyperband)."
    )
    retries = models.BooleanField(
        default=False, help_text="A trial whose run crashed, or never began, is handed out again."
    )
    state = models.CharField(max_length=8, default=SweepState.PENDING)
    is_stopped = models.BooleanField(
        "stopped", default=False, help_text="Somebody ended it while trials remained."
    )
    ended_at = models.DateTimeField(null=True, help_text="UTC.")
    trial_count = models.PositiveBigIntegerField(default=0, help_text="Numbers trials; never decreases.")
    next_point = models.BigIntegerField(default=0, help_text="Of a grid: no point before it is left to give.")
    best_value = models.FloatField(null=True, help_text="The best of the runs that have ended, as told last.")
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    deleted_at = models.DateTimeField(null=True, help_text="UTC.")
    runs_deleted_until = models.DateTimeField(
        null=True, help_text="Its runs that were deleted from deleted_at to then went with it."
    )

    objects = SweepQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["project", "uid"], name="sweeps_sweep_uid_once"),
            models.CheckConstraint(condition=Q(state__in=SweepState.values), name="sweeps_sweep_state"),
        ]

    def __str__(self) -> str:
        return self.display_name or self.uid

    @property
    def state_label(self) -> str:
        """What pages call the state."""
        return str(_("Stopped") if self.is_stopped else SweepState(self.state).label)

    @property
    def is_ended(self) -> bool:
        """Whether no new runs begin."""
        return self.state in ENDED


class SweepAgent(models.Model):
    """A process of the SDK that asks for runs, on some machine."""

    sweep = models.ForeignKey(Sweep, models.CASCADE, related_name="agents")
    uid = models.CharField("agent ID", max_length=16)
    host = models.CharField(max_length=256, blank=True)
    user = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    heartbeat_at = models.DateTimeField(default=timezone.now, help_text="UTC.")
    exited_at = models.DateTimeField(null=True, help_text="When it was told to exit, UTC.")

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["sweep", "uid"], name="sweeps_sweepagent_uid_once")]

    def __str__(self) -> str:
        return f"{self.host} {self.uid}" if self.host else self.uid

    @property
    def is_lost(self) -> bool:
        """Whether it fell silent without having been told to exit."""
        return self.exited_at is None and timezone.now() - self.heartbeat_at > SILENT_AFTER


class TrialState(models.TextChoices):
    """How far a trial is."""

    GIVEN = "given", _("Assigned to an agent")
    RUNNING = "running", _("Running")
    WAITING = "waiting", _("Waiting to be retried")
    ENDED = "ended", _("Ended")


OPEN = (TrialState.GIVEN, TrialState.RUNNING)
"""States of trials that an agent works on."""


class Trial(Timestamped):
    """One set of arguments; it is one run, or several if those crashed and it was handed out again."""

    sweep = models.ForeignKey(Sweep, models.CASCADE, related_name="trials")
    number = models.PositiveBigIntegerField(help_text="In its sweep, from 1; 0 for earlier runs.")
    point = models.BigIntegerField(null=True, help_text="Of a grid: which of its points.")
    args: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    is_prior = models.BooleanField(
        "earlier run", default=False, help_text="An earlier run that the search learns from."
    )
    state = models.CharField(max_length=8, default=TrialState.GIVEN)
    attempts = models.PositiveSmallIntegerField(default=1)
    agent = models.ForeignKey(SweepAgent, models.SET_NULL, null=True, related_name="trials")
    run_uid = models.CharField("run ID", max_length=128, help_text="Of the run that it is, or is to become.")
    run = models.ForeignKey(Run, models.SET_NULL, null=True, related_name="trials")
    given_at = models.DateTimeField(default=timezone.now, help_text="UTC.")
    heard_at = models.DateTimeField(
        null=True,
        help_text="When its agent last said that it works on it, UTC; empty: it has not said so yet.",
    )
    stop_requested_at = models.DateTimeField(
        null=True, help_text="Since when its agent is told to stop it, UTC."
    )
    is_early_stop = models.BooleanField("stopped early", default=False, help_text="By hyperband.")
    rungs: models.JSONField[dict[str, float], dict[str, float]] = models.JSONField(
        default=dict, help_text="The best loss within so many iterations, where runs are compared."
    )
    is_measured = models.BooleanField(
        "measured", default=False, help_text="Its run has ended, and what it reached is known (hyperband)."
    )

    class Meta:
        ordering = ["sweep_id", "number", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["sweep", "point"], name="sweeps_trial_point_once"),
            models.UniqueConstraint(fields=["sweep", "run_uid"], name="sweeps_trial_run_once"),
        ]
        indexes = [models.Index(fields=["sweep", "state"], name="sweeps_trial_state")]

    def __str__(self) -> str:
        return f"{self.sweep_id} #{self.number}"
