"""Whole seconds. Those of a stretch of time are the borders between seconds of the clock that it passes.

So stretches that follow each other add up to the one they make, wherever they are cut, and no remainder is carried.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta

from usage.units import DAY_S


def second_of(at: datetime) -> int:
    """Return the second that a moment is in, since 1970 UTC."""
    return int(at.timestamp() // 1)


def seconds_between(since: datetime, until: datetime) -> int:
    """Return the whole seconds from one moment to a later one."""
    return second_of(until) - second_of(since)


def left_of_day(at: datetime) -> int:
    """Return the whole seconds from a moment to the end of its day."""
    return DAY_S - second_of(at) % DAY_S


def day_of(at: datetime) -> date:
    """Return the day that a moment is in."""
    return at.astimezone(UTC).date()


def day_begin(day: date) -> datetime:
    """Return a day's first moment."""
    return datetime.combine(day, time(), UTC)


def by_day(since: datetime, until: datetime, not_before: datetime) -> Iterator[tuple[date, int]]:
    """Yield on which days the seconds of a stretch count; those before ``not_before`` count on its day."""
    shifted = min(until, not_before)
    if shifted > since:
        yield day_of(not_before), seconds_between(since, shifted)
        since = shifted
    while since < until:
        day = day_of(since)
        border = min(until, day_begin(day + timedelta(days=1)))
        yield day, seconds_between(since, border)
        since = border
