"""What is read at a scrape and belongs to no app: the release, and what Redis knows of the worker."""

from collections.abc import Iterator

import redis
from celery import current_app
from django.conf import settings
from django.db import connection
from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily

from common import VERSION
from common.tasks import HEARTBEAT_KEY
from common.telemetry.exposition import register_reading

REDIS_TIMEOUT_S = 2


def build() -> Iterator[Metric]:
    """Yield the release as a label; the value is always 1."""
    info = GaugeMetricFamily(
        "runyard_build_info", "The release that runs, and on which database.", labels=["version", "database"]
    )
    info.add_metric([VERSION, connection.vendor], 1)
    yield info


def worker() -> Iterator[Metric]:
    """Yield how many tasks wait for the worker and when it last gave a sign of life."""
    with (
        redis.Redis.from_url(
            settings.REDIS_URL, socket_timeout=REDIS_TIMEOUT_S, socket_connect_timeout=REDIS_TIMEOUT_S
        ) as client,
        client.pipeline(transaction=False) as pipeline,
    ):
        pipeline.llen(current_app.conf.task_default_queue)
        pipeline.get(HEARTBEAT_KEY)
        waiting, beaten = pipeline.execute()
    yield GaugeMetricFamily("runyard_tasks_queued", "Tasks that wait for the worker.", waiting)
    yield GaugeMetricFamily(
        "runyard_worker_heartbeat_timestamp_seconds",
        "When the worker last ran the heartbeat that the schedule sends every 15 s; 0 where none came for 60 s.",
        float(beaten or 0),
    )


def register() -> None:
    """Tell the exposition."""
    register_reading("build", build)
    register_reading("worker", worker)
