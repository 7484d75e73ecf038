"""The metric store: what has arrived, as column batches, and packed segments (docs/develop/decisions/metrics.md)."""

from django.db import models
from django.utils import timezone

from runs.models import Run
from storage.models import Bucket


class StreamKind(models.IntegerChoices):
    """What a stream holds. Console log has sequences but no stream: its lines live in ``runs``."""

    HISTORY = 0, "history"
    SYSTEM = 1, "system"
    LOG = 2, "log"


class Stream(models.Model):
    """One run's rows of one kind, numbered from 0 in the order they were committed."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="+")
    kind = models.SmallIntegerField(choices=StreamKind)
    next_row = models.BigIntegerField(default=0)
    last_step = models.FloatField(null=True, help_text="The largest _step.")
    last_at = models.FloatField(
        "last timestamp", null=True, help_text="The largest _timestamp, Unix seconds."
    )
    tail_bytes = models.BigIntegerField(
        "tail (bytes)", default=0, help_text="Size of the rows that are not packed yet."
    )
    packed_to = models.BigIntegerField(
        "packed up to", default=0, help_text="Rows before this one are packed in segments."
    )
    leased_until = models.DateTimeField(null=True, help_text="A worker is packing the stream until then.")

    class Meta:
        verbose_name = "metric stream"
        constraints = [models.UniqueConstraint(fields=["run", "kind"], name="metrics_stream_once")]

    def __str__(self) -> str:
        return f"{StreamKind(self.kind).label} of run {self.run_id}"


class StreamKeys(models.Model):
    """Which keys a stream has, to count them (metrics.ingest.key_limit)."""

    stream = models.OneToOneField(Stream, models.CASCADE, primary_key=True, related_name="+")
    hashes = models.BinaryField(help_text="BLAKE2b-64 of each key's shown name, rising.")

    class Meta:
        verbose_name = "keys of a stream"
        verbose_name_plural = "keys of streams"

    def __str__(self) -> str:
        return f"{len(self.hashes) // 8} keys of {self.stream}"


class Export(models.Model):
    """Rows of an ended run's history that the SDK was given as one Parquet file (metrics.downloads.sdk_parquet)."""

    stream = models.ForeignKey(Stream, models.CASCADE, related_name="+")
    row_from = models.BigIntegerField()
    row_to = models.BigIntegerField(help_text="Exclusive.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["stream", "row_from"], name="metrics_export_once")]

    def __str__(self) -> str:
        return f"rows {self.row_from} to {self.row_to} of {self.stream}"


class Sequence(models.Model):
    """Where a writer's line offsets lie among the rows (decisions/ingest.md).

    Offset ``first_offset + i`` of this writer and lifetime is row ``base_row + i``, for ``i < row_count``. A writer
    whose numbers are exact (REST's stream) has one of history and of system metrics for all up to a gap, wherever
    others' rows came in between: only how many there are counts.
    """

    run = models.ForeignKey(Run, models.CASCADE, related_name="+")
    kind = models.SmallIntegerField(choices=StreamKind)
    writer = models.CharField(
        max_length=64, blank=True, help_text="Client ID in shared mode, otherwise empty."
    )
    lifetime = models.IntegerField(
        default=0, help_text="Counts the processes that started again at an offset."
    )
    first_offset = models.BigIntegerField()
    base_row = models.BigIntegerField()
    row_count = models.BigIntegerField()
    gap_before = models.BigIntegerField(
        default=0, help_text="Lines that the client skipped; they were never received."
    )
    replaced = models.BigIntegerField(
        "replaced lines",
        default=0,
        help_text="Log lines that replaced the one before: numbered, but without a row.",
    )
    written_at = models.FloatField(help_text="The last line, Unix seconds.")

    class Meta:
        ordering = ["pk"]
        verbose_name = "stream sequence"
        indexes = [models.Index(fields=["run", "kind", "writer"], name="metrics_sequence_writer")]

    def __str__(self) -> str:
        return f"{self.row_count} lines from {self.first_offset} of run {self.run_id}"


class KeySet(models.Model):
    """A tuple of keys logged together, stored once for all runs."""

    hash = models.CharField(max_length=32, unique=True, help_text="Hex BLAKE2b-128 of the keys' JSON.")
    keys = models.TextField(help_text="JSON list; nested keys are joined by U+001F.")

    def __str__(self) -> str:
        return self.keys[:80]


class Tail(models.Model):
    """A batch of consecutive rows as columns (metrics.store.codec)."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="+")
    kind = models.SmallIntegerField(choices=StreamKind)
    row0 = models.BigIntegerField()
    row_count = models.IntegerField()
    x0 = models.FloatField(help_text="Smallest _step (history) or _timestamp (system) of the batch.")
    x1 = models.FloatField(help_text="Largest.")
    codec = models.SmallIntegerField(help_text="0 as is, 1 lz4.")
    payload = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "kind", "row0"], name="metrics_tail_row_once")]

    def __str__(self) -> str:
        return f"rows {self.row0}+{self.row_count} of {self.run_id}"

    @property
    def row_to(self) -> int:
        """The row after its last."""
        return self.row0 + self.row_count


class SegmentStore(models.IntegerChoices):
    """Where a segment's content lies (metrics.store.segment_storage)."""

    FILES = 0, "files of the data folder"
    DATABASE = 1, "database"
    BUCKET = 2, "bucket"
    CLICKHOUSE = 3, "ClickHouse"


class Segment(models.Model):
    """Consecutive rows, packed (metrics.store.segments); a larger segment may replace neighbours."""

    stream = models.ForeignKey(Stream, models.CASCADE, related_name="segments")
    row0 = models.BigIntegerField()
    row_count = models.IntegerField()
    x0 = models.FloatField(help_text="Smallest _step (history) or _timestamp (system) of the segment.")
    x1 = models.FloatField(help_text="Largest.")
    name = models.CharField(
        max_length=40, unique=True, help_text="Under which the cold store keeps its content."
    )
    store = models.SmallIntegerField(choices=SegmentStore, default=SegmentStore.FILES)
    bucket = models.ForeignKey(
        Bucket, models.PROTECT, null=True, related_name="+", help_text="Empty: no bucket holds its content."
    )
    size_bytes = models.IntegerField()
    index = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["stream", "row0"], name="metrics_segment_row_once"),
            models.CheckConstraint(
                condition=models.Q(store=SegmentStore.BUCKET, bucket__isnull=False)
                | (~models.Q(store=SegmentStore.BUCKET) & models.Q(bucket=None)),
                name="metrics_segment_bucket_if_there",
            ),
        ]

    def __str__(self) -> str:
        return f"rows {self.row0}+{self.row_count} of {self.stream}"

    @property
    def row_to(self) -> int:
        """The row after its last."""
        return self.row0 + self.row_count


class SegmentContent(models.Model):
    """A segment's bytes, where they are kept in the database."""

    name = models.CharField(max_length=40, unique=True)
    content = models.BinaryField()
    written_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name


class ReplacedSegment(models.Model):
    """A content that no segment names since another replaced it; it stays a while for readers under way."""

    name = models.CharField(max_length=40, unique=True)
    replaced_at = models.DateTimeField(default=timezone.now, db_index=True, help_text="UTC.")

    def __str__(self) -> str:
        return self.name
