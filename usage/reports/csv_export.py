"""Usage as CSV (BIL-5): a line for each calendar month, team and project, and person if asked for.

Columns: ``month`` (YYYY-MM, UTC), ``team``, ``project``, ``project_id``, ``user`` where asked for, ``tracked_hours``,
``storage_average_gb`` (over the month, of one under way over what has passed), ``storage_end_gb`` (held at its end, or
now), ``ingested_gb``, ``gpu_hours``, ``energy_kwh``, ``host_gpu_hours``,
``host_energy_kwh``. 1 GB is 10⁹ bytes. docs/use/usage.md describes them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import quote

from django.http import StreamingHttpResponse
from django.utils.translation import gettext as _

from access.actor import Actor
from common.errors import Invalid
from common.formats.csv_safety import csv_text
from common.web.streaming import in_thread
from usage.periods import Period, month_of, months_between
from usage.reports import sums
from usage.reports.names import RowName, names_of
from usage.reports.usage_totals import UsageTotals, metered_at, until_between
from usage.units import GB, HOUR_S, KWH_J

MONTHS = 12
MAX_MONTHS = 120
LINES_AT_ONCE = 500
_NUMBERS = (
    "tracked_hours", "storage_average_gb", "storage_end_gb", "ingested_gb", "gpu_hours", "energy_kwh",
    "host_gpu_hours", "host_energy_kwh",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class UsageExportRequest:
    """Which months, and whether by person."""

    months: list[Period]
    by_user: bool

    @classmethod
    def of(cls, query: Mapping[str, str], now: datetime) -> "UsageExportRequest":
        """Read ``from`` and ``to`` (YYYY-MM, both included; the last twelve months unless given) and ``user``.

        Raises:
            Invalid: they are no months, the wrong way round, or more than 120.
        """
        last = _month(query, "to") or month_of(now.date()).start
        first = _month(query, "from") or _months_before(last, MONTHS - 1)
        months = list(months_between(first, last)) if _months_before(last, MAX_MONTHS) < first else []
        if not months:
            raise Invalid(_("Choose a range of at most %(n)d months.") % {"n": MAX_MONTHS})
        return cls(months, query.get("user", "") in {"1", "true"})

    @property
    def by(self) -> tuple[str, ...]:
        """What lines are of."""
        return ("team_id", "project_id", "user_id") if self.by_user else ("team_id", "project_id")

    @property
    def columns(self) -> list[str]:
        """The head."""
        return ["month", "team", "project", "project_id", *(["user"] if self.by_user else []), *_NUMBERS]


def _month(query: Mapping[str, str], name: str) -> date | None:
    text = query.get(name, "")
    if not text:
        return None
    try:
        return date.fromisoformat(f"{text}-01" if len(text) == 7 else text).replace(day=1)
    except ValueError:
        raise Invalid(_("%(name)s must be a month such as 2026-03.") % {"name": name}) from None


def _months_before(first: date, count: int) -> date:
    months = max(first.year * 12 + first.month - 1 - count, 12)
    return date(months // 12, months % 12 + 1, 1)


def export(
    actor: Actor, team_ids: sums.TeamIds, request: UsageExportRequest, name: str
) -> StreamingHttpResponse:
    """Stream the lines, a month at a time: largest first, as pages have them."""
    pieces = _pieces(actor, sums.LedgerFilter(team_ids), request)
    response = StreamingHttpResponse(in_thread(pieces), content_type="text/csv; charset=utf-8")
    span = f"{request.months[0].start:%Y-%m}-{request.months[-1].start:%Y-%m}"
    response["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(name)}-usage-{span}.csv"
    return response


def _pieces(actor: Actor, over: sums.LedgerFilter, request: UsageExportRequest) -> Iterator[str]:
    yield csv_text([request.columns])
    counted = metered_at()
    for month in request.months:
        until = until_between(month, counted)
        found = sums.use_by_key(over, month, until, *request.by)
        keys = sorted(
            (key for key, use in found.items() if use != UsageTotals()),
            key=lambda key: _rank(found[key], key),
        )
        for start in range(0, len(keys), LINES_AT_ONCE):
            some = keys[start : start + LINES_AT_ONCE]
            yield csv_text(_lines(actor, month, until, {key: found[key] for key in some}, request))


def _rank(use: UsageTotals, key: tuple[int, ...]) -> tuple[int, ...]:
    return (-use.tracked_s, -use.byte_seconds, *key)


def _lines(
    actor: Actor,
    month: Period,
    until: datetime,
    found: Mapping[tuple[int, ...], UsageTotals],
    request: UsageExportRequest,
) -> list[list[Any]]:
    names = [names_of(actor, column, {key[at] for key in found}) for at, column in enumerate(request.by)]
    seconds = month.elapsed_s(until)
    lines = []
    for key, use in found.items():
        team, project, *user = (names[at][pk] for at, pk in enumerate(key))
        lines.append(
            [
                f"{month.start:%Y-%m}",
                _text(team),
                _text(project),
                key[1] or "",
                *map(_text, user),
                *_amounts(use, seconds),
            ]
        )
    return lines


def _text(name: RowName) -> str:
    return name.text if name.is_given or name.is_gone or name.team else ""


def _amounts(use: UsageTotals, seconds: int) -> list[str]:
    values = (
        Decimal(use.tracked_s) / HOUR_S, Decimal(use.mean_bytes(seconds)) / GB, Decimal(use.held_bytes) / GB,
        Decimal(use.ingested_bytes) / GB, Decimal(use.gpu_s) / HOUR_S, Decimal(use.energy_j) / KWH_J,
        Decimal(use.host_gpu_s) / HOUR_S, Decimal(use.host_energy_j) / KWH_J,
    )  # fmt: skip
    return [f"{value:.6f}" for value in values]


def last_months(now: datetime) -> tuple[str, str]:
    """Return the first and the last month of a year until now, as fields of forms take them."""
    last = month_of(now.date()).start
    return f"{_months_before(last, MONTHS - 1):%Y-%m}", f"{last:%Y-%m}"
