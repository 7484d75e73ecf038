"""What a part of the ledgers adds to `UsageDay`: added up in memory, then written by one statement."""

from collections import defaultdict
from datetime import date, datetime, timedelta
from typing import Any

from django.db import connection

from billing.metering.seconds import by_day, day_of, left_of_day
from billing.periods import month_of, months_between
from common.sql import execute_many

_KEY = ("team_id", "project_id", "user_id", "day")
_SUMS = ("tracked_s", "opening_bytes", "delta_bytes", "byte_seconds", "ingested_bytes", "gpu_s", "energy_j")
_TRACKED, _OPENING, _DELTA, _BYTE_S, _INGESTED, _GPU, _ENERGY = range(len(_SUMS))
COLUMNS = ", ".join((*_KEY, *_SUMS))
ADD = f"ON CONFLICT ({', '.join(_KEY)}) DO UPDATE SET " + ", ".join(
    f"{name} = billing_usageday.{name} + excluded.{name}" for name in _SUMS
)
_INSERT = f"INSERT INTO billing_usageday ({COLUMNS}) VALUES ({', '.join(['%s'] * 11)}) {ADD}"  # noqa: S608 - names above

Owner = tuple[int, int | None, int | None]
"""(team, project, user)"""


def day_parameter(day: date) -> Any:
    """Return a day as a parameter of a statement written by hand."""
    return connection.ops.adapt_datefield_value(day)


class Tally:
    """Adds up; lives for one chunk.

    Args:
        opened_month: The last month whose opening bytes are written: bytes of months before also change the openings
            since.
    """

    def __init__(self, opened_month: date) -> None:
        self.opened_month = opened_month
        self._rows: defaultdict[tuple[int, int, int, date], list[int]] = defaultdict(lambda: [0] * len(_SUMS))

    def _row(self, owner: Owner, day: date) -> list[int]:
        team_id, project_id, user_id = owner
        return self._rows[team_id, project_id or 0, user_id or 0, day]

    def time(self, owner: Owner, since: datetime, until: datetime, not_before: datetime) -> None:
        """Add the seconds of a stretch in which a run was running."""
        for day, seconds in by_day(since, until, not_before):
            self._row(owner, day)[_TRACKED] += seconds

    def reported(self, owner: Owner, at: datetime, seconds: int) -> None:
        """Add seconds that a run's own clock told."""
        self._row(owner, day_of(at))[_TRACKED] += seconds

    def held(self, owner: Owner, at: datetime, delta_bytes: int) -> None:
        """Add a change of the bytes that are held, to its day and to the months that began with it."""
        day = day_of(at)
        row = self._row(owner, day)
        row[_DELTA] += delta_bytes
        row[_BYTE_S] += delta_bytes * left_of_day(at)
        for month in months_between(month_of(day).end, self.opened_month):
            self._row(owner, month.start)[_OPENING] += delta_bytes

    def ingested(self, owner: Owner, at: datetime, size_bytes: int) -> None:
        """Add trace data."""
        self._row(owner, day_of(at))[_INGESTED] += size_bytes

    def hardware(self, owner: Owner, day: date, gpu_s: int, energy_j: int) -> None:
        """Add GPU time and energy."""
        row = self._row(owner, day)
        row[_GPU] += gpu_s
        row[_ENERGY] += energy_j

    def write(self) -> None:
        """Add everything to the table."""
        rows = [
            (*key[:3], day_parameter(key[3]), *sums) for key, sums in sorted(self._rows.items()) if any(sums)
        ]
        execute_many(_INSERT, rows)


def open_month(start: date) -> None:
    """Write what was held when a month began, made of the month before."""
    before = month_of(start - timedelta(days=1))
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO billing_usageday ({COLUMNS})"  # noqa: S608 - names above
            " SELECT team_id, project_id, user_id, %s, 0, SUM(opening_bytes + delta_bytes), 0, 0, 0, 0, 0"
            " FROM billing_usageday WHERE day >= %s AND day < %s"
            f" GROUP BY team_id, project_id, user_id HAVING SUM(opening_bytes + delta_bytes) <> 0 {ADD}",
            [day_parameter(start), day_parameter(before.start), day_parameter(before.end)],
        )
