"""The worker's heartbeat, which /ready checks."""

import time
from typing import Any

import redis
from celery import shared_task
from celery.signals import worker_ready
from django.conf import settings

from common.crypto import key_fingerprint

HEARTBEAT_KEY = "runyard:worker-heartbeat"
KEY_IN_USE = "runyard:key-in-use"
"""Which secret key the worker has, by its fingerprint."""
HEARTBEAT_STALE_S = 60
"""Four missed beats of 15 s; Redis forgets the key by itself, so no two clocks are compared."""


def write_heartbeat() -> None:
    """Say that a worker lives, and by which secret key."""
    with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=5, socket_connect_timeout=5) as client:
        client.set(HEARTBEAT_KEY, f"{time.time():.3f}", ex=HEARTBEAT_STALE_S)
        client.set(KEY_IN_USE, key_fingerprint(), ex=HEARTBEAT_STALE_S)


@shared_task(ignore_result=True, expires=30, time_limit=30)
def beat_heartbeat() -> None:
    """Show that beat sends and a worker takes tasks; scheduled every 15 s."""
    write_heartbeat()


@worker_ready.connect
def on_worker_ready(**kwargs: Any) -> None:
    """Be ready at once, not only after the first beat."""
    write_heartbeat()
