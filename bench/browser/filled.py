"""What the browser is shown: a project of many runs with many keys, one of them with a long log."""

from dataclasses import dataclass

import numpy as np
from django.utils import timezone

from bench import world
from metrics.ingest.post import Post, PostedRows
from metrics.ingest.transaction import write_group
from metrics.models import Stream, StreamKind
from metrics.store import compaction
from runs.ingest.posts import RunPost
from runs.lifecycle.services import finish_run
from runs.models import Project, Run

RUNS, RUNNING, STEPS, SECTIONS, KEYS_A_SECTION = 50, 5, 200, 10, 100
LINES, LINES_A_POST = 1_000_000, 20_000


@dataclass(frozen=True)
class Sizes:
    """How much there is to see."""

    keys: int = SECTIONS * KEYS_A_SECTION
    runs: int = RUNS
    lines: int = LINES


def rows(source: np.random.Generator, start: int, steps: int) -> list[dict[str, float]]:
    """Return lines of history from a step on."""
    names = [f"layer_{section}/metric_{key}" for section in range(SECTIONS) for key in range(KEYS_A_SECTION)]
    walks = source.normal(size=(steps, len(names))).cumsum(axis=0).astype(np.float32).astype(float)
    steps_of = range(start, start + steps)
    clock = ({"_step": step, "_timestamp": 1.7e9 + step, "_runtime": step} for step in steps_of)
    return [dict(zip(names, walk, strict=True)) | at for walk, at in zip(walks.tolist(), clock, strict=True)]


def _log_lines(run: Run) -> None:
    for start in range(0, LINES, LINES_A_POST):
        lines = [
            f"2026-11-01T00:00:00.000000 epoch {number // 1000} step {number} loss {1 / (number + 1):.6f}\n"
            for number in range(start, start + LINES_A_POST)
        ]
        write_group([Post(run_id=run.pk, log_offset=start, log_lines=lines, run=RunPost(run_id=run.pk))])


def fill(where: Project) -> Sizes:
    """Log the runs, packed as they lie after an hour, and end most of them; the first has the log."""
    runs = world.runs(where, RUNS)
    source = np.random.default_rng(0)
    for run in runs:
        history = PostedRows.of(0, rows(source, 0, STEPS))
        write_group([Post(run_id=run.pk, history=history, run=RunPost(run_id=run.pk))])
    _log_lines(runs[0])
    for stream in Stream.objects.filter(kind=StreamKind.HISTORY, run__in=runs):
        compaction.pack_stream(stream.pk)
    for run in runs[RUNNING:]:
        finish_run(run_id=run.pk, exit_code=0, at=timezone.now())
    return Sizes()
