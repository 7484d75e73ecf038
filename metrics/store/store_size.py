"""How many bytes the metric store holds: of runs, for the ledger (`runs.lifecycle.storage_ledger`), and in buckets."""

from collections.abc import Collection
from typing import Any

from django.db.models import Count, Sum
from django.db.models.functions import Coalesce

from common.database.sql import execute_in
from metrics.models import Segment, SegmentStore
from storage.models import Bucket


def stored_sizes(run_ids: Collection[int]) -> dict[int, int]:
    """Return the bytes of runs' history and system metrics: of segments, and of tails that are not packed yet."""
    rows = execute_in(
        "SELECT run_id, SUM(tail_bytes + COALESCE("
        "(SELECT SUM(size_bytes) FROM metrics_segment WHERE stream_id = metrics_stream.id), 0))"
        " FROM metrics_stream WHERE run_id IN",
        list(run_ids),
        "GROUP BY run_id",
    )
    return {run_id: int(size) for run_id, size in rows}


def count_elsewhere() -> list[dict[str, Any]]:
    """Return which segments lie in buckets and in ClickHouse, for backups, which hold none of these."""
    in_clickhouse = Segment.objects.filter(store=SegmentStore.CLICKHOUSE)
    sums = in_clickhouse.aggregate(files=Count("pk"), bytes=Coalesce(Sum("size_bytes"), 0))
    return _in_buckets() + ([{"where": "ClickHouse (packed metrics)", **sums}] if sums["files"] else [])


def _in_buckets() -> list[dict[str, Any]]:
    found = Segment.objects.filter(bucket__isnull=False).values("bucket").order_by("bucket")
    sums = list(found.annotate(files=Count("pk"), bytes=Sum("size_bytes")))
    buckets = Bucket.objects.in_bulk([row["bucket"] for row in sums])
    return [
        {"where": f"{buckets[row['bucket']]} (packed metrics)", "files": row["files"], "bytes": row["bytes"]}
        for row in sums
    ]
