"""Questions over all points of many runs whose segments lie in two shards of ClickHouse, against as many tails."""

import hashlib
import os
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np

from bench import world
from bench.reads import log, row_of, walks
from bench.segments import take_clickhouse
from metrics.aggregates.best import best_of
from metrics.aggregates.distribution import distribution_of
from metrics.models import Segment, SegmentStore, Stream, StreamKind
from runs.models import Project, Run
from runs.states import RunState
from tests.fakes.clickhouse import Shards, shards

RUNS = int(os.environ.get("RUNYARD_BENCH_RUNS", "") or 100_000)
TAILS, KEYS, POINTS = 1000, 10, 100
_AT_ONCE = 5_000
_FILL = """
INSERT INTO bench.segment_numbers SELECT 'key' || toString(number % {keys}), {stream} + intDiv(number, {keys}), 0,
 lower(hex(MD5(toString(intDiv(number, {keys}))))), [],
 arrayMap(i -> (cityHash64(number, i) % 1000000) / 1000000 + i / 100, range({points})) AS values, {points},
 arrayMin(values), arrayMax(values), arraySum(values), values[-1], now() FROM numbers({rows})
"""


def _fill(project: Project, clickhouse: Shards, count: int) -> list[int]:
    """Make runs of one segment each, whose numbers ClickHouse makes itself; return their keys."""
    pks: list[int] = []
    first = 0
    numbers = iter(range(count))
    while some := list(islice(numbers, _AT_ONCE)):
        runs = Run.objects.bulk_create(
            Run(
                project=project,
                uid=f"many{n}",
                display_name=f"many{n}",
                state=RunState.FINISHED,
                number=10_000 + n,
            )
            for n in some
        )
        streams = Stream.objects.bulk_create(
            Stream(run=run, kind=StreamKind.HISTORY, next_row=POINTS, packed_to=POINTS) for run in runs
        )
        first = first or streams[0].pk
        Segment.objects.bulk_create(
            Segment(
                stream=stream, row0=0, row_count=POINTS, x0=0, x1=POINTS - 1, store=SegmentStore.CLICKHOUSE, index=b"",
                name=hashlib.md5(str(n).encode(), usedforsecurity=False).hexdigest(), size_bytes=1,
            )
            for n, stream in zip(some, streams, strict=True)
        )  # fmt: skip
        pks += [run.pk for run in runs]
    statement = _FILL.format(keys=KEYS, stream=first, points=POINTS, rows=count * KEYS)
    clickhouse.servers[0].ask(f"{statement} SETTINGS distributed_foreground_insert = 1")
    return pks


def _seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def run(home: Path) -> None:
    """Print wall seconds: of all runs, of some of them, and of as many whose rows lie in tails."""
    project = world.project("aggregates")
    tails = world.runs(project, TAILS)
    source = np.random.default_rng(0)
    for row in tails:
        values = walks(source, POINTS, KEYS)
        log(row, 0, [row_of(step, values) for step in range(POINTS)])
    with shards() as clickhouse:
        take_clickhouse(clickhouse)
        pks = _fill(project, clickhouse, RUNS)
        print(f"runs                 {RUNS} of one segment, {KEYS} keys, {POINTS} points of each")
        for name, some, key in (
            ("all", pks, "key3"),
            (f"{TAILS} of them", pks[:TAILS], "key3"),
            (f"{TAILS} from tails", [row.pk for row in tails], "walk_3"),
        ):
            best = _seconds(lambda: best_of(some, key, is_largest=False, limit=20))  # noqa: B023
            points = _seconds(lambda: distribution_of(some, key, bins=50))  # noqa: B023
            print(f"{name:20} best runs {best:6.2f} s, distribution {points:6.2f} s")
