"""Billing periods: calendar months in UTC, or from one anchor day to the next (BIL-4)."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta


@dataclass(frozen=True, slots=True, order=True)
class Period:
    """From a day to another, UTC."""

    start: date
    end: date
    """Exclusive."""

    @property
    def last_day(self) -> date:
        """The day before its end."""
        return self.end - timedelta(days=1)

    @property
    def starts_at(self) -> datetime:
        """Its first moment."""
        return datetime.combine(self.start, time(), UTC)

    @property
    def ends_at(self) -> datetime:
        """The first moment after it."""
        return datetime.combine(self.end, time(), UTC)

    @property
    def days(self) -> int:
        """How many it has."""
        return (self.end - self.start).days

    @property
    def seconds(self) -> int:
        """How long it is."""
        return self.days * 86_400

    def elapsed_s(self, at: datetime) -> int:
        """Return the whole seconds of it that had passed."""
        return max(0, min(self.seconds, int((at - self.starts_at).total_seconds())))

    def next(self, anchor_day: int) -> "Period":
        """Return the one after it."""
        return Period(self.end, _later(self.end, anchor_day))

    def previous(self, anchor_day: int) -> "Period":
        """Return the one before it."""
        return period_of(self.start - timedelta(days=1), anchor_day)


def _later(day: date, anchor_day: int) -> date:
    """Return the anchor day of the month after."""
    year, month = (day.year + 1, 1) if day.month == 12 else (day.year, day.month + 1)
    return date(year, month, anchor_day)


def period_of(day: date, anchor_day: int = 1) -> Period:
    """Return the period that a day is in."""
    if day.day >= anchor_day:
        start = day.replace(day=anchor_day)
    else:
        start = (day.replace(day=1) - timedelta(days=1)).replace(day=anchor_day)
    return Period(start, _later(start, anchor_day))


def period_at(at: datetime, anchor_day: int = 1) -> Period:
    """Return the period that a moment is in."""
    return period_of(at.astimezone(UTC).date(), anchor_day)


def month_of(day: date) -> Period:
    """Return the calendar month that a day is in."""
    return period_of(day)


def months_between(first: date, last: date) -> Iterator[Period]:
    """Yield the calendar months from the one of ``first`` to that of ``last``, both included."""
    month = month_of(first)
    while month.start <= last:
        yield month
        month = month.next(1)
