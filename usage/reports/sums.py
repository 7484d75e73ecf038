"""Use added up by the database, so that a page costs what it draws: a row for each team, project, person or month.

Bytes held since a day count until the end of what is asked for: byte-seconds are those that rows have, and each net
change times the seconds that follow its day. The sum of ``change * number of the day`` is all that takes.

What asks for teams alone reads `TeamDay`, a row for each team and day, however many people and projects it has.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import BigIntegerField, Case, F, Func, IntegerField, Q, QuerySet, Sum, Value, When
from django.db.models.expressions import CombinedExpression

from teams.models import SHARED_KINDS, Organization, Team
from usage.models import SUMS, TeamDay, UsageDay
from usage.periods import Period, month_of
from usage.reports.usage_totals import UsageTotals
from usage.units import DAY_S

TeamIds = Collection[int] | QuerySet[Any, Any]
_EPOCH = date(1970, 1, 1)
OTHERS = -1
"""In the place of a key: all that is not named."""


@dataclass(frozen=True, slots=True)
class LedgerFilter:
    """Whose use is read."""

    team_ids: TeamIds
    project_id: int | None = None
    user_id: int | None = None

    def rows(self, first: date, end: date, *by: str) -> QuerySet[Any]:
        """Return its rows from the begin of the first day's month, where the opening is, to before ``end``.

        Args:
            first: A day.
            end: Another.
            by: Columns of `UsageDay` that are asked for; without, or with teams alone, rows of `TeamDay` do.
        """
        only = {"project_id": self.project_id, "user_id": self.user_id}
        given = {name: value for name, value in only.items() if value is not None}
        table = UsageDay if given or {"project_id", "user_id"}.intersection(by) else TeamDay
        return table._default_manager.filter(
            team_id__in=self.team_ids, day__gte=month_of(first).start, day__lt=end, **given
        )


class _DayNumber(Func):
    """Days since 1970. Written by hand: on SQLite Django's functions of dates call Python for each row."""

    arity = 1
    output_field = IntegerField()

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, template="(%(expressions)s - DATE '1970-01-01')", **context)

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        template = "CAST(julianday(%(expressions)s) - 2440587.5 AS INTEGER)"
        return self.as_sql(compiler, connection, template=template, **context)


class _MonthNumber(Func):
    """Months since year 0; likewise."""

    arity = 1
    output_field = IntegerField()

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        template = (
            "(EXTRACT(YEAR FROM %(expressions)s) * 12 + EXTRACT(MONTH FROM %(expressions)s) - 1)::integer"
        )
        return self.as_sql(compiler, connection, template=template, **context)

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        template = (
            "(CAST(substr(%(expressions)s, 1, 4) AS INTEGER) * 12"
            " + CAST(substr(%(expressions)s, 6, 2) AS INTEGER) - 1)"
        )
        return self.as_sql(compiler, connection, template=template, **context)


def _day_number(start: date) -> CombinedExpression:
    """Count days from a day on, which is 1."""
    return _DayNumber("day") - Value((start - _EPOCH).days - 1)


def _sums(number: CombinedExpression, inside: Q | None) -> dict[str, Sum]:
    """Return what is added up; byte-seconds in whole days and the rest, whose sums stay within 64 bits."""
    named = ("tracked_s", "ingested_bytes", "gpu_s", "energy_j", "host_gpu_s", "host_energy_j")
    return {f"{name}_": Sum(name, filter=inside) for name in named} | {
        "delta_": Sum("delta_bytes", filter=inside),
        "weighted_": Sum(F("delta_bytes") * number, filter=inside),
        "byte_days_": Sum(F("byte_seconds") / Value(DAY_S), filter=inside),
        "byte_rest_": Sum(F("byte_seconds") % Value(DAY_S), filter=inside),
    }


def _use(row: dict[str, Any], carried: int, elapsed_s: int) -> UsageTotals:
    def of(name: str) -> int:
        return int(row[f"{name}_"] or 0)

    within = of("byte_days") * DAY_S + of("byte_rest")
    return UsageTotals(
        tracked_s=of("tracked_s"),
        byte_seconds=(carried + of("delta")) * elapsed_s + within - of("weighted") * DAY_S,
        held_bytes=carried + of("delta"),
        ingested_bytes=of("ingested_bytes"),
        gpu_s=of("gpu_s"),
        energy_j=of("energy_j"),
        host_gpu_s=of("host_gpu_s"),
        host_energy_j=of("host_energy_j"),
    )


