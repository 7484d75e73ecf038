"""A project of more and more runs: its pages, and what it costs to begin one more."""

import json
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import numpy as np
from django.core.management.color import no_style
from django.db import connection, transaction
from django.utils import timezone

from access.actor import SYSTEM
from accounts.models import User
from bench import world
from bench.growth.requests import Browser, Cost
from bench.growth.rows import Rows
from runs.config.flatten import flat_config, flat_summary
from runs.lifecycle.fields import RunFields
from runs.lifecycle.services import log_run
from runs.models import Project, Pulse, Run

SIZES = (1_000, 10_000, 100_000, 1_000_000)
CONFIG_KEYS, SUMMARY_KEYS = 20, 30
AT_ONCE = 10_000
WORDS = ("adam", "sgd", "adamw", "lion")
ADJECTIVES, NOUNS = ("amber", "brisk", "calm", "dusty", "eager"), ("hill", "lantern", "river", "sky")
BEGUN = 20
TREES = 5_000
"""Different configurations and summaries."""


def _config(source: np.random.Generator) -> str:
    numbers = source.normal(size=CONFIG_KEYS).round(6).tolist()
    config: dict[str, Any] = {f"key_{at}": number for at, number in enumerate(numbers)}
    config |= {"optimizer": WORDS[int(source.integers(len(WORDS)))], "layers": int(source.integers(2, 14))}
    return json.dumps({"model": {"value": config}})


def _summary(source: np.random.Generator) -> str:
    numbers = source.normal(size=SUMMARY_KEYS).tolist()
    return json.dumps({f"train/metric_{at}": number for at, number in enumerate(numbers)} | {"_step": 1000})


def _fill(project: Project, user: User, first: int, last: int) -> None:
    """Make the runs from one number up to another."""
    source = np.random.default_rng(first)
    adapted, since = connection.ops.adapt_datetimefield_value, timezone.now() - timedelta(days=400)
    trees = [(_config(source), _summary(source)) for _ in range(TREES)]
    texts = [(one, json.dumps(flat_config(one)), two, json.dumps(flat_summary(two))) for one, two in trees]
    runs = Rows(Run(project=project, user=user, state="finished", tags=["bench"]))
    pulses = Rows(Pulse(heartbeat_at=since))
    for start in range(first, last, AT_ONCE):
        run_rows, pulse_rows = [], []
        for number in range(start, min(last, start + AT_ONCE)):
            config, flat, summary, flat_of_summary = texts[int(source.integers(TREES))]
            at = adapted(since + timedelta(seconds=30 * number))
            run_rows.append(
                runs.row(
                    id=number, uid=f"run{number}", number=number, group=f"group{number % 10}", config_text=config,
                    display_name=f"{ADJECTIVES[number % 5]}-{NOUNS[number % 4]}-{number}", config_flat=flat,
                    started_at=at, finished_at=at, created_at=at, updated_at=at,
                )
            )  # fmt: skip
            pulse_rows.append(
                pulses.row(run_id=number, summary_text=summary, summary_flat=flat_of_summary, heartbeat_at=at)
            )
        with transaction.atomic():
            runs.insert(run_rows)
            pulses.insert(pulse_rows)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            for statement in connection.ops.sequence_reset_sql(no_style(), [Run]):
                cursor.execute(statement)
            cursor.execute("ANALYZE")  # as autovacuum does; SQLite has nobody who does it


def _begun_ms(project: Project, size: int) -> float:
    begin = time.perf_counter()
    for number in range(BEGUN):
        log_run(actor=SYSTEM, project=project, uid=f"new{size}-{number}", fields=RunFields())
    return (time.perf_counter() - begin) * 1e3 / BEGUN


def addresses(project: Project) -> dict[str, str]:
    """Return what is asked for, by what the page calls it."""
    place = f"/{project.team.name}/{project.name}"
    sorted_by = {"order": '-summary."train/metric_7"'}
    some = {"filter": "config.model.key_0 > 0 and config.model.optimizer in ['adam', 'sgd']", **sorted_by}
    columns = 'config.model.layers,summary."train/metric_7"'

    def runs(**query: str) -> str:
        return f"{place}/runs?{urlencode(query)}"

    return {
        "workspace": place,
        "run list": f"{place}/selector",
        "list, searched": f"{place}/selector?search=lantern-77",
        "table, newest": runs(part="table"),
        "table, sorted": runs(part="table", **sorted_by),
        "table, filtered": runs(part="table", **some),
        "table, searched": runs(part="table", search="lantern-77"),
        "groups": runs(part="table", group="config.model.optimizer", columns=columns),
        "columns": runs(part="columns"),
        "one run": f"{place}/runs/run7",
        "team": f"/{project.team.name}",
        "home": "/",
    }


def grow() -> Iterator[tuple[int, dict[str, Cost | float]]]:
    """Yield costs by name for each size of the project."""
    project = world.project("growing")
    user = User.objects.get(username="bench-growing")
    browser, first = Browser(user), 1
    for size in SIZES:
        _fill(project, user, first, size + 1)
        first = size + 1
        costs: dict[str, Cost | float] = {}
        for name, address in addresses(project).items():
            costs[name] = browser.cost(address)
        costs["begin one more"] = _begun_ms(project, size)
        Run.objects.filter(uid__startswith=f"new{size}-").delete()
        yield size, costs
