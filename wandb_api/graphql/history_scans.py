"""Whether who asks for the files of a run's history is about to scan it, or wants to download it.

The SDK sends the same document with the same variables and headers for both: recorded with 0.31, read in 0.29. A
scan reads what the answer names, and must get each row as it was logged; a download takes files or fails. What tells
them apart is that every scan has asked for the last step just before (`RunHistoryKeys`), so that is remembered.
Source: wandb/apis/public/runs.py, `Run.scan_history` and `Run.download_history_exports`.
"""

from contextlib import suppress

from django.core.cache import cache

from wandb_api.graphql.context import Info

OPERATION = "RunHistoryKeys"
"""What a scan asks first."""
_FOR_S = 60


def _key(info: Info, run_id: int) -> str:
    actor = info.context.actor
    return f"wandb_api.graphql.history_scans:{actor.key_id}:{actor.user_id}:{run_id}"


def expect_scan(info: Info, run_id: int) -> None:
    """Record that the caller may begin a scan, if this is the operation that comes before one."""
    if info.operation.name is None or info.operation.name.value != OPERATION:
        return
    key = _key(info, run_id)
    cache.add(key, 0, _FOR_S)
    with suppress(ValueError):  # it has just expired
        cache.incr(key)
        cache.touch(key, _FOR_S)


def begins_scan(info: Info, run_id: int) -> bool:
    """Return whether this is the scan that was expected; each is expected once."""
    key = _key(info, run_id)
    try:
        if cache.decr(key) >= 0:
            return True
    except ValueError:  # nothing is
        return False
    cache.delete(key)
    return False
