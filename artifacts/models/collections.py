"""Types, collections, the versions in them, and their aliases."""

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.models import Timestamped
from runs.models import Project
from teams.models import Team

LATEST = "latest"
"""The alias of the newest version of a collection; it moves by itself."""


class ArtifactType(Timestamped):
    """What the artifacts of a project are, as the code that logs them says: a dataset, a model."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="artifact_types")
    name = models.CharField(max_length=128)
    description = models.TextField(blank=True)

    class Meta:
        verbose_name = "artifact type"
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["project", "name"], name="artifacts_type_name_once")]

    def __str__(self) -> str:
        return self.name


class CollectionKind(models.TextChoices):
    """Where the versions of a collection come from."""

    SEQUENCE = "sequence", _("Sequence")
    """Runs and people log versions into it."""
    PORTFOLIO = "portfolio", _("Portfolio")
    """Versions of other collections are linked into it."""


class CollectionQuerySet(models.QuerySet["Collection"]):
    """Collections, deleted ones among them."""

    def live(self) -> "CollectionQuerySet":
        """Leave deleted collections, and those of deleted projects, out."""
        return self.filter(deleted_at__isnull=True, project__deleted_at__isnull=True)


class Collection(Timestamped):
    """A named list of versions of one type, numbered from v0 on."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="artifact_collections")
    type = models.ForeignKey(ArtifactType, models.PROTECT, related_name="collections")
    kind = models.CharField(max_length=12, choices=CollectionKind, default=CollectionKind.SEQUENCE)
    name = models.CharField(max_length=128)
    description = models.TextField(blank=True, help_text="Markdown.")
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    next_index = models.PositiveBigIntegerField(
        "next version number", default=0, help_text="Never decreases: no number is given twice."
    )
    ttl_s = models.PositiveBigIntegerField(
        "time to live (s)", null=True, help_text="Of versions that have none of their own; 0 for ever."
    )
    is_protected = models.BooleanField("protected from deletion", default=False)
    deleted_at = models.DateTimeField(null=True, help_text="UTC.")
    deleted_with = models.JSONField(
        default=list, help_text="Links of a portfolio that went with it, and come back with it."
    )

    objects = CollectionQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "name"],
                condition=Q(deleted_at__isnull=True),
                name="artifacts_collection_name_once",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=CollectionKind.values), name="artifacts_collection_kind"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_sequence(self) -> bool:
        """Whether versions are logged into it, not linked."""
        return self.kind == CollectionKind.SEQUENCE


class CollectionTag(Timestamped):
    """A label of a collection."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="tags")
    name = models.CharField(max_length=128)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["collection", "name"], name="artifacts_collectiontag_once")
        ]

    def __str__(self) -> str:
        return self.name


class Membership(Timestamped):
    """The place of a version in a collection: in its own, or in one that it is linked into."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="memberships")
    version = models.ForeignKey("artifacts.Version", models.CASCADE, related_name="memberships")
    index = models.PositiveBigIntegerField("version number")
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ["-index"]
        constraints = [
            models.UniqueConstraint(fields=["collection", "index"], name="artifacts_membership_index_once"),
            models.UniqueConstraint(
                fields=["collection", "version"], name="artifacts_membership_version_once"
            ),
        ]

    def __str__(self) -> str:
        return self.label

    @property
    def label(self) -> str:
        """The version number as people write it."""
        return f"v{self.index}"


class Alias(Timestamped):
    """A name of one version of a collection, which can move to another."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="aliases")
    membership = models.ForeignKey(Membership, models.CASCADE, related_name="aliases")
    name = models.CharField(max_length=128)

    class Meta:
        verbose_name_plural = "aliases"
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["collection", "name"], name="artifacts_alias_name_once")
        ]

    def __str__(self) -> str:
        return self.name


class AliasChange(models.Model):
    """An alias came to a version of a collection, or left it."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="alias_changes")
    name = models.CharField(max_length=128)
    index = models.PositiveBigIntegerField("version number")
    is_added = models.BooleanField("added")
    user = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField("time", default=timezone.now)

    class Meta:
        verbose_name = "alias change"
        ordering = ["-pk"]
        indexes = [models.Index(fields=["collection", "index"], name="artifacts_aliaschange_index")]

    def __str__(self) -> str:
        return f"{'+' if self.is_added else '-'}{self.name} v{self.index}"


class RetentionPolicy(Timestamped):
    """How long the artifacts of a team are kept where neither version nor collection says."""

    team = models.OneToOneField(Team, models.CASCADE, related_name="artifact_retention")
    ttl_s = models.PositiveBigIntegerField("time to live (s)", default=0, help_text="0 for ever.")

    class Meta:
        verbose_name = "retention policy"
        verbose_name_plural = "retention policies"

    def __str__(self) -> str:
        return f"{self.team}: {self.ttl_s} s"
