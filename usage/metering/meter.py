"""The meter: brings `UsageDay` up to date. Safe to run twice, at once, late, or not at all for days (BIL-4)."""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from usage.metering import counting
from usage.metering.rebuilding import rebuild
from usage.metering.state import begin_sums, locked_state

__all__ = ["rebuild", "run_meter"]


def run_meter(now: datetime | None = None) -> datetime:
    """Count everything that is committed; return the time up to which everything is counted.

    Goes in short transactions, each of which locks the meter and leaves consistent numbers behind.
    """
    now = now or timezone.now()
    for count in counting.ENTRIES:
        more = True
        while more:
            with transaction.atomic():
                sums = begin_sums(now)
                more = count(sums, counting.EVERYTHING, now)
                sums.write()
    after: int | None = 0
    while after is not None:
        with transaction.atomic():
            sums = begin_sums(now)
            after = counting.count_intervals(sums, counting.EVERYTHING, now, after)
            sums.write()
    return _record_metered_at(now)


@transaction.atomic
def _record_metered_at(now: datetime) -> datetime:
    """Set how far the meter came. Another may have come further meanwhile, unless a clock has jumped."""
    state = locked_state()
    if state.metered_at is None or not now <= state.metered_at <= timezone.now():
        state.metered_at = now
        state.save(update_fields=["metered_at"])
    return state.metered_at
