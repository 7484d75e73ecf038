"""Runs that live through the real services, and beside them a count from scratch that knows nothing of the meter."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

import time_machine
from django.db import transaction
from django.utils import timezone

from access.actor import SYSTEM
from accounts.models import User
from billing.models import Subscription
from billing.subscriptions.selectors import subscription_of_team, teams_of
from common.errors import Gone
from metrics.ingest.branching import fork_run, rewind_run
from metrics.ingest.transaction import write_group
from metrics.tests.ingest.test_ingest import post
from runs.bulk_actions import deletion, moving
from runs.lifecycle import purge
from runs.lifecycle import services as lifecycle
from runs.lifecycle.fields import RunFields
from runs.models import Project, Run
from storage.models import ByteEntry
from storage.services import record_bytes
from usage.metering import intervals
from usage.metering.ingestion import record_ingestion
from usage.metering.meter import run_meter
from usage.models import SUMS, TeamDay, UsageDay
from usage.periods import Period, period_of

BEGIN = datetime(2026, 1, 28, 21, 10, 5, 250_000, UTC)
ACTIVE = ("running", "preempting")
DAY = 86_400
Key = tuple[int, int, int, date]


def settle(subscription: Subscription, period: Period) -> None:
    """Count what a payer's teams used, as closing a period does."""
    intervals.settle(list(teams_of(subscription).values_list("pk", flat=True)), period)


def day_number(at: datetime) -> int:
    return int(at.timestamp()) // DAY