def use_by_key(
    over: LedgerFilter, period: Period, until: datetime, *by: str
) -> dict[tuple[Any, ...], UsageTotals]:
    """Return the use of a period by team_id, project_id and user_id, as asked; one query, a row for each key.

    Args:
        over: Whose use.
        period: A calendar month or a billing period: it touches at most two months.
        until: Up to when, at most the period's end.
        by: Columns; the answer's keys are in their order.
    """
    elapsed, first = period.elapsed_s(until), month_of(period.start).start
    inside = Q(day__gte=period.start)
    rows = over.rows(period.start, min(period.end, until.date() + timedelta(days=1)), *by)
    columns = {
        "opening_": Sum("opening_bytes", filter=Q(day=first)),
        "before_": Sum("delta_bytes", filter=Q(day__lt=period.start)),
        **_sums(_day_number(period.start), inside),
    }
    found = rows.values(*by).annotate(**columns).order_by() if by else [rows.aggregate(**columns)]
    return {
        tuple(row[name] for name in by): _use(
            row, int(row["opening_"] or 0) + int(row["before_"] or 0), elapsed
        )
        for row in found
    }


def teams_of(organization: Organization) -> QuerySet[Team, int]:
    """Return the keys of an organization's teams, deleted ones, too: what they hold and did counts on."""
    return Team.objects.filter(organization=organization, kind__in=SHARED_KINDS).values_list("pk", flat=True)


def use_by_month(
    over: LedgerFilter, months: list[Period], until: datetime, *by: str
) -> dict[tuple[Any, ...], UsageTotals]:
    """Return the use of calendar months; keys begin with the month's first day. One query for all of them.

    Args:
        over: Whose use.
        months: Calendar months, in order and without gaps.
        until: Up to when; later months are empty.
        by: Columns as in `use_by_key`.
    """
    rows = over.rows(months[0].start, min(months[-1].end, until.date() + timedelta(days=1)), *by)
    numbered = {_months_of(month.start): month for month in months}
    found = (
        rows.annotate(month=_MonthNumber("day"))
        .values("month", *by)
        .annotate(opening_=Sum("opening_bytes"), **_sums(_day_number(months[0].start), None))
        .order_by()
    )
    uses = {}
    for row in found:
        month = numbered[row["month"]]
        row["weighted_"] -= (month.start - months[0].start).days * int(row["delta_"] or 0)
        key = (month.start, *(row[name] for name in by))
        uses[key] = _use(row, int(row["opening_"] or 0), month.elapsed_s(until))
    return uses


def _months_of(first: date) -> int:
    return first.year * 12 + first.month - 1


def by_day(
    over: LedgerFilter,
    period: Period,
    until: datetime,
    column: str,
    *,
    by: str = "",
    keys: Iterable[int] = (),
) -> dict[tuple[date, int], int]:
    """Return a column by day and key; what is not among ``keys`` is added up under `OTHERS`. One query.

    Args:
        over: Whose use.
        period: Any days; earlier days of its first month come along, for what was held.
        until: Up to when.
        column: ``tracked_s``, …; ``delta_bytes`` has the opening of the first month in it.
        by: team_id, project_id or user_id; "" for one sum.
        keys: Those that have rows of their own.
    """
    rows = over.rows(period.start, min(period.end, until.date() + timedelta(days=1)), by)
    chosen = list(keys)
    named = When(**{f"{by}__in": chosen}, then=F(by)) if by and chosen else None
    bucket = Case(*([named] if named else []), default=Value(OTHERS), output_field=BigIntegerField())
    total = Sum(column)
    if column == "delta_bytes":
        first = month_of(period.start).start
        opened = When(day=first, then=F("opening_bytes") + F("delta_bytes"))
        total = Sum(Case(opened, default=F("delta_bytes"), output_field=BigIntegerField()))
    found = rows.annotate(bucket=bucket).values("day", "bucket").annotate(total_=total).order_by()
    return {(row["day"], row["bucket"]): int(row["total_"] or 0) for row in found}


def within(team_ids: TeamIds, team_id: int) -> TeamIds:
    """Return the one team, if it is among them."""
    if isinstance(team_ids, QuerySet):
        return team_ids.filter(pk=team_id)
    return [team_id] if team_id in team_ids else []


def use_by_day(over: LedgerFilter, period: Period, until: datetime) -> dict[date, UsageTotals]:
    """Return the use of each day that has begun; what was held is its end, or ``until``. One query."""
    end = min(period.end, until.date() + timedelta(days=1))
    sums = over.rows(period.start, end).values("day").annotate(**{f"{name}_": Sum(name) for name in SUMS})
    found = {row["day"]: row for row in sums.order_by()}
    first = month_of(period.start).start
    stored, uses, day = 0, {}, first
    while day < end:
        row: Any = found.get(day, {})
        of = {name: int(row.get(f"{name}_") or 0) for name in SUMS}
        stored += of["delta_bytes"] + (of["opening_bytes"] if day == first else 0)
        passed = Period(day, day + timedelta(days=1)).elapsed_s(until)
        before = stored - of["delta_bytes"]
        within = of["byte_seconds"] - of["delta_bytes"] * (DAY_S - passed)
        if day >= period.start:
            uses[day] = UsageTotals(
                of["tracked_s"],
                before * passed + within,
                stored,
                of["ingested_bytes"],
                of["gpu_s"],
                of["energy_j"],
                of["host_gpu_s"],
                of["host_energy_j"],
            )
        day += timedelta(days=1)
    return uses
