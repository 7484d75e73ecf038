"""Bytes that projects hold for their artifacts."""

from django.db import models
from django.utils import timezone

from runs.models import Project
from storage.models import Blob, Bucket


class Content(models.Model):
    """Bytes that a project holds, once, however many of its versions name them.

    What no version names is waiting for the collector; what only deleted versions name lies in the trash.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="artifact_contents")
    blob = models.ForeignKey(Blob, models.PROTECT, related_name="+")
    md5 = models.CharField("MD5 digest", max_length=24, help_text="Base64, as the SDK names it.")
    size_bytes = models.BigIntegerField("size (bytes)")
    live_count = models.PositiveIntegerField(
        "versions", default=0, help_text="Committed versions that name it and are not deleted."
    )
    trash_count = models.PositiveIntegerField(
        "deleted versions", default=0, help_text="Deleted versions that name it and can be restored."
    )
    created_at = models.DateTimeField(default=timezone.now)
    seen_at = models.DateTimeField("last uploaded or released at", default=timezone.now, help_text="UTC.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "md5"], name="artifacts_content_md5_once"),
        ]
        indexes = [
            models.Index(
                fields=["seen_at"],
                condition=models.Q(live_count=0, trash_count=0),
                name="artifacts_content_unused",
            )
        ]

    def __str__(self) -> str:
        return f"{self.md5} ({self.size_bytes} B)"


class Pin(models.Model):
    """Content that a draft has asked about or uploaded: it stays while the draft may name it."""

    version = models.ForeignKey("artifacts.Version", models.CASCADE, related_name="pins")
    content = models.ForeignKey(Content, models.CASCADE, related_name="pins")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["version", "content"], name="artifacts_pin_once")]

    def __str__(self) -> str:
        return f"{self.content_id} by {self.version_id}"


class PartsUpload(models.Model):
    """One file of a draft that comes in parts."""

    version = models.ForeignKey("artifacts.Version", models.CASCADE, related_name="parts_uploads")
    key = models.CharField("upload ID", max_length=32, unique=True)
    md5 = models.CharField("MD5 digest of the whole", max_length=24, help_text="Base64.")
    path = models.CharField(max_length=1024)
    content = models.ForeignKey(
        Content, models.SET_NULL, null=True, related_name="+", help_text="Once it is complete."
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["version", "md5"], name="artifacts_partsupload_once")]

    def __str__(self) -> str:
        return f"{self.path} of {self.version_id}"


class DirectUpload(models.Model):
    """One file of a draft that its client sends straight to a bucket; what came of it, the commit asks the bucket."""

    version = models.ForeignKey("artifacts.Version", models.CASCADE, related_name="direct_uploads")
    bucket = models.ForeignKey(Bucket, models.PROTECT, related_name="+")
    location = models.CharField(max_length=200, help_text="Key below the bucket's folder.")
    md5 = models.CharField("MD5 digest", max_length=24, help_text="Base64.")
    path = models.CharField(max_length=1024)
    key = models.CharField("upload ID", max_length=32, unique=True)
    parts_id = models.CharField(
        "provider's upload ID", max_length=1024, blank=True, help_text="Of a file that comes in parts."
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["version", "md5"], name="artifacts_directupload_once"),
            models.UniqueConstraint(
                fields=["bucket", "location"], name="artifacts_directupload_location_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.path} of {self.version_id}"
