"""Charts of a long run whose segments lie in files, the database, a bucket of SeaweedFS and ClickHouse, in one run."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from django.conf import settings

from bench import world
from bench.packing import BUCKETS, KEYS, STEPS, log_long_run
from bench.reads import ROUNDS, best_ms
from metrics.models import Segment, Stream, StreamKind
from metrics.series import selectors
from metrics.store import compaction, fetching, moving, reads, row_blocks, segment_cache, segment_storage
from metrics.store.clickhouse import servers, tables
from metrics.store.segment_bucket import BucketSegmentStorage
from runs.models import Run
from storage.buckets import services as buckets
from tests.fakes.buckets import bucket_server
from tests.fakes.clickhouse import CLUSTER, Shards, shards

ROUND_TRIP_S = 0.03
"""Of a bucket in another building."""


def _cold_ms(work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the milliseconds of the best of a few rounds in a process that remembers nothing."""
    best = float("inf")
    for _ in range(ROUNDS):
        segment_cache.clear_cache()
        begin = clock()
        work()
        best = min(best, clock() - begin)
    return best * 1e3


def _measure(row: Run) -> dict[str, float]:
    def chart(*, exact: bool = False) -> object:
        return selectors.series(row.pk, StreamKind.HISTORY, ["walk_1"], buckets=BUCKETS, exact=exact)

    def scan() -> None:
        for _block in row_blocks.batches(row.pk, StreamKind.HISTORY):
            pass

    return {
        "chart, cold": _cold_ms(chart),
        "chart, cold, CPU": _cold_ms(chart, time.process_time),
        "chart, warm": best_ms(chart, clock=time.perf_counter),
        "every point, cold": _cold_ms(lambda: chart(exact=True)),
        "two columns, cold": _cold_ms(
            lambda: reads.columns(row_blocks.blocks(row.pk, StreamKind.HISTORY), ["walk_1", "_step"])
        ),
        "all columns": _cold_ms(scan),
    }


def _count_requests(work: Callable[[], object]) -> int:
    plain, names = BucketSegmentStorage.read_stored, []

    def counted(self: BucketSegmentStorage, name: str, start: int, length: int) -> bytes:
        names.append(name)
        return plain(self, name, start, length)

    BucketSegmentStorage.read_stored = counted  # type: ignore[method-assign] # for as long as this counts
    segment_cache.clear_cache()
    try:
        work()
    finally:
        BucketSegmentStorage.read_stored = plain  # type: ignore[method-assign]
    return len(names)


def _far_away(row: Run) -> dict[str, float]:
    """Measure a cold chart where each request takes longer, side by side and one after the other."""
    plain = BucketSegmentStorage.read_stored

    def slowly(self: BucketSegmentStorage, name: str, start: int, length: int) -> bytes:
        time.sleep(ROUND_TRIP_S)
        return plain(self, name, start, length)

    def chart() -> object:
        return selectors.series(row.pk, StreamKind.HISTORY, ["walk_1"], buckets=BUCKETS)

    BucketSegmentStorage.read_stored = slowly  # type: ignore[method-assign]
    pool = fetching._pool
    try:
        together = _cold_ms(chart)
        with ThreadPoolExecutor(1) as fetching._pool:
            apart = _cold_ms(chart)
    finally:
        fetching._pool = pool
        BucketSegmentStorage.read_stored = plain  # type: ignore[method-assign]
    return {"together": together, "apart": apart}


def _move(store: str) -> float:
    begin = time.perf_counter()
    for _progress in moving.move_all(segment_storage.STORAGES[store]()):
        pass
    return time.perf_counter() - begin


def _take_bucket(bucket: Any) -> None:
    settings.STORAGE_URL = bucket.url
    settings.STORAGE_KEY, settings.STORAGE_SECRET = bucket.credentials.values()
    settings.STORAGE_CACHE_BYTES = 0
    buckets.forget()


def take_clickhouse(clickhouse: Shards) -> None:
    """Let the settings name a cluster, and create its tables."""
    settings.CLICKHOUSE_URL, settings.CLICKHOUSE_CLUSTER = clickhouse.url("bench"), CLUSTER
    tables.create(servers.cluster_servers())


def _stored_bytes(clickhouse: Shards) -> dict[str, int]:
    """Return the bytes of each table on all shards; contents that were moved on are still there."""
    found = dict.fromkeys((tables.PARTS, tables.NUMBERS), 0)
    for server in clickhouse.servers:
        for table in found:
            statement = (
                "SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = 'bench' AND table ="
            )
            found[table] += int(server.ask(f"{statement} '{table}_local'"))
    return found


def run(home: Path) -> None:
    """Print wall milliseconds, the best of a few rounds, and ratios to files."""
    [row] = world.runs(world.project("buckets"), 1)
    log_long_run(row)
    compaction.pack_stream(Stream.objects.get(run=row, kind=StreamKind.HISTORY).pk)
    segments = list(Segment.objects.values_list("size_bytes", flat=True))
    found = {"files": _measure(row)}
    with bucket_server("seaweedfs") as server, shards() as clickhouse:
        _take_bucket(server.new_bucket())
        take_clickhouse(clickhouse)
        took = {}
        for store in ("database", "clickhouse", "bucket"):
            took[store] = _move(store)
            found[store] = _measure(row)
        requests = _count_requests(
            lambda: selectors.series(row.pk, StreamKind.HISTORY, ["walk_1"], buckets=BUCKETS)
        )
        far = _far_away(row)
        stored = _stored_bytes(clickhouse)
        took["files"] = _move("files")
    print(f"run                  {STEPS} steps, {len(segments)} segments of {sum(segments) / 1e6:.1f} MB")
    print(f"{'':20} " + "".join(f"{store:>20}" for store in found))
    for what, files in found["files"].items():
        cells = [f"{of[what]:7.1f} ms {of[what] / files:6.2f}×" for of in found.values()]
        print(f"{what:20} " + "".join(f"{cell:>20}" for cell in cells))
    points = STEPS * (KEYS + 3)
    parts, numbers = (stored[table] / points for table in (tables.PARTS, tables.NUMBERS))
    print(f"on the disk          {sum(segments) / points:.2f} bytes a point")
    print(f"  in ClickHouse      {parts:.2f} of parts and {numbers:.2f} of numbers")
    print(f"cold chart           {requests} requests")
    print(
        f"  {ROUND_TRIP_S * 1e3:.0f} ms away         {far['together']:.0f} ms, {far['apart']:.0f} one after the other"
    )
    print("moved                " + ", ".join(f"to {store} in {took[store]:.2f} s" for store in took))
