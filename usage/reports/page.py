"""The page of usage (BIL-5): what is asked for, its table, its totals and its chart, in a fixed number of queries."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from django.core.paginator import Page, Paginator
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from access.actor import Actor
from common.errors import NotFound
from usage.models import UsageDay
from usage.periods import Period, month_of, months_between
from usage.reports import sums
from usage.reports.categories import MEASURES, Measure
from usage.reports.chart import Chart, ChartSeries, draw
from usage.reports.filters import MONTHS, UsageFilter
from usage.reports.names import RowName, names_of
from usage.reports.usage_totals import UsageTotals

PER_PAGE = 50
TOP = 7
"""So many have a colour of their own; the rest are grey together."""
GREY = 7


@dataclass(frozen=True, slots=True)
class UsageTableRow:
    """A line of the table."""

    name: RowName
    values: dict[str, Decimal]
    """By measure."""
    stored_gb: Decimal
    share: float
    """Of the measure shown, in percent of all rows."""
    color: int
    """Of the chart; 7 where it has none of its own."""
    url: str
    """Further down; "" where there is nothing further."""

    @property
    def cells(self) -> list[tuple[Measure, Decimal]]:
        """Its values by measure, in the order of the columns."""
        return [(MEASURES[key], value) for key, value in self.values.items()]


@dataclass(frozen=True, slots=True)
class CategoryTotal:
    """One category of all rows together: what chooses it."""

    measure: Measure
    value: Decimal
    is_shown: bool
    url: str


@dataclass(frozen=True, slots=True)
class ActiveFilter:
    """What the page is narrowed to, and the way out."""

    kind: str | Promise
    name: RowName
    url: str


@dataclass(frozen=True, slots=True)
class UsagePage:
    """All that is drawn."""

    usage_filter: UsageFilter
    until: datetime
    rows: list[UsageTableRow]
    pages: Page[Any]
    """Which of the rows are on this page."""
    totals: list[CategoryTotal]
    chart: Chart
    active: list[ActiveFilter]

    @property
    def column_title(self) -> str:
        """What the first column holds."""
        titles = {
            "month": _("Month"),
            "team": _("Team"),
            "project": _("Project"),
            "user": pgettext("whose usage", "Person"),
        }
        return titles[self.usage_filter.by]

    @property
    def is_empty(self) -> bool:
        """Whether nothing was used."""
        return not self.pages.paginator.count


def usage_page(
    actor: Actor, team_ids: sums.TeamIds, usage_filter: UsageFilter, until: datetime, *, of_team: bool = False
) -> UsagePage:
    """Read a page.

    Args:
        actor: Who looks: names of projects they may not see are left out.
        team_ids: Whose use.
        usage_filter: What is asked for.
        until: Up to when use is known.
        of_team: Whether it is one team's page.

    Raises:
        NotFound: it is narrowed to something that is not there.
    """
    over = sums.LedgerFilter(team_ids, usage_filter.project, usage_filter.user)
    active = _active_filters(actor, over, usage_filter)
    if usage_filter.team is not None:
        over = replace(over, team_ids=sums.within(team_ids, usage_filter.team))
    read = _by_month if usage_filter.by == "month" else _by_key
    return read(actor, over, usage_filter, until, active, of_team=of_team or usage_filter.team is not None)


def _active_filters(actor: Actor, over: sums.LedgerFilter, usage_filter: UsageFilter) -> list[ActiveFilter]:
    """Name what the page is narrowed to; only what has used something of the payer's is ever named."""
    given = (
        ("team", _("Team"), usage_filter.team),
        ("project", _("Project"), usage_filter.project),
        ("user", pgettext("whose usage", "Person"), usage_filter.user),
    )
    found = []
    for key, kind, pk in given:
        if pk is None:
            continue
        if not UsageDay.objects.filter(team_id__in=over.team_ids, **{f"{key}_id": pk}).exists():
            raise NotFound(_("No usage found for this, or you don’t have access to it."))
        way_out = usage_filter.link(**{key: None}, **({"project": None} if key == "team" else {}))
        found.append(ActiveFilter(kind, names_of(actor, f"{key}_id", [pk])[pk], way_out))
    return found


def _values(usage_filter: UsageFilter, use: UsageTotals, seconds: int) -> dict[str, Decimal]:
    return {key: measure.of(use, seconds) for key, measure in usage_filter.measures.items()}


