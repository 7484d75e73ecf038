"""What pages of usage cost for a large organization: 200 teams of 50 projects, used on every day of a year."""

import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from django.db import connection
from django.utils import timezone

from access.actor import SYSTEM
from accounts.lifecycle.services import create_user
from billing.models import Subscription
from billing.overview.tiles import tiles_of
from billing.subscriptions.selectors import subscription_of, teams_of
from runs.models import Project
from teams.models import Organization, Team
from teams.organizations.services import create_organization
from teams.teams.services import create_team
from usage.models import SUMS, MeterState, UsageDay
from usage.periods import month_of
from usage.reports.csv_export import UsageExportRequest, export
from usage.reports.filters import UsageFilter
from usage.reports.page import usage_page
from usage.reports.report import usage_report

TEAMS, PROJECTS, DAYS = 200, 50, 365
ROUNDS = 3
_DAY = """
    INSERT INTO billing_usageday (team_id, project_id, user_id, day, tracked_s, opening_bytes, delta_bytes,
        byte_seconds, ingested_bytes, gpu_s, energy_j, host_gpu_s, host_energy_j)
    SELECT team_id, id, id %% 40, %s, 3600 + id * 7 %% 9000, %s * 1000000000, 30000000, 30000000 * 40000, 1000000,
        id * 11 %% 20000, id * 13 %% 5000000, 0, 0
    FROM runs_project
"""
_TEAM_DAYS = f"""
    INSERT INTO billing_teamday (team_id, day, {", ".join(SUMS)})
    SELECT team_id, day, {", ".join(f"SUM({name})" for name in SUMS)} FROM billing_usageday GROUP BY team_id, day
"""  # noqa: S608 - names of columns


def _fill() -> Organization:
    chief = create_user(actor=SYSTEM, username="chief", email="chief@example.com")
    organization = create_organization(actor=SYSTEM, name="large", admin=chief)
    for number in range(TEAMS):
        create_team(actor=SYSTEM, name=f"team{number}", organization=organization, admin=chief)
    for team in Team.objects.filter(organization=organization):
        Project.objects.bulk_create(Project(team=team, name=f"p{at}") for at in range(PROJECTS))
    today = timezone.now().date()
    with connection.cursor() as cursor:
        for ago in range(DAYS):
            day = today - timedelta(days=ago)
            cursor.execute(_DAY, [connection.ops.adapt_datefield_value(day), int(day.day == 1)])
        cursor.execute(_TEAM_DAYS)
        if connection.vendor == "postgresql":
            cursor.execute("VACUUM ANALYZE billing_usageday, billing_teamday")
    MeterState.objects.update_or_create(pk=1, defaults={"metered_at": timezone.now()})
    return organization


def _timed(work: Callable[[], object]) -> str:
    best = float("inf")
    for _round in range(ROUNDS):
        began = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - began)
    return f"{best * 1000:8.0f} ms"


def _page(subscription: Subscription, **query: str) -> object:
    now = timezone.now()
    wanted = UsageFilter.of(query, subscription.anchor_day, now)
    until = now if wanted.by == "month" else min(now, wanted.period.ends_at)
    found = usage_page(SYSTEM, teams_of(subscription).values("pk"), wanted, until)
    return found.rows, found.chart


def _plain(subscription: Subscription, month: date) -> int:
    """Count the rows of a month: what any reading of it costs at least."""
    period = month_of(month)
    rows = UsageDay.objects.filter(
        team_id__in=teams_of(subscription).values("pk"), day__gte=period.start, day__lt=period.end
    )
    return rows.count()


def _csv(subscription: Subscription, months: int) -> int:
    now = timezone.now()
    first = (now - timedelta(days=30 * months)).strftime("%Y-%m")
    last = (now - timedelta(days=30)).strftime("%Y-%m")
    answer = export(
        SYSTEM,
        teams_of(subscription).values("pk"),
        UsageExportRequest.of({"from": first, "to": last}, now),
        "large",
    )
    return sum(len(piece) for piece in _pieces(answer))


def _pieces(answer: object) -> list[bytes]:
    from asgiref.sync import async_to_sync

    async def gather() -> list[bytes]:
        return [piece async for piece in answer.streaming_content]  # type: ignore[attr-defined]

    return async_to_sync(gather)()


def run(home: Path) -> None:
    """Print milliseconds of each page, the best of three, and how many rows lie below."""
    organization = _fill()
    subscription = subscription_of(organization)
    last_month = (datetime.now(UTC).replace(day=1) - timedelta(days=1)).date()
    period, rows = str(last_month), UsageDay.objects.count()
    print(f"{rows:,} rows, {connection.vendor}")
    team = str(Team.objects.get(name="team0").pk)
    figures: list[tuple[str, Callable[[], object]]] = [
        ("rows of a month, counted", lambda: _plain(subscription, last_month)),
        ("tiles", lambda: tiles_of(subscription, timezone.now())),
        ("a month by team", lambda: _page(subscription, period=period)),
        ("a month by project", lambda: _page(subscription, period=period, by="project")),
        ("storage by person", lambda: _page(subscription, period=period, by="user", category="storage")),
        ("a month of one team", lambda: _page(subscription, period=period, by="project", team=team)),
        ("twelve months", lambda: _page(subscription, by="month")),
        (
            "REST, by project",
            lambda: usage_report(
                SYSTEM, teams_of(subscription).values("pk"), by="project", period=month_of(last_month),
                now=timezone.now(), limit=1000,
            ),
        ),
        ("CSV of a month", lambda: _csv(subscription, 1)),
    ]  # fmt: skip
    for name, work in figures:
        print(f"{name:<26} {_timed(work)}")
