"""How many bytes the metric store holds of runs, for the ledger (`runs.lifecycle.storage_ledger`)."""

from collections.abc import Collection

from common.database.sql import execute_in


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