def _totals(
    usage_filter: UsageFilter, values: Iterable[dict[str, Decimal]], *, mean: bool = False
) -> list[CategoryTotal]:
    """Add up rows; a level that stands beside others of other times is averaged."""
    lines = list(values)
    found = []
    for key, measure in usage_filter.measures.items():
        whole = sum((line[key] for line in lines), Decimal(0))
        if mean and measure.is_level and lines:
            whole /= len(lines)
        url = usage_filter.link(category=key, sort=None)
        found.append(CategoryTotal(measure, whole, measure is usage_filter.measure, url))
    return found


def _share(value: Decimal, whole: Decimal) -> float:
    return round(float(value / whole * 100), 2) if whole else 0.0


# by team, project or person


def _by_key(
    actor: Actor,
    over: sums.LedgerFilter,
    usage_filter: UsageFilter,
    until: datetime,
    active: list[ActiveFilter],
    *,
    of_team: bool,
) -> UsagePage:
    period, key = usage_filter.period, usage_filter.measure.key
    seconds = period.elapsed_s(until)
    uses = {
        pk: use
        for (pk,), use in sums.use_by_key(over, period, until, usage_filter.column).items()
        if use != UsageTotals()
    }
    values = {pk: _values(usage_filter, use, seconds) for pk, use in uses.items()}
    ranked = sorted(values, key=lambda pk: (-values[pk][key], pk))
    top = [pk for pk in ranked[:TOP] if values[pk][key] > 0]
    every = (
        names_of(actor, usage_filter.column, list(values))
        if usage_filter.sort.removeprefix("-") == "name"
        else {}
    )
    page = Paginator(_sorted_keys(ranked, values, usage_filter, every), PER_PAGE).get_page(usage_filter.page)
    names = every or names_of(actor, usage_filter.column, {*page.object_list, *top})
    totals = _totals(usage_filter, values.values())
    whole = next(total.value for total in totals if total.is_shown)
    rows = [
        UsageTableRow(
            names[pk], values[pk], Decimal(uses[pk].held_bytes) / 10**9, _share(values[pk][key], whole),
            top.index(pk) if pk in top else GREY, _drill_down_url(usage_filter, pk, of_team=of_team),
        )
        for pk in page.object_list
    ]  # fmt: skip
    chart = _day_chart(over, usage_filter, until, top, names, has_others=len(ranked) > len(top))
    return UsagePage(usage_filter, until, rows, page, totals, chart, active)


def _sorted_keys(
    ranked: list[int],
    values: dict[int, dict[str, Decimal]],
    usage_filter: UsageFilter,
    names: Mapping[int, RowName],
) -> list[int]:
    key = usage_filter.sort.removeprefix("-")
    back = usage_filter.sort.startswith("-")
    if key == "name":
        return sorted(ranked, key=lambda pk: names[pk].text.casefold(), reverse=back)
    if not key:
        return ranked
    return sorted(ranked, key=lambda pk: values[pk][key], reverse=not back)


def _drill_down_url(usage_filter: UsageFilter, pk: int, *, of_team: bool) -> str:
    """Return the way down: from a team to its projects, from a project to its people, from a person to projects."""
    if usage_filter.by == "team":
        return usage_filter.link(by="project", team=pk, sort=None)
    if usage_filter.by == "project":
        return usage_filter.link(by="user", project=pk, sort=None) if usage_filter.user is None else ""
    if usage_filter.by == "user" and usage_filter.project is None:
        return usage_filter.link(by="project" if of_team else "team", user=pk, sort=None)
    return ""


def _day_chart(
    over: sums.LedgerFilter,
    usage_filter: UsageFilter,
    until: datetime,
    top: list[int],
    names: Mapping[int, RowName],
    *,
    has_others: bool,
) -> Chart:
    measure, period = usage_filter.measure, usage_filter.period
    found = sums.by_day(over, period, until, measure.column, by=usage_filter.column, keys=top)
    days = [period.start + timedelta(days=at) for at in range(period.days)]
    keys = [*top, *([sums.OTHERS] if has_others else [])]
    series = [
        ChartSeries(
            names[pk].text if pk != sums.OTHERS else _("All others"), GREY if pk == sums.OTHERS else at,
            _values_by_day(found, pk, days, until, measure), is_given=pk != sums.OTHERS and names[pk].is_given,
        )
        for at, pk in enumerate(keys)
    ]  # fmt: skip
    labels = [
        (str(day.day) if _has_label(day, period) else "", date_format(day, "DATE_FORMAT")) for day in days
    ]
    return draw(series, labels, measure.unit)


def _has_label(day: date, period: Period) -> bool:
    return day == period.start or (day.day % 5 == 0 and (period.end - day).days > 1)


