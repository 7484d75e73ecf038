"""Files of runs, and those that were refused."""

import mimetypes

from django.db import models
from django.utils import timezone

from common.models import Timestamped
from runs.models.run import Run
from storage.models import Blob


class RunFile(Timestamped):
    """One file of a run, by its slash path; a later upload replaces it."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="files")
    name = models.CharField(max_length=1024)
    blob = models.ForeignKey(Blob, models.PROTECT, related_name="+")
    size_bytes = models.BigIntegerField("size (bytes)")

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["run", "name"], name="runs_runfile_name_once")]

    def __str__(self) -> str:
        return self.name

    @property
    def content_type(self) -> str:
        """The media type that its name suggests."""
        return mimetypes.guess_type(self.name)[0] or "application/octet-stream"


class RefusedFile(models.Model):
    """A file that a client wanted to upload and that was not stored (BIL-3, TEAM-8); gone once it is."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="refused_files")
    name = models.CharField(max_length=1024)
    reason = models.CharField(max_length=300)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["run", "name"], name="runs_refused_file_once")]

    def __str__(self) -> str:
        return self.name


class AnnouncedFile(models.Model):
    """A file for which a client requested an upload URL; gone once it arrives, or is refused."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="announced_files")
    name = models.CharField(max_length=1024)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["run", "name"], name="runs_announced_file_once")]

    def __str__(self) -> str:
        return self.name
