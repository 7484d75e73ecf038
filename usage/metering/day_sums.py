"""What a part of the ledgers adds to `UsageDay` and `TeamDay`: added up in memory, then written by a statement each."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db import connection

from common.database.sql import execute_many
from usage.metering.seconds import by_day, day_of, left_of_day
from usage.models import SUMS
from usage.periods import month_of, months_between

_TRACKED, _OPENING, _DELTA, _BYTE_S, _INGESTED, _GPU, _ENERGY, _HOST_GPU, _HOST_ENERGY = range(len(SUMS))


@dataclass(frozen=True, slots=True)
class SumsTable:
    """One of the tables that sums are written into; names for statements written by hand."""

    name: str
    of: tuple[str, ...]
    """Whose use a row is; with the day its key."""

    @property
    def columns(self) -> str:
        """All but the row's number."""
        return ", ".join((*self.of, "day", *SUMS))

    @property
    def add(self) -> str:
        """What an insert does where the row is there already."""
        sums = ", ".join(f"{name} = {self.name}.{name} + excluded.{name}" for name in SUMS)
        return f"ON CONFLICT ({', '.join(self.of)}, day) DO UPDATE SET {sums}"

    @property
    def insert(self) -> str:
        """The statement that adds a row of parameters, in the order of `columns`."""
        places = ", ".join(["%s"] * (len(self.of) + 1 + len(SUMS)))
        return f"INSERT INTO {self.name} ({self.columns}) VALUES ({places}) {self.add}"  # noqa: S608 - names above

    def open_month(self, start: date) -> None:
        """Write what was held when a month began, made of the month before."""
        before, of = month_of(start - timedelta(days=1)), ", ".join(self.of)
        nothing_else = ", 0" * (len(SUMS) - _OPENING - 1)
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO {self.name} ({self.columns})"  # noqa: S608 - names above
                f" SELECT {of}, %s, 0, SUM(opening_bytes + delta_bytes){nothing_else}"
                f" FROM {self.name} WHERE day >= %s AND day < %s"
                f" GROUP BY {of} HAVING SUM(opening_bytes + delta_bytes) <> 0 {self.add}",
                [day_parameter(start), day_parameter(before.start), day_parameter(before.end)],
            )


DAYS = SumsTable("billing_usageday", ("team_id", "project_id", "user_id"))
TEAM_DAYS = SumsTable("billing_teamday", ("team_id",))

Owner = tuple[int, int | None, int | None]
"""(team, project, user)"""


def day_parameter(day: date) -> Any:
    """Return a day as a parameter of a statement written by hand."""
    return connection.ops.adapt_datefield_value(day)


class DaySums:
    """Adds up; lives for one chunk.

    Args:
        opened_month: The last month whose opening bytes are written: bytes of months before also change the openings
            since.
    """

    def __init__(self, opened_month: date) -> None:
        self.opened_month = opened_month
        self._rows: defaultdict[tuple[int, int, int, date], list[int]] = defaultdict(lambda: [0] * len(SUMS))

    def _row(self, owner: Owner, day: date) -> list[int]:
        team_id, project_id, user_id = owner
        return self._rows[team_id, project_id or 0, user_id or 0, day]

    def add_time(self, owner: Owner, since: datetime, until: datetime, not_before: datetime) -> None:
        """Add the seconds of a stretch in which a run was running."""
        for day, seconds in by_day(since, until, not_before):
            self._row(owner, day)[_TRACKED] += seconds

    def add_reported(self, owner: Owner, at: datetime, seconds: int) -> None:
        """Add seconds that only the run's own clock reported."""
        self._row(owner, day_of(at))[_TRACKED] += seconds

    def add_bytes(self, owner: Owner, at: datetime, delta_bytes: int) -> None:
        """Add a change of the bytes that are held, to its day and to the months that began with it."""
        day = day_of(at)
        row = self._row(owner, day)
        row[_DELTA] += delta_bytes
        row[_BYTE_S] += delta_bytes * left_of_day(at)
        for month in months_between(month_of(day).end, self.opened_month):
            self._row(owner, month.start)[_OPENING] += delta_bytes

    def add_ingested(self, owner: Owner, at: datetime, size_bytes: int) -> None:
        """Add trace data."""
        self._row(owner, day_of(at))[_INGESTED] += size_bytes

    def add_hardware(self, owner: Owner, day: date, gpu_s: int, energy_j: int, *, is_host: bool) -> None:
        """Add GPU time and energy: of trainings, or of machines that are only watched."""
        row = self._row(owner, day)
        row[_HOST_GPU if is_host else _GPU] += gpu_s
        row[_HOST_ENERGY if is_host else _ENERGY] += energy_j

    def write(self) -> None:
        """Add everything to both tables."""
        teams: defaultdict[tuple[int, date], list[int]] = defaultdict(lambda: [0] * len(SUMS))
        for (team_id, _project, _user, day), sums in self._rows.items():
            teams[team_id, day] = [one + more for one, more in zip(teams[team_id, day], sums, strict=True)]
        _write(DAYS, self._rows)
        _write(TEAM_DAYS, teams)


def _write(table: SumsTable, rows: Mapping[Any, list[int]]) -> None:
    execute_many(
        table.insert,
        [(*key[:-1], day_parameter(key[-1]), *sums) for key, sums in sorted(rows.items()) if any(sums)],
    )


def open_month(start: date) -> None:
    """Write what was held when a month began."""
    for table in (DAYS, TEAM_DAYS):
        table.open_month(start)
