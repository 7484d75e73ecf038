"""Versions of artifacts: drafts while they are logged, fixed once they are committed."""

from django.db import models
from django.db.models import Q

from accounts.models import User
from artifacts.models.collections import Collection
from artifacts.models.contents import Content
from common.models import Timestamped
from runs.models import Project, Run


class VersionState(models.TextChoices):
    """The life of a version."""

    DRAFT = "draft"
    """Files are coming."""
    COMMITTED = "committed"
    """It has its number, and its files never change again."""
    MERGED = "merged"
    """It was a draft whose files turned out to be those of another version."""


class VersionQuerySet(models.QuerySet["Version"]):
    """Versions, drafts and deleted ones among them."""

    def live(self) -> "VersionQuerySet":
        """Keep committed versions that are not deleted, of projects and collections that are not."""
        return self.filter(
            state=VersionState.COMMITTED,
            deleted_at__isnull=True,
            collection__deleted_at__isnull=True,
            collection__project__deleted_at__isnull=True,
        )

    def deleted(self) -> "VersionQuerySet":
        """Keep those that were deleted and can still be restored."""
        return self.filter(
            state=VersionState.COMMITTED, deleted_at__isnull=False, purge_began_at__isnull=True
        )


class Version(Timestamped):
    """One version of a collection: its files and references, never changed after the commit."""

    collection = models.ForeignKey(
        Collection, models.CASCADE, related_name="versions", help_text="Into which it was logged."
    )
    state = models.CharField(max_length=12, choices=VersionState, default=VersionState.DRAFT)
    digest = models.CharField(max_length=64, help_text="Of the manifest, as the client computed it.")
    description = models.TextField(blank=True, help_text="Markdown.")
    metadata_text = models.TextField("metadata", default="{}", help_text="JSON.")
    history_step = models.BigIntegerField("step of the run", null=True)
    size_bytes = models.BigIntegerField(
        "size (bytes)", default=0, help_text="Of its files; references count none."
    )
    file_count = models.PositiveIntegerField("files", default=0)
    reference_count = models.PositiveIntegerField("references", default=0)
    ttl_s = models.PositiveBigIntegerField(
        "time to live (s)", null=True, help_text="None: as its collection's; 0: for ever."
    )
    run = models.ForeignKey(Run, models.SET_NULL, null=True, related_name="+", help_text="Which logged it.")
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    distributed_id = models.CharField("distributed ID", max_length=128, blank=True)
    base = models.ForeignKey("self", models.SET_NULL, null=True, related_name="+")
    draft_aliases = models.JSONField(default=list, help_text="Given to it at the commit.")
    draft_tags = models.JSONField(default=list, help_text="Given to it at the commit.")
    manifest = models.ForeignKey(
        Content,
        models.PROTECT,
        null=True,
        related_name="+",
        help_text="The whole manifest, from the commit on.",
    )
    merged_into = models.ForeignKey("self", models.SET_NULL, null=True, related_name="+")
    is_protected = models.BooleanField("protected from deletion", default=False)
    committed_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True, help_text="When its time to live ends, UTC.")
    is_expiry_announced = models.BooleanField("expiry announced", default=False)
    deleted_at = models.DateTimeField(null=True, help_text="UTC.")
    deleted_with = models.JSONField(
        default=dict, help_text="Aliases and links that went with it, and come back with it."
    )
    purge_began_at = models.DateTimeField(null=True, help_text="From then on it cannot be restored.")

    objects = VersionQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["collection", "digest"], name="artifacts_version_digest"),
            models.Index(
                fields=["expires_at"],
                condition=Q(expires_at__isnull=False, deleted_at__isnull=True),
                name="artifacts_version_expiry",
            ),
            models.Index(
                fields=["deleted_at"], condition=Q(deleted_at__isnull=False), name="artifacts_version_deleted"
            ),
            models.Index(fields=["updated_at"], condition=Q(state="draft"), name="artifacts_version_drafts"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=VersionState.values), name="artifacts_version_state"
            ),
            models.UniqueConstraint(
                fields=["collection", "distributed_id"],
                condition=Q(state="draft") & ~Q(distributed_id=""),
                name="artifacts_version_distributed_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.collection}@{self.digest[:8]}"

    @property
    def is_draft(self) -> bool:
        """Whether files may still come."""
        return self.state == VersionState.DRAFT

    @property
    def entry_count(self) -> int:
        """How many files and references it has."""
        return self.file_count + self.reference_count

    @property
    def project(self) -> Project:
        """Where it was logged."""
        return self.collection.project


class ClientId(models.Model):
    """What a client called a version, and its collection, before it knew our ids; references use these names."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="+")
    client_id = models.CharField("client ID", max_length=128)
    sequence_client_id = models.CharField(
        "client ID of the collection", max_length=128, blank=True, db_index=True
    )
    version = models.ForeignKey(Version, models.CASCADE, related_name="client_ids")

    class Meta:
        verbose_name = "client ID"
        constraints = [
            models.UniqueConstraint(fields=["client_id", "project"], name="artifacts_clientid_once")
        ]

    def __str__(self) -> str:
        return self.client_id


class VersionTag(Timestamped):
    """A label of a version."""

    version = models.ForeignKey(Version, models.CASCADE, related_name="tags")
    name = models.CharField(max_length=128)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["version", "name"], name="artifacts_versiontag_once")]

    def __str__(self) -> str:
        return self.name
