"""What ingest counts and times about itself."""

import time
from collections.abc import Iterable, Sequence
from itertools import compress

from common.telemetry.definitions import (
    INGEST_ACKNOWLEDGEMENT,
    INGEST_COMMIT,
    INGEST_GROUP_POSTS,
    INGEST_POINTS,
    INGEST_ROWS,
    database_failed,
)
from metrics.ingest.post import Post, PostedRows


def record_failed_group(error: Exception) -> None:
    """Count a group that was not stored as a whole."""
    database_failed("ingest", error)


def _points_of(lines: PostedRows) -> int:
    return sum(sum(group.values.size for group in batch.groups) + len(batch.other) for batch in lines.batches)


def _count(kind: str, posted: Iterable[PostedRows | None]) -> None:
    found = [lines for lines in posted if lines is not None]
    if found:
        INGEST_ROWS.labels(kind).inc(sum(batch.row_count for lines in found for batch in lines.batches))
        INGEST_POINTS.labels(kind).inc(sum(map(_points_of, found)))


def record_group(
    posts: Sequence[Post], is_stored: Sequence[bool], begin: float, queued_at: Sequence[float]
) -> None:
    """Count a group and what is in its stored posts, before they are answered.

    Args:
        posts: Of the group.
        is_stored: For each, in order.
        begin: When the commit began, by ``time.perf_counter``.
        queued_at: When each post came, by the same clock.
    """
    now = time.perf_counter()
    INGEST_COMMIT.observe(now - begin)
    for since in compress(queued_at, is_stored):
        INGEST_ACKNOWLEDGEMENT.observe(now - since)
    INGEST_GROUP_POSTS.observe(len(posts))
    stored = list(compress(posts, is_stored))
    _count("history", (post.history for post in stored))
    _count("system", (post.system for post in stored))
    lines = sum(len(post.log_lines) for post in stored)
    if lines:
        INGEST_ROWS.labels("log").inc(lines)
