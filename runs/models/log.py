"""Console logs, and lines and posts that were refused."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from runs.models.run import Run


class LogBlock(models.Model):
    """Consecutive lines of console log. Where blocks overlap, the later one holds.

    A post brings a block; many of them are folded into few (`runs.logs.compaction`).
    """

    run = models.ForeignKey(Run, models.CASCADE, related_name="log_blocks", db_index=False)  # see the indexes
    first_line = models.PositiveBigIntegerField()
    line_count = models.PositiveIntegerField()
    payload = models.BinaryField(help_text="zstd of the JSON list of the lines, as they came on the wire.")
    is_folded = models.BooleanField(default=False, help_text="Made of the blocks that posts brought.")

    class Meta:
        indexes = [
            models.Index(fields=["run", "first_line"], name="runs_logblock_lines"),
            models.Index(fields=["run"], condition=Q(is_folded=False), name="runs_logblock_loose"),
        ]

    def __str__(self) -> str:
        return f"lines {self.first_line}+{self.line_count} of {self.run_id}"


class BadLine(models.Model):
    """A line that could not be read, set aside and shown on the run (RUN-8)."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="bad_line_rows")
    kind = models.CharField(max_length=16)
    text = models.TextField(help_text="Its first 2,000 characters.")
    reason = models.CharField(max_length=300)
    at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.reason


class RefusedPosts(models.Model):
    """Posts of lines that a limit refused, until for some minutes none was (wish 20)."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="refused_posts")
    setting = models.CharField(max_length=64, help_text="The variable that sets the limit.")
    count = models.PositiveIntegerField()
    first_at = models.DateTimeField(help_text="UTC.")
    last_at = models.DateTimeField(help_text="UTC.")

    class Meta:
        ordering = ["first_at", "pk"]

    def __str__(self) -> str:
        return f"{self.count} by {self.setting}"
