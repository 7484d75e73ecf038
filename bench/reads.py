"""Reads of many runs (metrics.md R2 to R6), against reading the same columns raw in the same process."""

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from django.db import transaction

from bench import world
from metrics.ingest.post import Post, PostedRows
from metrics.ingest.transaction import write_group
from metrics.models import Stream, StreamKind
from metrics.series import charts, selectors
from metrics.store import compaction, deletion, reads, row_blocks
from runs.ingest.posts import RunPost
from runs.lifecycle import purge
from runs.models import Run

RUNS, STEPS, STEPS_A_POST, KEYS = 100, 10_000, 1000, 4
BUCKETS = 1000
ROUNDS = 5


def best_ms(work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the best of a few rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        begin = clock()
        work()
        best = min(best, clock() - begin)
    return best * 1e3


def cpu_ms(work: Callable[[], object]) -> float:
    """Return the CPU milliseconds of the best of a few rounds."""
    return best_ms(work, clock=time.process_time)


def walks(source: np.random.Generator, steps: int, keys: int) -> list[list[float]]:
    """Return walks of 32-bit origin, as trainings log."""
    return [
        np.cumsum(source.normal(size=steps)).astype(np.float32).astype(float).tolist() for _ in range(keys)
    ]


def row_of(step: int, values: list[list[float]]) -> dict[str, float]:
    """Return a line of history."""
    row = {f"walk_{key}": walk[step] for key, walk in enumerate(values)}
    return row | {"_step": step, "_timestamp": 1.7e9 + step / 4, "_runtime": step / 4}


def log(run: Run, start: int, rows: list[dict[str, float]]) -> None:
    """Write rows as one post."""
    write_group([Post(run_id=run.pk, history=PostedRows.of(start, rows), run=RunPost(run_id=run.pk))])


def _fill(rows: list[Run]) -> None:
    source = np.random.default_rng(0)
    for run in rows:
        values = walks(source, STEPS, KEYS)
        for start in range(0, STEPS, STEPS_A_POST):
            log(run, start, [row_of(step, values) for step in range(start, start + STEPS_A_POST)])
    for stream in Stream.objects.filter(kind=StreamKind.HISTORY):
        compaction.pack_stream(stream.pk)


def _delete(run: Run) -> float:
    """Delete all rows of a run as the worker does; return milliseconds."""
    begin = time.perf_counter()
    with transaction.atomic():
        while deletion.delete_rows(run, purge.ROWS_AT_ONCE):
            pass
    return (time.perf_counter() - begin) * 1e3


def run(home: Path) -> None:
    """Print milliseconds of CPU, the best of a few rounds."""
    rows = world.runs(world.project("reads"), RUNS)
    _fill(rows)
    ids, one = [row.pk for row in rows], rows[0].pk
    points = STEPS * (KEYS + 3)
    raw = cpu_ms(
        lambda: [reads.columns(row_blocks.blocks(pk, StreamKind.HISTORY), ["walk_1", "_step"]) for pk in ids]
    )
    request = charts.ChartRequest(StreamKind.HISTORY, ["walk_1"], buckets=BUCKETS)
    drawn = cpu_ms(lambda: list(charts.series_of_runs(ids, request)))
    tail = cpu_ms(lambda: list(reads.scan(one, StreamKind.HISTORY, row_from=STEPS - 10)))
    listed = cpu_ms(lambda: selectors.keys_json(one, StreamKind.HISTORY))
    every = cpu_ms(lambda: [block.batch() for block in row_blocks.blocks(one, StreamKind.HISTORY)])
    lines = cpu_ms(lambda: [reads.json_line(row) for _, row in reads.scan(one, StreamKind.HISTORY)])
    deleted = _delete(rows[-1])
    print(f"{RUNS} runs of {STEPS} steps x {KEYS} keys")
    print(
        f"R2 chart over all   {drawn:7.1f} ms CPU, {BUCKETS} buckets a run: {drawn / raw:.2f} of raw columns"
    )
    print(f"R3 last 10 rows     {tail:7.2f} ms CPU")
    print(f"R4 all columns      {every:7.1f} ms CPU: {points / every / 1e3:.0f} million values a second")
    print(f"R4 JSON lines       {lines:7.1f} ms CPU: {points / lines / 1e3:.1f} million values a second")
    print(f"R5 list of keys     {listed:7.2f} ms CPU")
    print(f"R6 delete a run     {deleted:7.1f} ms")
