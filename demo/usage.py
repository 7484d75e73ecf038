"""A year of use: rows of the ledgers, of which the meter counts, so that a rebuild finds the same.

Runs of the past are long purged: their rows speak of numbers below 0 that no run has. Runs that the demo really logged
count when they say that they ran.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from demo.people import ORGANIZATION

MONTHS = 11
"""Before the present one."""
HOURS = (210, 640)
"""Tracked in a month, from the first to the last: growing."""
STORED_GB = (34, 128)
TRACES_GB = (1.5, 8.4)
SHARES = {"vision": 0.46, "language": 0.29, "robotics": 0.17, "speech": 0.08}
"""Of teams."""
GONE = {"vision": "detector-2025", "language": "tokenizer-study"}
"""Team to a project that was deleted since."""
LEFT = ("emil", "Emil Sandberg")
"""Whose account was deleted; his runs stay."""
SAMPLED = ("vision", "language", "robotics")
"""Teams whose machines send samples of GPUs."""
KINDS = (("file", 0.72), ("history", 0.21), ("log", 0.07))
_GB = 10**9


@dataclass(slots=True)
class TeamUsage:
    """A team, with who uses it for what; what is first is used most."""

    name: str
    team_id: int
    projects: list[int | None]
    people: list[int]
    gone: int | None = None


@dataclass(slots=True)
class Ledgers:
    """Rows to be written."""

    now: datetime
    intervals: list[object] = field(default_factory=list)
    hardware: list[object] = field(default_factory=list)
    entries: list[object] = field(default_factory=list)
    traces: list[object] = field(default_factory=list)
    held: defaultdict[tuple[int, int | None, int | None, str], int] = field(
        default_factory=lambda: defaultdict(int)
    )


def make_usage() -> None:
    """Write a year of use and count it; Django must be set up, and the demo's runs must have their age."""
    from usage.metering.meter import rebuild, run_meter

    now = datetime.now(UTC)
    source = np.random.default_rng(11)
    ledgers, places = Ledgers(now), _teams_in_use()
    first = _months_before(now, MONTHS)
    for day in range((now - first).days + 1):
        at = first + timedelta(days=day)
        part = day / max((now - first).days, 1)
        _run(ledgers, places, source, at, part)
        _store(ledgers, places, source, at, part)
        _ingest_traces(ledgers, places, source, at, part)
    _write(ledgers)
    _age_logged_runs()
    rebuild()
    run_meter()


