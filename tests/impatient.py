"""The worker's application as in production, only impatient: for tests that kill it while it packs.

It packs and merges what it would leave for an hour, all the time, and its lease on a stream runs out soon.
"""

from datetime import timedelta
from typing import Any

from celery.signals import worker_init

from config.celery import app

PACK_EVERY_S = 0.1
LEASE = timedelta(seconds=2)

app.conf.beat_schedule["pack-streams"]["schedule"] = PACK_EVERY_S


@worker_init.connect
def hurry(**_: Any) -> None:
    """Lower the limits, once Django is set up."""
    from metrics.store import compaction

    compaction.PACK_AT_ROWS = compaction.PACK_ENDED_AT_ROWS = 16
    compaction.MERGE_AT, compaction.LEASE = 3, LEASE
