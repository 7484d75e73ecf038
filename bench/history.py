"""What the SDK reads of a long run's history, against putting all of its rows together in the same process."""

from pathlib import Path

import numpy as np

from bench import reads, world
from metrics.models import Stream, StreamKind
from metrics.series import history_rows
from metrics.store import compaction
from metrics.store import reads as store
from runs.models import Run

STEPS, STEPS_A_POST, KEYS = 300_000, 3000, 4
SAMPLES = 500
PAGE = 1000
"""Steps that `scan_history` asks for at once."""
AIM = 0.1


def _fill(run: Run) -> None:
    values = reads.walks(np.random.default_rng(0), STEPS, KEYS)
    for start in range(0, STEPS, STEPS_A_POST):
        reads.log(run, start, [reads.row_of(step, values) for step in range(start, start + STEPS_A_POST)])
    compaction.pack_stream(Stream.objects.get(run=run, kind=StreamKind.HISTORY).pk)


def run(home: Path) -> None:
    """Print milliseconds of CPU, the best of a few rounds, and the share of the reference."""
    [row] = world.runs(world.project("history"), 1)
    _fill(row)
    every = reads.cpu_ms(lambda: list(store.scan(row.pk, StreamKind.HISTORY)))
    keys = history_rows.keys_of(["walk_1", "_step"])
    middle = STEPS // 2
    print(f"{STEPS} steps x {KEYS} keys; all rows put together: {every:.0f} ms CPU; aim .{AIM * 100:02.0f}")
    for name, work in {
        f"history(keys), {SAMPLES} samples": lambda: history_rows.sampled(
            row.pk, StreamKind.HISTORY, SAMPLES, keys
        ),
        f"history(), {SAMPLES} samples": lambda: history_rows.sampled(row.pk, StreamKind.HISTORY, SAMPLES),
        f"scan with keys, {PAGE} steps": lambda: history_rows.between(row.pk, middle, middle + PAGE, keys),
        f"scan, {PAGE} steps": lambda: history_rows.between(row.pk, middle, middle + PAGE),
    }.items():
        took = reads.cpu_ms(work)
        print(f"{name:<28} {took:8.1f} ms CPU: {took / every:.3f} of all rows")