def days_of(since: datetime, until: datetime) -> Iterator[tuple[int, int]]:
    """Yield (day, seconds), days by their number since 1970."""
    first, last = int(since.timestamp()), int(until.timestamp())
    while first < last:
        border = min(last, (first // DAY + 1) * DAY)
        yield first // DAY, border - first
        first = border


@dataclass
class Span:
    """A stretch of running, and on which days what was known of it at closings counts."""

    owner: tuple[int, int, int]
    began: datetime
    ended: datetime | None = None
    settled_to: datetime | None = None
    days: Counter[int] = field(default_factory=Counter)

    def settle(self, known: datetime, closed_to: date | None) -> None:
        """Count what is known; what is closed counts on the first open day."""
        since = self.settled_to or self.began
        first_open = 0 if closed_to is None else (closed_to - date(1970, 1, 1)).days
        for day, seconds in days_of(since, max(since, known)):
            self.days[max(day, first_open)] += seconds
        self.settled_to = max(since, known)


@dataclass
class Life:
    """What the test knows of a run."""

    pk: int
    owner: tuple[int, int, int]
    """(team, project, user)"""
    state: str
    beat_at: datetime
    changes: list[tuple[str, datetime]]
    spans: list[Span] = field(default_factory=list)
    reports: list[tuple[tuple[int, int, int], int, int]] = field(default_factory=list)
    """(owner, day, seconds)"""
    clock: float = 0
    exit_code: int | None = None
    is_deleted: bool = False
    follows: bool = False

    def seconds(self) -> int:
        spans = sum(
            int(span.ended.timestamp()) - int(span.began.timestamp()) for span in self.spans if span.ended
        )
        return spans + sum(seconds for _, _, seconds in self.reports)

    def preempting(self) -> int:
        total = 0
        for (state, at), (_, later) in zip(self.changes, self.changes[1:], strict=False):
            if state == "preempting":
                total += int(later.timestamp()) - int(at.timestamp())
        return total


class World:
    """Three payers with a project in each of four teams; everything goes through the services."""

    def __init__(self, projects: list[Project], user: User, clock: time_machine.Traveller) -> None:
        self.projects, self.user, self.clock = projects, user, clock
        self.lives: dict[str, Life] = {}
        self.closed: dict[int, date | None] = {}
        """By subscription."""
        self.closings: list[tuple[set[int], date, list[tuple[object, ...]]]] = []
        """(teams, closed to, their days before)"""
        self.tokens = 0

    def _life(self, uid: str) -> Life:
        """Return what is known of a run; begin it where it is not there."""
        if uid not in self.lives:
            self.begin(uid, len(self.lives))
        return self.lives[uid]

    # -- what happens ------------------------------------------------------------------------------------------------

    def wait(self, seconds: float) -> None:
        self.clock.shift(timedelta(seconds=seconds))

    def turn_month(self, hours: float) -> None:
        """Wait for the next month's begin, and so many hours more, or fewer."""
        now = timezone.now()
        month = period_of(now.date()).ends_at
        self.wait(max(0, (month - now).total_seconds() + hours * 3600))

    def begin(self, uid: str, place: int, *, pending: bool = False) -> None:
        life = self.lives.get(uid)
        project = self.projects[place % len(self.projects)]
        if life is not None:
            project = Project.objects.get(pk=life.owner[1])
        try:
            run, _ = lifecycle.log_run(
                actor=SYSTEM, project=project, uid=uid, fields=RunFields(), user=self.user,
                state="pending" if pending and life is None else "",
            )  # fmt: skip
        except Gone:
            assert life is not None
            assert life.is_deleted
            return
        now = timezone.now()
        if life is None:
            owner = (project.team_id, project.pk, self.user.pk)
            life = self.lives[uid] = Life(run.pk, owner, "", now, [])
            self._to(life, "pending" if pending else "running", now)
        elif life.state not in ACTIVE:
            self._to(life, "running", now)
        life.beat_at = now

    def beat(self, uid: str, *, preempting: bool = False, clock: float = 0) -> None:
        life = self._life(uid)
        sent = post(Run(pk=life.pk), summary=self._summary(life, clock))
        sent.run.preempting = preempting
        write_group([sent])
        if life.is_deleted:
            return
        now = life.beat_at = timezone.now()
        life.clock = max(clock, life.clock)
        if life.state == "preempted" or (preempting and life.state in {"crashed", "pending", *ACTIVE}):
            self._to(life, "preempting", now)
        elif life.state in {"crashed", "pending"}:
            self._to(life, "running", now)

    def finish(self, uid: str, exit_code: int, clock: float) -> None:
        life = self._life(uid)
        write_group([post(Run(pk=life.pk), complete=exit_code, summary=self._summary(life, clock))])
        if life.is_deleted:
            return
        now = life.beat_at = timezone.now()
        life.clock = max(clock, life.clock)
        is_taken = life.state in {"preempting", "preempted"}
        state = "finished" if not exit_code else "preempted" if is_taken else "failed"
        if (life.state, life.exit_code) != (state, exit_code):
            self._to(life, state, now)
        life.exit_code = exit_code

    def sync(self, uid: str, place: int, clock: float) -> None:
        """As `wandb sync`: the run is there for seconds, and tells of hours."""
        self.begin(uid, place)
        self.wait(1.5)
        self.finish(uid, 0, clock)

    def sweep(self) -> None:
        lifecycle.find_crashed_runs()
        silent = timezone.now() - timedelta(seconds=300)
        for life in self.lives.values():
            if life.state in ACTIVE and life.beat_at < silent:
                self._to(life, "preempted" if life.state == "preempting" else "crashed", life.beat_at)

    def delete(self, uid: str) -> None:
        life = self.lives.get(uid)
        if life is not None:
            deletion.delete_run(actor=SYSTEM, run=Run.objects.get(pk=life.pk))
            life.is_deleted = True

    def purge(self) -> None:
        self.wait(8 * DAY)
        self.sweep()
        purge.purge_runs(60)

    def move(self, uid: str, place: int) -> None:
        life = self.lives.get(uid)
        if life is None:
            return
        project = self.projects[place % len(self.projects)]
        moving.move_runs(actor=SYSTEM, run_ids=[life.pk], project=project)
        moved = Run.objects.get(pk=life.pk).project_id == project.pk
        assert moved or life.state in ACTIVE or life.is_deleted
        if moved:
            life.owner = (project.team_id, project.pk, life.owner[2])

    def rewind(self, uid: str) -> None:
        life = self.lives.get(uid)
        if life is not None and not life.is_deleted:
            rewind_run(actor=SYSTEM, run=Run.objects.get(pk=life.pk), step=0)
            life.follows, life.clock = True, 0

    def fork(self, uid: str, parent: str) -> None:
        life, other = self.lives.get(uid), self.lives.get(parent)
        if life is None or other is None or life is other or life.is_deleted or other.is_deleted:
            return
        if life.owner[1] == other.owner[1]:
            fork_run(actor=SYSTEM, run=Run.objects.get(pk=life.pk), parent_uid=parent, step=0)
            life.follows, life.clock = True, 0

    def store(self, uid: str, delta_bytes: int) -> None:
        life = self._life(uid)
        team_id, project_id, _ = life.owner
        place = {"team_id": team_id, "project_id": project_id, "run_id": life.pk}
        record_bytes(**place, category="file", delta_bytes=delta_bytes)

    def ingest(self, place: int, size_bytes: int, *, again: bool = False, at: datetime | None = None) -> None:
        self.tokens += not again
        project = self.projects[place % len(self.projects)]
        record_ingestion(
            team_id=project.team_id, project_id=project.pk, user_id=None, size_bytes=size_bytes,
            token=f"test-{self.tokens}", at=at,
        )  # fmt: skip

    def close(self, place: int, *, all_of_them: bool) -> None:
        """Close what can be of the payer of a project: everything, or one period."""
        subscription = subscription_of_team(self.projects[place % len(self.projects)].team)
        first = subscription.closed_to or BEGIN.date()
        period = period_of(first, subscription.anchor_day)
        while period.ends_at + timedelta(hours=6) <= timezone.now():
            with transaction.atomic():
                settle(subscription, period)
                Subscription.objects.filter(pk=subscription.pk).update(closed_to=period.end)
            self._settle(subscription)
            self.closed[subscription.pk] = period.end
            teams = set(teams_of(subscription).values_list("pk", flat=True))
            self.closings.append((teams, period.end, closed_days(teams, period.end)))
            if not all_of_them:
                return
            period = period.next(subscription.anchor_day)

    def close_over_month(self, uid: str, place: int, hours: int, wait: int, *, is_metered: bool) -> None:
        """Let a run go on over a month's end that its payer closes, and hear late of bytes that came before."""
        self.turn_month(-hours)
        self.begin(uid, place)
        self.wait(wait)
        self.beat(uid)
        if is_metered:
            run_meter()
        before = timezone.now()
        self.turn_month(7)
        team_id, project_id, _ = self.lives[uid].owner
        place = next(number for number, one in enumerate(self.projects) if one.pk == project_id)
        self.close(place, all_of_them=True)
        ByteEntry.objects.create(
            team_id=team_id, project_id=project_id, at=before, delta_bytes=1000, category="file"
        )
        self.ingest(place, 1000, at=before)

    # -- the count from scratch --------------------------------------------------------------------------------------

    @staticmethod
    def _summary(life: Life, clock: float) -> str:
        told = max(clock, life.clock)
        return json.dumps({"loss": 0.1, "_runtime": told / 2, "_wandb": {"runtime": int(told)}})

    def _closed_to(self, team_id: int) -> date | None:
        project = next(one for one in self.projects if one.team_id == team_id)
        return self.closed.get(subscription_of_team(project.team).pk)

    def _to(self, life: Life, state: str, at: datetime) -> None:
        if state != life.state:
            if life.state == "running":
                life.spans[-1].ended = at
            if state == "running":
                life.spans.append(Span(life.owner, at))
                life.exit_code = None
            life.state = state
            life.changes.append((state, at))
        if state not in {"running", "preempting", "pending"} and not life.follows:
            missing = int(life.clock) - life.seconds() - life.preempting()
            if missing > 0:
                closed_to = self._closed_to(life.owner[0])
                day = max(day_number(at), 0 if closed_to is None else (closed_to - date(1970, 1, 1)).days)
                life.reports.append((life.owner, day, missing))

    def _settle(self, subscription: Subscription) -> None:
        for life in self.lives.values():
            for span in life.spans:
                project = next(one for one in self.projects if one.team_id == span.owner[0])
                if subscription_of_team(project.team).pk == subscription.pk:
                    span.settle(span.ended or life.beat_at, self.closed.get(subscription.pk))

    def tracked(self) -> Counter[Key]:
        """Count from scratch."""
        found: Counter[Key] = Counter()
        begin = date(1970, 1, 1)
        for life in self.lives.values():
            for span in life.spans:
                span.settle(span.ended or life.beat_at, self._closed_to(span.owner[0]))
                for day, seconds in span.days.items():
                    found[*span.owner, begin + timedelta(days=day)] += seconds
            for owner, day, seconds in life.reports:
                found[*owner, begin + timedelta(days=day)] += seconds
        return +found


def metered() -> Counter[Key]:
    """Return tracked seconds as the meter counted them."""
    rows = UsageDay.objects.exclude(tracked_s=0)
    return Counter({(row.team_id, row.project_id, row.user_id, row.day): row.tracked_s for row in rows})


def table() -> list[tuple[Any, ...]]:
    """Return all rows that say something; teams' rows are their sums."""
    rows = UsageDay.objects.order_by("team_id", "project_id", "user_id", "day")
    values = list(rows.values_list("team_id", "project_id", "user_id", "day", *SUMS))
    teams: Counter[tuple[int, date, str]] = Counter()
    for team_id, _project, _user, day, *sums in values:
        teams.update({(team_id, day, name): value for name, value in zip(SUMS, sums, strict=True)})
    for row in TeamDay.objects.all():
        teams.subtract({(row.team_id, row.day, name): getattr(row, name) for name in SUMS})
    assert not any(teams.values()), teams
    return [row for row in values if any(row[4:])]


def closed_days(team_ids: set[int], closed_to: date) -> list[tuple[object, ...]]:
    """Return the rows of some teams before a day."""
    return [row for row in table() if row[0] in team_ids and row[3] < closed_to]


def byte_seconds(team_id: int, since: datetime, until: datetime) -> int:
    """Add up the ledger: what was held, second by second."""
    total = 0
    for entry in ByteEntry.objects.filter(team_id=team_id):
        first = max(int(entry.at.timestamp()), int(since.timestamp()))
        total += entry.delta_bytes * max(0, int(until.timestamp()) - first)
    return total


__all__ = ["BEGIN", "World", "byte_seconds", "closed_days", "metered", "run_meter", "table"]
