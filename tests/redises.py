"""A Redis for each installation: a database of the one that the suite was given, or a process of its own."""

import contextlib
import fcntl
import os
import shutil
from pathlib import Path
from typing import IO

import redis

from common.server import embedded_redis
from tests.plugin import GIVEN_REDIS, REDIS_DATABASES, SHARED, redis_database

WORKERS = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))


class OwnRedis:
    """A Redis that no other installation uses: its worker would take away their tasks."""

    def __init__(self) -> None:
        self.folder: Path | None = None
        """Where its socket is, if it is a process of its own."""
        self._lock, number = _free_database()
        if self._lock:
            self.url = redis_database(GIVEN_REDIS, number)
        else:
            self.folder = embedded_redis.make_folder()
            self.url = embedded_redis.url_of(self.folder)

    def empty(self) -> None:
        """Remove what an earlier installation has left; a process of its own begins empty."""
        if self._lock:
            with contextlib.closing(redis.Redis.from_url(self.url)) as client:
                client.flushdb()

    def give_back(self) -> None:
        """Let others have it."""
        if self._lock:
            self._lock.close()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)


def _free_database() -> "tuple[IO[str] | None, int]":
    """Return the number of a database of the given Redis, with the lock that keeps others out; without lock, none."""
    for number in range(WORKERS, REDIS_DATABASES) if GIVEN_REDIS else ():
        lock = (SHARED / f"redis-{number}.lock").open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
        else:
            return lock, number
    return None, 0