def _months_before(now: datetime, count: int) -> datetime:
    months = now.year * 12 + now.month - 1 - count
    return datetime(months // 12, months % 12 + 1, 1, tzinfo=UTC)


def _teams_in_use() -> list[TeamUsage]:
    """Find the teams; make the projects and the person that are gone."""
    from django.db import transaction

    from access.actor import SYSTEM
    from accounts.lifecycle.deletion import make_tombstone
    from accounts.lifecycle.services import create_user
    from accounts.models import User
    from demo.people import PASSWORD
    from runs.models import Project
    from runs.projects.services import create_project
    from teams.models import Team

    emil = create_user(
        actor=SYSTEM, username=LEFT[0], email=f"{LEFT[0]}@aurora-labs.example", password=PASSWORD
    )
    User.objects.filter(pk=emil.pk).update(display_name=LEFT[1])
    with transaction.atomic():
        make_tombstone(emil)
    places = []
    for team in Team.objects.filter(name__in=SHARES, organization__name=ORGANIZATION).order_by("name"):
        projects: list[int | None] = list(
            Project.objects.live().filter(team=team).order_by("pk").values_list("pk", flat=True)
        )
        gone = None
        if team.name in GONE:
            project = create_project(actor=SYSTEM, team=team, name=GONE[team.name], visibility="team")
            Project.objects.filter(pk=project.pk).update(deleted_at=datetime.now(UTC) - timedelta(days=70))
            gone = project.pk
        people = list(team.memberships.order_by("pk").values_list("user_id", flat=True))
        if team.name == "vision":
            people.insert(3, emil.pk)
        places.append(TeamUsage(team.name, team.pk, projects or [None], people, gone))
    return places


def _chosen(items: list[int | None] | list[int], source: np.random.Generator) -> int | None:
    """Take one; those in front more often."""
    weights = 0.62 ** np.arange(len(items))
    return items[int(source.choice(len(items), p=weights / weights.sum()))]


def _project_of(place: TeamUsage, source: np.random.Generator, part: float) -> int | None:
    if place.gone is not None and part < 0.8 and source.random() < 0.35 * (1 - part):
        return place.gone
    return _chosen(place.projects, source)


def _interpolated(span: tuple[float, float], part: float) -> float:
    return span[0] + (span[1] - span[0]) * part


def _run(
    ledgers: Ledgers, places: list[TeamUsage], source: np.random.Generator, at: datetime, part: float
) -> None:
    """Let runs of a day run: fewer at weekends, some over midnight, some with samples of GPUs."""
    from usage.models import TrackedInterval

    hours = _interpolated(HOURS, part) / 30 * (1.18 if at.weekday() < 5 else 0.52) * source.uniform(0.7, 1.3)
    while hours > 0:
        place = places[int(source.choice(len(places), p=_weights(places)))]
        lasts = float(np.clip(source.lognormal(1.0, 0.8), 0.2, 16))
        hours -= lasts
        began = at + timedelta(seconds=int(source.uniform(0, 86_400)))
        ended = began + timedelta(hours=lasts)
        if ended >= ledgers.now:
            continue
        owner = {
            "team_id": place.team_id, "project_id": _project_of(place, source, part) or 0,
            "user_id": _chosen(place.people, source), "run_id": -1 - len(ledgers.intervals),
        }  # fmt: skip
        ledgers.intervals.append(
            TrackedInterval(**owner, began_at=began, ended_at=ended, not_before=began, counted_to=began)
        )
        if place.name in SAMPLED and source.random() < 0.8:
            _sample(ledgers, source, owner, (began, ended))


def _sample(
    ledgers: Ledgers, source: np.random.Generator, owner: dict[str, int | None], span: tuple[datetime, datetime]
) -> None:  # fmt: skip
    from usage.metering.seconds import by_day
    from usage.models import HardwareUse

    gpus, watts = int(source.choice([1, 2, 4, 8], p=[0.4, 0.2, 0.2, 0.2])), source.uniform(240, 640)
    for number, (day, seconds) in enumerate(by_day(*span, span[0])):
        gpu_s = int(seconds * gpus * 0.98)
        ledgers.hardware.append(
            HardwareUse(
                **owner, day=day, gpu_s=gpu_s, energy_j=int(gpu_s * watts), row_from=number, row_to=number + 1
            )
        )


def _weights(places: list[TeamUsage]) -> list[float]:
    whole = sum(SHARES[place.name] for place in places)
    return [SHARES[place.name] / whole for place in places]


def _store(
    ledgers: Ledgers, places: list[TeamUsage], source: np.random.Generator, at: datetime, part: float
) -> None:
    """Let what is held come to where it should be; some is deleted now and then, and with its project."""
    whole = _interpolated(STORED_GB, part) * (1 + 0.05 * np.sin(part * 40))
    for place, share in zip(places, _weights(places), strict=True):
        held = sum(size for key, size in ledgers.held.items() if key[0] == place.team_id)
        missing = whole * share * _GB - held
        moment = at + timedelta(seconds=int(source.uniform(0, 80_000)))
        if place.gone is not None and (ledgers.now - at).days == 63:
            _release(ledgers, place.gone, moment)
        if missing > 0:
            project, person = _project_of(place, source, part), _chosen(place.people, source)
        else:
            mine = {key: size for key, size in ledgers.held.items() if key[0] == place.team_id}
            _team, project, person, _kind = max(mine, key=lambda key: mine[key])
        for kind, of_kind in KINDS:
            delta = int(missing * source.uniform(0.5, 1) * of_kind)
            held_there = ledgers.held[place.team_id, project, person, kind]
            _enter(ledgers, (place.team_id, project, person, kind), max(delta, -held_there), moment)


def _release(ledgers: Ledgers, project_id: int, at: datetime) -> None:
    for key, size in list(ledgers.held.items()):
        if key[1] == project_id:
            _enter(ledgers, key, -size, at)


def _enter(ledgers: Ledgers, key: tuple[int, int | None, int | None, str], delta: int, at: datetime) -> None:
    from storage.models import ByteEntry

    if delta == 0 or at >= ledgers.now:
        return
    team_id, project_id, user_id, category = key
    ledgers.held[key] += delta
    ledgers.entries.append(
        ByteEntry(
            at=at,
            team_id=team_id,
            project_id=project_id,
            user_id=user_id,
            category=category,
            delta_bytes=delta,
        )
    )


def _ingest_traces(
    ledgers: Ledgers, places: list[TeamUsage], source: np.random.Generator, at: datetime, part: float
) -> None:
    """Take in traces of the teams that have some."""
    from usage.models import IngestionEntry

    for place, share in zip(places, (0.0, 0.0, 0.25, 0.75), strict=False):
        size = int(_interpolated(TRACES_GB, part) * _GB / 30 * share * source.uniform(0.5, 1.5))
        moment = at + timedelta(seconds=int(source.uniform(30_000, 70_000)))
        if size and moment < ledgers.now:
            ledgers.traces.append(
                IngestionEntry(
                    team_id=place.team_id, project_id=_chosen(place.projects, source),
                    user_id=_chosen(place.people, source), at=moment, size_bytes=size,
                    token=f"demo-{len(ledgers.traces)}",
                )
            )  # fmt: skip


def _write(ledgers: Ledgers) -> None:
    """Write the rows, and what is held after them."""
    from django.db import transaction

    from storage.models import ByteEntry, Holding
    from usage.models import HardwareUse, IngestionEntry, TrackedInterval

    sums: defaultdict[tuple[int, int, str], int] = defaultdict(int)
    for (team_id, project_id, _user, category), size in ledgers.held.items():
        sums[team_id, project_id or 0, category] += size
    holdings = [
        Holding(team_id=team_id, project_id=project_id, category=category, size_bytes=size)
        for (team_id, project_id, category), size in sums.items()
        if size
    ]
    written: tuple[tuple[Any, list[Any]], ...] = (
        (TrackedInterval, ledgers.intervals), (HardwareUse, ledgers.hardware), (ByteEntry, ledgers.entries),
        (IngestionEntry, ledgers.traces), (Holding, holdings),
    )  # fmt: skip
    for model, rows in written:
        with transaction.atomic():
            model.objects.bulk_create(rows, batch_size=500)


def _age_logged_runs() -> None:
    """Let the time and the bytes of runs that the demo logged count when they say that they ran."""
    from django.db import transaction

    from runs.models import Run
    from storage.models import ByteEntry
    from usage.metering.backfill import backfill
    from usage.models import ReportedTime, TrackedInterval

    ended = dict(
        Run.objects.filter(project__team__organization__name=ORGANIZATION)
        .exclude(finished_at=None)
        .values_list("pk", "finished_at")
    )
    with transaction.atomic():
        TrackedInterval.objects.filter(run_id__in=ended).delete()
        ReportedTime.objects.filter(run_id__in=ended).delete()
        for pk, at in ended.items():
            ByteEntry.objects.filter(run_id=pk).update(at=at)
    backfill()