def _values_by_day(
    found: Mapping[tuple[date, int], int], key: int, days: list[date], until: datetime, measure: Measure
) -> list[Decimal]:
    """Return a value for each day: what was used on it, or how much was held at its end; days to come are 0."""
    level = sum(amount for (day, of), amount in found.items() if of == key and day < days[0])
    values = []
    for day in days:
        amount = found.get((day, key), 0)
        level += amount
        value = (level if day <= until.date() else 0) if measure.is_level else amount
        values.append(measure.units(value))
    return values


# by month


def _by_month(
    actor: Actor,
    over: sums.LedgerFilter,
    usage_filter: UsageFilter,
    until: datetime,
    active: list[ActiveFilter],
    *,
    of_team: bool,
) -> UsagePage:
    present = month_of(until.date())
    first = (present.start - timedelta(days=31 * (MONTHS - 1) - 5)).replace(day=1)
    months = list(months_between(first, present.start))[-MONTHS:]
    column = "user_id" if usage_filter.project is not None else "project_id" if of_team else "team_id"
    uses = sums.use_by_month(over, months, until, column)
    lengths = {month.start: month.elapsed_s(until) for month in months}
    parts = {key: _values(usage_filter, use, lengths[key[0]]) for key, use in uses.items()}
    by_month = {
        month.start: {
            key: sum((line[key] for (at, _pk), line in parts.items() if at == month.start), Decimal(0))
            for key in usage_filter.measures
        }
        for month in months
    }
    stored = {
        month.start: sum(use.held_bytes for (at, _pk), use in uses.items() if at == month.start)
        for month in months
    }
    totals = _totals(usage_filter, by_month.values(), mean=True)
    rows = _month_rows(usage_filter, months, by_month, stored)
    page = Paginator(rows if any(use != UsageTotals() for use in uses.values()) else [], MONTHS).get_page(1)
    chart = _month_chart(actor, usage_filter, months, parts, column)
    return UsagePage(usage_filter, until, rows, page, totals, chart, active)


def _month_rows(
    usage_filter: UsageFilter,
    months: list[Period],
    values: dict[date, dict[str, Decimal]],
    stored: dict[date, int],
) -> list[UsageTableRow]:
    whole = sum((line[usage_filter.measure.key] for line in values.values()), Decimal(0))
    rows = [
        UsageTableRow(
            RowName(date_format(month.start, "YEAR_MONTH_FORMAT"), is_given=False), values[month.start],
            Decimal(stored[month.start]) / 10**9, _share(values[month.start][usage_filter.measure.key], whole), 0,
            _month_url(usage_filter, month),
        )
        for month in reversed(months)
    ]  # fmt: skip
    key = usage_filter.sort.removeprefix("-")
    if key in usage_filter.measures:
        rows.sort(key=lambda row: row.values[key], reverse=not usage_filter.sort.startswith("-"))
    elif usage_filter.sort == "name":
        rows.reverse()
    return rows


def _month_url(usage_filter: UsageFilter, month: Period) -> str:
    """Return the way from a month to its parts, where billing periods are calendar months."""
    if usage_filter.period.start.day != 1:
        return ""
    by = (
        "user" if usage_filter.project is not None else "project" if usage_filter.team is not None else "team"
    )
    return usage_filter.link(by=by, period=month.start, sort=None)


def _month_chart(
    actor: Actor,
    usage_filter: UsageFilter,
    months: list[Period],
    parts: Mapping[tuple[date, int], dict[str, Decimal]],
    column: str,
) -> Chart:
    measure = usage_filter.measure
    of: dict[int, Decimal] = {}
    for (_month, pk), line in parts.items():
        of[pk] = of.get(pk, Decimal(0)) + line[measure.key]
    top = sorted((pk for pk, value in of.items() if value > 0), key=lambda pk: (-of[pk], pk))[:TOP]
    names = names_of(actor, column, top)
    none = dict.fromkeys(usage_filter.measures, Decimal(0))

    def course(keys: set[int]) -> list[Decimal]:
        return [
            sum((parts.get((month.start, pk), none)[measure.key] for pk in keys), Decimal(0))
            for month in months
        ]

    series = [
        ChartSeries(names[pk].text, at, course({pk}), is_given=names[pk].is_given)
        for at, pk in enumerate(top)
    ]
    if others := {pk for pk, value in of.items() if value > 0} - set(top):
        series.append(ChartSeries(_("All others"), GREY, course(others), is_given=False))
    labels = [
        (date_format(month.start, "M"), date_format(month.start, "YEAR_MONTH_FORMAT")) for month in months
    ]
    return draw(series, labels, measure.unit)
