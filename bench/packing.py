"""Packing a long run, what it leaves on the disk, and its charts, against decoding the same posts."""

import time
from pathlib import Path

import numpy as np

from bench import world
from bench.reads import cpu_ms, log, row_of, walks
from metrics.models import Stream, StreamKind
from metrics.series import selectors
from metrics.store import compaction, reads, row_blocks, segment_cache
from runs.models import Run

STEPS, KEYS, STEPS_A_POST = 1_000_000, 5, 4000
BUCKETS = 1000


def log_long_run(run: Run) -> float:
    """Log a long run; return the CPU seconds of decoding its lines."""
    values = walks(np.random.default_rng(0), STEPS, KEYS)
    decoding = 0.0
    for start in range(0, STEPS, STEPS_A_POST):
        lines = [world.line_of(row_of(step, values)) for step in range(start, start + STEPS_A_POST)]
        begin = time.process_time()
        rows = world.decoded(lines)
        decoding += time.process_time() - begin
        log(run, start, rows)
    return decoding


def run(home: Path) -> None:
    """Print CPU figures of one run of a million steps."""
    [row] = world.runs(world.project("packing"), 1)
    decoding = log_long_run(row)
    stream = Stream.objects.get(run=row, kind=StreamKind.HISTORY)

    def chart(*, exact: bool = False) -> object:
        return selectors.series(row.pk, StreamKind.HISTORY, ["walk_1"], buckets=BUCKETS, exact=exact)

    tail = cpu_ms(chart)
    begin = time.process_time()
    report = compaction.pack_stream(stream.pk)
    packing = time.process_time() - begin
    points = STEPS * (KEYS + 3)
    files = sum(path.stat().st_size for path in (home / "segments").rglob("*") if path.is_file())
    segment_cache.clear_cache()
    begin = time.process_time()
    chart()
    first = (time.process_time() - begin) * 1e3
    scan = cpu_ms(lambda: reads.columns(row_blocks.blocks(row.pk, StreamKind.HISTORY), ["walk_1", "_step"]))
    blocks, exact = cpu_ms(chart), cpu_ms(lambda: chart(exact=True))
    listed = cpu_ms(lambda: selectors.keys_json(row.pk, StreamKind.HISTORY))
    print(f"run                 {STEPS} steps x {KEYS} keys, {report.packed} segments")
    print(
        f"packing             {packing:7.2f} s CPU: {decoding / packing:.2f} of decoding the lines ({decoding:.2f} s)"
    )
    print(f"on the disk         {files / points:7.2f} bytes a point, index and blocks included")
    print(f"columns, raw        {scan:7.1f} ms CPU for two of them")
    print(f"chart from the tail {tail:7.1f} ms CPU, {BUCKETS} buckets")
    print(f"chart, every point  {exact:7.1f} ms CPU: {exact / scan:.2f} of the raw columns")
    print(f"chart, first time   {first:7.1f} ms CPU, from blocks")
    print(f"chart from blocks   {blocks:7.1f} ms CPU: {blocks / scan:.2f} of the raw columns")
    print(f"list of keys        {listed:7.1f} ms CPU")
