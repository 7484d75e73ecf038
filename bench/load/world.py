"""The installation's database, seen from beside it: makes runs, looks at the tail, counts rows back."""

import os
import time
from collections.abc import Sequence
from pathlib import Path

from bench.load.bodies import CHECKED, CONSOLE, checked_value, console_line
from bench.load.client import SimulatedRun

RUNS_A_PERSON = 20
"""Each has an API key and a project."""

PAUSE_S = 0.05
"""Between people: SQLite has one writer at a time, and the web process waits for its turn by looking now and then."""


def open_world(home: Path) -> None:
    """Use the installation's database in this process."""
    os.environ |= {"RUNYARD_HOME": str(home), "RUNYARD_LOG_LEVEL": "WARNING"}
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.prod")
    import django

    django.setup()


def begin_runs(name: str, first: int, count: int) -> list[SimulatedRun]:
    """Begin ``count`` runs of new people, the ``first`` and following of this name."""
    from django.db import connection, transaction

    began: list[SimulatedRun] = []
    while len(began) < count:
        with transaction.atomic():
            began += _runs_of(f"{name}{first + len(began)}", min(RUNS_A_PERSON, count - len(began)))
        time.sleep(PAUSE_S)
    connection.close()
    return began


def _runs_of(person: str, count: int) -> list[SimulatedRun]:
    from access.actor import SYSTEM
    from accounts.api_keys.services import create_api_key
    from bench import world

    project = world.project(person)
    key = create_api_key(actor=SYSTEM, owner=project.team.memberships.get().user, label="load")[1]
    path = f"/files/{project.team.name}/{project.name}"
    return [SimulatedRun(run.pk, f"{path}/{run.uid}/file_stream", key) for run in world.runs(project, count)]


def look() -> dict[str, int]:
    """Return what the database says: rows waiting in the tail, the longest tail, segments, runs taken for crashed."""
    from django.db import connection
    from django.db.models import F, Max, Sum

    from metrics.models import Segment, Stream
    from runs.models import Run
    from runs.states import RunState

    waiting = F("next_row") - F("packed_to")
    seen = Stream.objects.aggregate(rows=Sum(waiting), longest=Max(waiting))
    found = {
        "tail_rows": seen["rows"] or 0,
        "longest_tail": seen["longest"] or 0,
        "segments": Segment.objects.count(),
        "crashed": Run.objects.filter(state=RunState.CRASHED).count(),
    }
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_database_size(current_database()), pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint"
            )
            found["postgresql_bytes"], found["postgresql_wal_bytes"] = cursor.fetchone()
    connection.close()
    return found


def count_back(runs: Sequence[SimulatedRun], sample: int) -> list[str]:
    """Compare what was acknowledged with what is stored: the cursors of all runs, each row and line of a sample."""
    from django.db import connection

    from metrics.models import Stream, StreamKind

    cursors = dict(Stream.objects.filter(kind=StreamKind.HISTORY).values_list("run_id", "next_row"))
    wrong = [
        f"{run.path}: {run.rows} rows acknowledged, {cursors.get(run.pk, 0)} counted"
        for run in runs
        if run.rows != cursors.get(run.pk, 0)
    ]
    for run in runs[:: max(1, len(runs) // sample)]:
        wrong += _wrong_in(run)
    connection.close()
    return wrong


def _wrong_in(run: SimulatedRun) -> list[str]:
    from metrics.models import StreamKind
    from metrics.store import reads, row_blocks
    from runs.logs.blocks import log_lines_between

    history = reads.columns(row_blocks.blocks(run.pk, StreamKind.HISTORY), ["_step", CHECKED])
    steps = list(range(run.rows))
    lines = [console_line(number) for number in range(run.posts * CONSOLE)]
    is_right = {
        "steps": history["_step"].values.tolist() == steps,
        "values": history[CHECKED].values.tolist() == [checked_value(step) for step in steps],
        "system rows": sum(1 for _ in reads.scan(run.pk, StreamKind.SYSTEM)) == run.posts,
        "console lines": log_lines_between(run.pk, 0, len(lines) + 1) == [*lines, None],
    }
    return [f"{run.path}: {what} differ" for what, right in is_right.items() if not right]
