"""Asking the worker to send when a message's turn comes, so that nobody waits for the schedule's next look."""

import logging
from collections.abc import Collection
from datetime import datetime
from math import ceil

from celery import signature
from django.core.cache import cache

from common.database.commits import after_commit

logger = logging.getLogger(__name__)

SOON_S = 90
"""Later turns are the schedule's: what a worker holds for long is lost with it."""
_MARGIN_S = 15


def schedule_delivery(times: Collection[datetime], now: datetime) -> None:
    """After the commit, ask the worker to send what is due at each of these times, at most once per second."""
    seconds = {max(0, ceil((time - now).total_seconds())) for time in times}
    for wait_s in sorted(seconds):
        if wait_s <= SOON_S:
            after_commit(_request_sending, int(now.timestamp()) + wait_s, wait_s)


def _request_sending(second: int, wait_s: int) -> None:
    task = signature("alerts.tasks.send_due")  # by its name: tasks import what sends
    try:
        if wait_s == 0:
            task.delay()
        elif cache.add(f"alerts.send-asked.{second}", 1, wait_s + _MARGIN_S):
            task.apply_async(countdown=wait_s, expires=wait_s + 60)
    except Exception as error:  # noqa: BLE001 - whatever the client of Redis raises: the message is stored
        logger.warning("The worker was not asked to send alerts; the schedule will: %s", error)
