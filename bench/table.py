"""The runs table of 10,000 runs and 100 keys (RUN-25): a page, groups, the columns, a file of all."""

import json
import os
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np
from django.core.cache import cache
from django.db import connection
from django.utils import timezone

from access.actor import Actor
from access.web.requests import actor_of_user
from accounts.models import User
from bench import world
from runs.config.flatten import flat_config, flat_summary
from runs.models import Project, Pulse, Run
from runs.query.cells import Reader
from runs.query.column_names import named_column
from runs.table import TableQuery, catalogue, catalogue_of, groups_of, matching_runs, rows_of
from runs.table.exports import RUNS_AT_ONCE, csv_line, lines_of

RUNS, KEYS, SHOWN, PAGE, ROUNDS = 10_000, 50, 20, 50, 21
CONFIG = tuple(f"config.model.key_{number}" for number in range(KEYS))
SUMMARY = tuple(f"summary.train/metric_{number}" for number in range(KEYS))
WORDS = ("adam", "sgd", "adamw", "lion")


def _trees(source: np.random.Generator) -> Iterator[tuple[str, str]]:
    """Yield config and summary texts: numbers, words and switches, as sweeps log them."""
    for _ in range(RUNS):
        values = source.normal(size=KEYS)
        chosen = source.integers(0, len(WORDS), KEYS)
        kinds = [
            (float(value), int(at), WORDS[at], bool(at % 2)) for value, at in zip(values, chosen, strict=True)
        ]
        config = {f"key_{number}": kinds[number][number % 4] for number in range(KEYS)}
        metrics = source.normal(size=KEYS)
        summary = {f"train/metric_{number}": float(metrics[number]) for number in range(KEYS)}
        yield json.dumps({"model": {"value": config}}), json.dumps(summary)


def _fill(project: Project, user: User) -> None:
    now = timezone.now() - timedelta(days=1)
    runs, pulses = [], []
    for number, (config, summary) in enumerate(_trees(np.random.default_rng(0)), 1):
        run = Run(
            project=project, uid=f"run{number}", number=number, display_name=f"amber-hill-{number}", user=user,
            state="finished", started_at=now, finished_at=now, config_text=config, config_flat=flat_config(config),
            tags=["bench"], group=f"group{number % 10}",
        )  # fmt: skip
        runs.append(run)
        pulses.append(
            Pulse(run=run, heartbeat_at=now, summary_text=summary, summary_flat=flat_summary(summary))
        )
    Run.objects.bulk_create(runs, batch_size=500)
    Pulse.objects.bulk_create(pulses, batch_size=500)
    Run.objects.update(updated_at=now)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")  # as autovacuum does within a minute


def _database_cpu_s() -> float:
    """Return the CPU seconds of the PostgreSQL process behind the connection, if it is on this machine; else 0."""
    if connection.vendor != "postgresql":
        return 0.0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        status = Path(f"/proc/{cursor.fetchone()[0]}/stat")
    ticks = status.read_text().rpartition(")")[2].split()[11:13] if status.exists() else ()
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def timed(work: Callable[[], object], rounds: int) -> str:
    """Return the median of wall-clock milliseconds, and the CPU milliseconds of a round with the database's."""
    taken = []
    cpu = time.process_time() + _database_cpu_s()
    for _ in range(rounds):
        begin = time.perf_counter()
        work()
        taken.append((time.perf_counter() - begin) * 1e3)
    cpu = time.process_time() + _database_cpu_s() - cpu
    return f"median {statistics.median(taken):7.1f} ms, {cpu * 1e3 / rounds:7.1f} ms CPU"


def _csv(actor: Actor, project: Project) -> int:
    query = TableQuery()
    ids = list(matching_runs(actor, project, query).values_list("pk", flat=True))
    reader = Reader(named_column(column.name) for column in catalogue_of(project))
    return sum(
        len(lines_of(ids[start : start + RUNS_AT_ONCE], reader, csv_line))
        for start in range(0, len(ids), RUNS_AT_ONCE)
    )


def _catalogue(project: Project) -> object:
    cache.clear()
    return catalogue_of(project)


def _catalogue_again(project: Project) -> object:
    """Look at what changed since, as after `catalogue.REST`."""
    remembered = cache.get(catalogue.cache_key(project.pk))
    earlier = replace(remembered, at=remembered.at - timedelta(hours=1))
    cache.set(catalogue.cache_key(project.pk), earlier)
    return catalogue_of(project)


def run(home: Path) -> None:
    """Print milliseconds of the whole read as a page asks for it, the load of the machine beside them."""
    project = world.project("table")
    user = User.objects.get(username="bench-table")
    actor = actor_of_user(user)
    _fill(project, user)
    shown = CONFIG[: SHOWN // 2] + SUMMARY[: SHOWN // 2]
    page = TableQuery(
        filter=f"{CONFIG[0]} > 0 and {CONFIG[2]} in ['adam', 'sgd']", order=f"-{SUMMARY[7]}", columns=shown
    )
    found = rows_of(actor, project, page, limit=PAGE)
    load = os.getloadavg()[0]
    print(f"{found.all_count} runs, {2 * KEYS} keys, {connection.vendor}; load {load:.1f}")
    every = TableQuery(order=page.order, columns=shown)
    newest, grouped = TableQuery(columns=shown), TableQuery(columns=shown, group=(CONFIG[2],))
    figures: list[tuple[str, Callable[[], object], int]] = [
        (f"filtered to {found.total}, sorted", lambda: rows_of(actor, project, page, limit=PAGE), ROUNDS),
        ("all, sorted", lambda: rows_of(actor, project, every, limit=PAGE), ROUNDS),
        ("all, newest first", lambda: rows_of(actor, project, newest, limit=PAGE), ROUNDS),
        ("grouped by a config key", lambda: groups_of(actor, project, grouped), 5),
        ("columns, first time", lambda: _catalogue(project), 5),
        ("columns, remembered", lambda: _catalogue_again(project), 5),
        ("CSV of everything", lambda: _csv(actor, project), 3),
    ]
    for name, work, rounds in figures:
        print(f"{name:<26} {timed(work, rounds)}")
