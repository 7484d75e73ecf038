"""What a version consists of: the manifests that clients sent, and the entries they come to."""

import mimetypes

from django.db import models

from artifacts.models.contents import Content
from artifacts.models.versions import Version
from common.models import Timestamped


class ManifestKind(models.TextChoices):
    """How a manifest of a draft is read."""

    FULL = "full"
    """It is all that the version has."""
    PATCH = "patch"
    """It is what one of several writers adds."""
    INCREMENTAL = "incremental"
    """It is what changes against the base."""


class Manifest(Timestamped):
    """A manifest of a draft; those that were read at the commit stay until the version is purged."""

    version = models.ForeignKey(Version, models.CASCADE, related_name="manifests")
    base = models.ForeignKey(Version, models.SET_NULL, null=True, related_name="+")
    kind = models.CharField(max_length=12, choices=ManifestKind, default=ManifestKind.FULL)
    name = models.CharField(max_length=128)
    digest = models.CharField(max_length=64, blank=True, help_text="As the client computed it.")
    content = models.ForeignKey(
        Content, models.PROTECT, null=True, related_name="+", help_text="Once it has come."
    )

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.name} of {self.version_id}"


class Entry(models.Model):
    """One file of a version, or a reference to one elsewhere."""

    version = models.ForeignKey(Version, models.CASCADE, related_name="entries")
    path = models.CharField(max_length=1024)
    content = models.ForeignKey(
        Content, models.PROTECT, null=True, related_name="entries", help_text="None of a reference."
    )
    digest = models.CharField(
        max_length=1024, help_text="Base64 MD5 of a file; of a reference whatever its store says, an ETag."
    )
    size_bytes = models.BigIntegerField(
        "size (bytes)", null=True, help_text="Of a reference where it is known."
    )
    reference = models.TextField(blank=True, help_text="The address of what lies elsewhere.")
    extra = models.JSONField(default=dict, help_text="What the SDK keeps beside a reference.")
    birth_version_id = models.BigIntegerField(
        null=True, help_text="The version that first had this content at this path."
    )

    class Meta:
        ordering = ["path"]
        verbose_name_plural = "entries"
        constraints = [models.UniqueConstraint(fields=["version", "path"], name="artifacts_entry_path_once")]
        indexes = [
            models.Index(
                fields=["birth_version_id", "digest"], name="artifacts_entry_birth"
            ),  # single downloads
        ]

    def __str__(self) -> str:
        return self.path

    @property
    def content_type(self) -> str:
        """What its name suggests."""
        return mimetypes.guess_type(self.path)[0] or "application/octet-stream"
