"""What was asked for, and how far it is."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.models import Timestamped
from storage.models import Blob
from teams.models import Team


class ExportState(models.TextChoices):
    """What became of an export."""

    WAITING = "waiting", _("Waiting")
    RUNNING = "running", _("Running")
    DONE = "done", _("Done")
    FAILED = "failed", _("Failed")
    CANCELED = "canceled", _("Canceled")
    EXPIRED = "expired", _("Expired")


UNDER_WAY = (ExportState.WAITING, ExportState.RUNNING)


class Export(Timestamped):
    """One archive. It holds what its asker may see, so it is theirs alone; ``updated_at`` is its heartbeat."""

    team = models.ForeignKey(Team, models.CASCADE, related_name="exports")
    asked_by = models.ForeignKey(User, models.CASCADE, related_name="+", verbose_name="requested by")
    state = models.CharField(max_length=8, default=ExportState.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0, help_text="How often a worker has started on it.")
    runs_done = models.PositiveBigIntegerField(default=0)
    runs_total = models.PositiveBigIntegerField(default=0)
    error = models.TextField(blank=True, help_text="Why it failed; shown to the person who requested it.")
    blob = models.ForeignKey(Blob, models.PROTECT, null=True, blank=True, verbose_name="archive")
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["team", "asked_by"],
                condition=Q(state__in=("waiting", "running")),
                name="exports_export_one_under_way",
            ),
            models.CheckConstraint(
                condition=Q(state="done", blob__isnull=False) | (~Q(state="done") & Q(blob__isnull=True)),
                name="exports_export_archive_when_done",
            ),
        ]

    def __str__(self) -> str:
        return f"export of {self.team}"

    @property
    def state_label(self) -> str:
        """What pages call the state."""
        return str(ExportState(self.state).label)

    @property
    def is_under_way(self) -> bool:
        """Whether a worker has it or will take it."""
        return self.state in UNDER_WAY
