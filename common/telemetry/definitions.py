"""Every measurement that is counted where it happens, with its name, unit and labels.

Labels take only values from this code: never a name that a user chose. Those that are known beforehand are made here,
so that a counter is seen at 0 before it is seen at 1. An observation costs 1 us, a histogram's 2.
"""

from django.db import Error as DatabaseError
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

REGISTRY = CollectorRegistry()
"""Ours alone: the library's own has collectors that know nothing of other processes."""

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
LONG_SECONDS = (0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600)

# Ingest

INGEST_POSTS = Counter(
    "runyard_ingest_posts_total",
    "Posts of runs by result: stored, aborted by the client, or refused with this status.",
    ["result"],
    registry=REGISTRY,
)
INGEST_BYTES = Counter(
    "runyard_ingest_received_bytes_total",
    "Bodies of posts as they came over the wire, before they are decompressed.",
    registry=REGISTRY,
)
INGEST_ROWS = Counter(
    "runyard_ingest_rows_total",
    "Rows in acknowledged posts, replayed ones included.",
    ["kind"],
    registry=REGISTRY,
)
INGEST_POINTS = Counter(
    "runyard_ingest_points_total",
    "Values in acknowledged rows of history and system metrics, the SDK's own (_step, _timestamp) included.",
    ["kind"],
    registry=REGISTRY,
)
INGEST_GROUP_POSTS = Histogram(
    "runyard_ingest_group_posts",
    "Posts in one group commit.",
    buckets=(1, 2, 4, 8, 16, 32, 64, 128, 256),
    registry=REGISTRY,
)
INGEST_COMMIT = Histogram(
    "runyard_ingest_commit_duration_seconds",
    "Time of one group commit, failed ones included.",
    buckets=SECONDS,
    registry=REGISTRY,
)
INGEST_ACKNOWLEDGEMENT = Histogram(
    "runyard_ingest_acknowledgement_duration_seconds",
    "Time from the queue to the durable commit, of stored posts.",
    buckets=SECONDS,
    registry=REGISTRY,
)
INGEST_QUEUE = Gauge(
    "runyard_ingest_queue_posts",
    "Posts that wait for a group commit; looked at every 5 s.",
    multiprocess_mode="livesum",
    registry=REGISTRY,
)

# HTTP

HTTP_REQUESTS = Counter(
    "runyard_http_requests_total",
    "Requests by surface and class of status; aborted: the client went away before there was one.",
    ["surface", "status"],
    registry=REGISTRY,
)
HTTP_DURATION = Histogram(
    "runyard_http_request_duration_seconds",
    "Time from a request's head to the end of its answer, the client's own slowness included.",
    ["surface"],
    buckets=SECONDS,
    registry=REGISTRY,
)
WEBSOCKETS = Gauge(
    "runyard_websocket_connections",
    "Open WebSockets: pages that follow something live.",
    multiprocess_mode="livesum",
    registry=REGISTRY,
)

# Database

DATABASE_ERRORS = Counter(
    "runyard_database_errors_total",
    "Work that failed because of the database, by what it was part of.",
    ["work"],
    registry=REGISTRY,
)

REPLICA_REQUESTS = Counter(
    "runyard_replica_requests_total",
    "Requests that may read from the replica: from where they did, and how many were repeated on the primary.",
    ["outcome"],
    registry=REGISTRY,
)

# The metric store

PACKING_ROWS = Counter(
    "runyard_packing_rows_total",
    "Rows taken from the tail into segments.",
    registry=REGISTRY,
)
PACKING_SEGMENTS = Counter(
    "runyard_packing_segments_total",
    "Segments written, from the tail (pack) or from smaller ones (merge).",
    ["source"],
    registry=REGISTRY,
)
PACKING_BYTES = Counter(
    "runyard_packing_written_bytes_total",
    "Bytes of segments written, from the tail (pack) or from smaller ones (merge).",
    ["source"],
    registry=REGISTRY,
)
PACKING_DURATION = Histogram(
    "runyard_packing_duration_seconds",
    "Time to pack and merge what was due of one stream.",
    buckets=LONG_SECONDS,
    registry=REGISTRY,
)
PACKING_FAILURES = Counter(
    "runyard_packing_failures_total",
    "Streams that could not be packed; their rows stay in the tail.",
    registry=REGISTRY,
)

# Tasks

TASKS = Counter(
    "runyard_tasks_total",
    "Background tasks that ended, by name and outcome.",
    ["task", "outcome"],
    registry=REGISTRY,
)
TASK_DURATION = Histogram(
    "runyard_task_duration_seconds",
    "Time of background tasks by name.",
    ["task"],
    buckets=LONG_SECONDS,
    registry=REGISTRY,
)

# Processes

PROCESSES = Gauge(
    "runyard_processes",
    "Processes that live, by kind: web, worker.",
    ["process"],
    multiprocess_mode="livesum",
    registry=REGISTRY,
)
PROCESS_STARTS = Counter(
    "runyard_process_starts_total",
    "Processes that began since the start, by kind; more than there are: some were replaced.",
    ["process"],
    registry=REGISTRY,
)
PROCESS_MEMORY = Gauge(
    "runyard_process_resident_memory_bytes",
    "Resident memory of the living processes of a kind (Linux); what a fork shares with its parent counts twice.",
    ["process"],
    multiprocess_mode="livesum",
    registry=REGISTRY,
)
PROCESS_CPU = Counter(
    "runyard_process_cpu_seconds_total",
    "CPU time, user and system, of all processes of a kind, ended ones included.",
    ["process"],
    registry=REGISTRY,
)

STORED, ABORTED = "stored", "aborted"
REFUSALS = (400, 401, 403, 404, 405, 410, 413, 503)
SURFACES = ("pages", "graphql", "rest", "file_stream", "stream", "storage", "static", "probes")
STATUSES = ("2xx", "3xx", "4xx", "5xx", ABORTED)
WORK = ("ingest", "http", "graphql", "task")
REPEATED = "repeated"
REPLICA_OUTCOMES = ("replica", "behind", "unavailable", "foreign", REPEATED)


def _make_known() -> None:
    for result in (STORED, ABORTED, *map(str, REFUSALS)):
        INGEST_POSTS.labels(result)
    for kind in ("history", "system", "log"):
        INGEST_ROWS.labels(kind)
    for kind in ("history", "system"):
        INGEST_POINTS.labels(kind)
    for surface in SURFACES:
        HTTP_DURATION.labels(surface)
        for status in STATUSES:
            HTTP_REQUESTS.labels(surface, status)
    for work in WORK:
        DATABASE_ERRORS.labels(work)
    for outcome in REPLICA_OUTCOMES:
        REPLICA_REQUESTS.labels(outcome)
    for process in ("web", "worker"):
        PROCESS_STARTS.labels(process)
    for source in ("pack", "merge"):
        PACKING_SEGMENTS.labels(source)
        PACKING_BYTES.labels(source)


_make_known()


def database_failed(work: str, error: BaseException | None) -> None:
    """Count an error that ended some work, if it is the database's."""
    if isinstance(error, DatabaseError):
        DATABASE_ERRORS.labels(work).inc()
