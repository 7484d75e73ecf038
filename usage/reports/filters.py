"""Query parameters of a page of usage."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from urllib.parse import urlencode

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from common.rest.responses import is_key
from usage.periods import Period, period_at, period_of
from usage.reports.categories import HOURS, MEASURES, Measure

MONTHS = 12
"""So many are offered, and shown beside each other."""
BY: dict[str, str | Promise] = {
    "month": _("Months"), "team": _("Teams"), "project": _("Projects"),
    "user": _("People"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class UsageFilter:
    """Parsed query parameters; invalid ones are ignored."""

    by: str
    measure: Measure
    period: Period
    sort: str = ""
    """A measure's key or ``name``; "" is the measure shown. With "-" before it the other way round."""
    team: int | None = None
    project: int | None = None
    user: int | None = None
    page: str = "1"
    is_present: bool = True
    """Whether the period is the one under way."""
    measures: Mapping[str, Measure] = field(default_factory=lambda: MEASURES)
    """What the page shows, by key."""

    @classmethod
    def of(
        cls, query: Mapping[str, str], anchor_day: int, now: datetime, *, of_team: bool = False,
        measures: Mapping[str, Measure] = MEASURES,
    ) -> "UsageFilter":  # fmt: skip
        """Read an address; a team's page is not split by teams."""
        present = period_at(now, anchor_day)
        period = _period(query.get("period", ""), anchor_day) or present
        by = query.get("by", "")
        known = [key for key in BY if not (of_team and key == "team")]
        return cls(
            by=by if by in known else "project" if of_team else "team",
            measure=measures.get(query.get("category", ""), HOURS),
            period=min(period, present),
            sort=query.get("sort", "")
            if query.get("sort", "").removeprefix("-") in {"name", *measures}
            else "",
            team=_number(query.get("team")),
            project=_number(query.get("project")),
            user=_number(query.get("user")),
            page=query.get("page", "1"),
            is_present=period >= present,
            measures=measures,
        )

    def link(self, **changes: object) -> str:
        """Return the query string of another view of the same."""
        other = replace(self, page="1")
        values: dict[str, object] = {
            "by": other.by, "category": other.measure.key, "period": "" if self.is_present else self.period.start,
            "sort": other.sort, "team": other.team, "project": other.project, "user": other.user,
        } | changes  # fmt: skip
        return "?" + urlencode({name: value for name, value in values.items() if value not in {"", None}})

    @property
    def hidden_fields(self) -> list[tuple[str, object]]:
        """What a form that changes the period sends along."""
        values = (
            ("by", self.by), ("category", self.measure.key), ("sort", self.sort), ("team", self.team),
            ("project", self.project), ("user", self.user),
        )  # fmt: skip
        return [(name, value) for name, value in values if value not in {"", None}]

    @property
    def sorted_by(self) -> str:
        """How the table is sorted: months as they come, the rest by what is shown."""
        return self.sort or ("" if self.by == "month" else self.measure.key)

    @property
    def column(self) -> str:
        """The key that rows are of."""
        return f"{self.by}_id"


def _number(text: str | None) -> int | None:
    return int(text) if text and is_key(text) else None


def _period(text: str, anchor_day: int) -> Period | None:
    try:
        return period_of(date.fromisoformat(text), anchor_day)
    except ValueError:
        return None


def periods_of(anchor_day: int, now: datetime) -> list[Period]:
    """Return the period under way and those of a year before it, newest first."""
    found = [period_at(now, anchor_day)]
    while len(found) <= MONTHS:
        found.append(found[-1].previous(anchor_day))
    return found
