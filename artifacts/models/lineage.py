"""Which run logged a version, and which runs used it."""

from django.db import models
from django.utils import timezone

from artifacts.models.versions import Version
from runs.models import Run


class Output(models.Model):
    """A run logged the version: the first, or one whose files turned out to be the same."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="artifact_outputs")
    version = models.ForeignKey(Version, models.CASCADE, related_name="outputs")
    at = models.DateTimeField("time", default=timezone.now)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["run", "version"], name="artifacts_output_once")]

    def __str__(self) -> str:
        return f"{self.version_id} of {self.run_id}"


class Use(models.Model):
    """A run used the version."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="artifact_uses")
    version = models.ForeignKey(Version, models.CASCADE, related_name="uses")
    used_as = models.CharField(max_length=128, blank=True)
    at = models.DateTimeField("time", default=timezone.now)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["run", "version"], name="artifacts_use_once")]

    def __str__(self) -> str:
        return f"{self.version_id} by {self.run_id}"
