"""Blobs and the ledger of bytes."""

from django.db import models
from django.utils import timezone


class Blob(models.Model):
    """Content stored once by digest. Who uses it keeps a foreign key; what nobody uses is swept."""

    digest = models.CharField(max_length=64, unique=True, help_text="Hex SHA-256.")
    md5 = models.CharField(max_length=24, help_text="Base64 MD5, the SDK's digest of files.")
    size_bytes = models.BigIntegerField()
    location = models.CharField(
        max_length=200,
        unique=True,
        help_text="Path below the blob root; never reused, so a late delete hits nothing.",
    )
    created_at = models.DateTimeField(default=timezone.now)
    seen_at = models.DateTimeField(default=timezone.now, help_text="Last upload of this content, UTC.")

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.digest[:12]}… ({self.size_bytes} B)"


class ByteEntry(models.Model):
    """One change of the bytes that a team holds. Kept for ever: metering is rebuilt from it (BIL-4).

    Ids are plain numbers, because entries outlive the runs and projects they speak of.
    """

    at = models.DateTimeField(default=timezone.now)
    team_id = models.BigIntegerField()
    project_id = models.BigIntegerField(null=True)
    run_id = models.BigIntegerField(null=True)
    category = models.CharField(max_length=16, help_text="file, artifact, history or log.")
    delta_bytes = models.BigIntegerField()

    class Meta:
        verbose_name_plural = "byte entries"
        indexes = [
            models.Index(fields=["team_id", "at"], name="storage_bytes_team"),
            models.Index(fields=["run_id"], name="storage_bytes_run"),
        ]

    def __str__(self) -> str:
        return f"{self.delta_bytes:+d} B {self.category} of team {self.team_id}"
