"""Buckets, blobs and the ledger of bytes."""

from django.db import models
from django.utils import timezone

from teams.models import Team


class Bucket(models.Model):
    """A place of bytes outside the data folder. Without credentials of its own, those of the settings open it."""

    url = models.CharField(
        "URL", max_length=1000, help_text="Such as s3://bucket/prefix?region=eu-west-1; without credentials."
    )
    folder = models.CharField(
        max_length=16,
        editable=False,
        help_text="Below the prefix, and only of this installation: two with one prefix never see each other.",
    )
    sealed_credentials = models.TextField(blank=True, editable=False, help_text="Encrypted JSON.")
    team = models.OneToOneField(
        Team,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="bucket",
        help_text="Whose files it takes; empty: the installation's.",
    )
    created_at = models.DateTimeField(default=timezone.now)
    checked_at = models.DateTimeField("last checked at", null=True, blank=True, help_text="UTC.")
    check_error = models.TextField("error of the last check", blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["url"],
                condition=models.Q(team=None, sealed_credentials=""),
                name="storage_bucket_once",
            )
        ]

    def __str__(self) -> str:
        return self.url.partition("?")[0]


class Blob(models.Model):
    """Content stored once by digest in its bucket. Who uses it keeps a foreign key; what nobody uses is swept."""

    bucket = models.ForeignKey(
        Bucket,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="blobs",
        help_text="Empty: the data folder.",
    )
    digest = models.CharField(
        "SHA-256 digest",
        max_length=64,
        blank=True,
        help_text="Hexadecimal; empty of content that went straight to a bucket.",
    )
    md5 = models.CharField("MD5 digest", max_length=24, help_text="Base64, as the SDK sends it.")
    size_bytes = models.BigIntegerField("size (bytes)")
    location = models.CharField(
        max_length=200,
        help_text="Path below the blob root, or key below the bucket's folder; never reused.",
    )
    created_at = models.DateTimeField(default=timezone.now)
    seen_at = models.DateTimeField("last uploaded at", default=timezone.now, help_text="UTC.")

    class Meta:
        ordering = ["-pk"]
        constraints = [
            # NULL equals nothing, so that each rule needs one constraint for the data folder and one for buckets
            models.UniqueConstraint(
                fields=["digest"],
                condition=models.Q(bucket=None) & ~models.Q(digest=""),
                name="storage_blob_digest_once",
            ),
            models.UniqueConstraint(
                fields=["bucket", "digest"],
                condition=models.Q(bucket__isnull=False) & ~models.Q(digest=""),
                name="storage_blob_bucket_digest_once",
            ),
            models.UniqueConstraint(
                fields=["location"], condition=models.Q(bucket=None), name="storage_blob_location_once"
            ),
            models.UniqueConstraint(fields=["bucket", "location"], name="storage_blob_bucket_location_once"),
        ]

    def __str__(self) -> str:
        return f"{self.digest[:12] or self.md5}… ({self.size_bytes} B)"


class BucketMove(models.Model):
    """All content of a team on its way to another place, whose new content goes there from the start (TEAM-40)."""

    team = models.ForeignKey(Team, models.CASCADE, related_name="bucket_moves")
    source = models.ForeignKey(
        Bucket, models.SET_NULL, null=True, blank=True, related_name="+",
        help_text="What took new content before; empty: the data folder.",
    )  # fmt: skip
    target = models.ForeignKey(
        Bucket, models.PROTECT, null=True, blank=True, related_name="+", help_text="Empty: the data folder."
    )
    started_at = models.DateTimeField(default=timezone.now, help_text="UTC.")
    finished_at = models.DateTimeField(null=True, blank=True, help_text="UTC; empty: under way.")
    wakes_at = models.DateTimeField(
        default=timezone.now, help_text="When a worker goes on with it, UTC; in the future while one does."
    )
    files_done = models.PositiveBigIntegerField("files moved", default=0)
    files_left = models.PositiveBigIntegerField(default=0)
    bytes_done = models.PositiveBigIntegerField("bytes moved", default=0)
    unreadable = models.JSONField(
        default=dict, blank=True, help_text="Why contents cannot be read, by the key of the blob."
    )
    error = models.TextField(blank=True, help_text="Why it does not go on; empty: it does.")

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["team"], condition=models.Q(finished_at=None), name="storage_bucketmove_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.team} to {self.target or 'the data folder'}"

    @property
    def files_total(self) -> int:
        """How many files it is about, as far as that is known."""
        return self.files_done + self.files_left


class ByteEntry(models.Model):
    """One change of the bytes that a team holds. Kept for ever: metering is rebuilt from it (BIL-4).

    Ids are plain numbers, because entries outlive the runs and projects they speak of.
    """

    at = models.DateTimeField("time", default=timezone.now)
    team_id = models.BigIntegerField("team ID")
    project_id = models.BigIntegerField("project ID", null=True)
    run_id = models.BigIntegerField("run ID", null=True)
    user_id = models.BigIntegerField("user ID", null=True, help_text="The author of the run.")
    category = models.CharField(max_length=16, help_text="file, artifact, history or log.")
    delta_bytes = models.BigIntegerField("change (bytes)")
    is_metered = models.BooleanField(
        "metered", default=False, help_text="Whether it is part of the daily totals."
    )

    class Meta:
        verbose_name = "storage entry"
        verbose_name_plural = "storage entries"
        indexes = [
            models.Index(fields=["team_id", "at"], name="storage_bytes_team"),
            models.Index(fields=["at"], condition=models.Q(is_metered=False), name="storage_bytes_unmetered"),
            models.Index(fields=["run_id"], name="storage_bytes_run"),
        ]

    def __str__(self) -> str:
        return f"{self.delta_bytes:+d} B {self.category} of team {self.team_id}"


class Holding(models.Model):
    """What a run holds now of one category: the sum of its entries, kept in their transaction.

    Bytes that belong to no run have 0 in its place, and of no project 0 likewise.
    """

    team_id = models.BigIntegerField("team ID")
    project_id = models.BigIntegerField("project ID", default=0)
    run_id = models.BigIntegerField("run ID", default=0)
    category = models.CharField(max_length=16, help_text="file, artifact, history or log.")
    size_bytes = models.BigIntegerField("size (bytes)", default=0)

    class Meta:
        verbose_name = "storage balance"
        constraints = [
            models.UniqueConstraint(
                fields=["run_id", "category", "team_id", "project_id"], name="storage_holding_once"
            )
        ]
        indexes = [
            # whole rows, so that the sums of a team read nothing else: 300,000 of them in 90 ms instead of 740
            models.Index(
                fields=["team_id", "project_id", "category", "size_bytes"], name="storage_holding_sums"
            )
        ]

    def __str__(self) -> str:
        return f"{self.size_bytes} B {self.category} of run {self.run_id}"
