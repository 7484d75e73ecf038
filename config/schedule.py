"""The schedule, which one of all workers keeps: whoever holds a lease in Redis."""

import logging
import os
import uuid
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import redis
from celery import beat
from django.conf import settings
from redis.exceptions import LockError
from redis.lock import Lock

logger = logging.getLogger(__name__)

LEASE_KEY = "runyard:schedule"
LEASE_S = 20
"""After so long without a sign of life another worker takes over."""
LOOK_EVERY_S = 5
"""How often it is renewed, and how often others try to get it."""
LAST_RUNS_KEY = "runyard:schedule:last-runs"
"""When each entry was last sent: what the next keeper would otherwise only find in this one's data folder."""


class LeasedScheduler(beat.PersistentScheduler):
    """Sends what is due while it holds the lease; a moment of two keepers is harmless, since tasks may run twice.

    No method raises: celery's thread would end, nothing would be sent until a restart, and a worker that stops would
    wait for it forever. A full disk is reason enough.
    """

    _store: Any = None
    """The file of the schedule, open while this worker keeps it."""
    schedule_filename: str

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._redis = redis.Redis.from_url(
            settings.REDIS_URL, decode_responses=True, socket_timeout=5, socket_connect_timeout=5
        )
        self._lease = Lock(self._redis, LEASE_KEY, timeout=LEASE_S, blocking=False, thread_local=False)
        super().__init__(*args, **kwargs)

    def setup_schedule(self) -> None:
        """Leave it to whoever gets the lease: two workers may share the file."""

    def tick(self, *args: Any, **kwargs: Any) -> float:
        """Send what is due, if this worker keeps the schedule; return after how many seconds to look again."""
        try:
            self._hold()
            if self._store is None:
                return LOOK_EVERY_S
            return min(super().tick(*args, **kwargs), LOOK_EVERY_S)
        except (redis.RedisError, LockError):
            self.close()
        except Exception:
            logger.exception("The schedule could not be kept; another try follows in %d s", LOOK_EVERY_S)
            self.close()
        return LOOK_EVERY_S

    def sync(self) -> None:
        """Write the schedule to its file; what is not written is read from Redis."""
        try:
            super().sync()
        except OSError as error:
            self._warn(error)

    def apply_entry(self, entry: Any, producer: Any = None) -> None:
        """Send one, and tell whoever takes over."""
        super().apply_entry(entry, producer=producer)
        with suppress(redis.RedisError):
            self._redis.hset(LAST_RUNS_KEY, entry.name, entry.last_run_at.isoformat())

    def close(self) -> None:
        """Let another worker take over at once."""
        try:
            super().close()
        except OSError as error:
            self._warn(error)
        self._store = None
        with suppress(redis.RedisError, LockError):
            self._lease.release()

    def _warn(self, error: OSError) -> None:
        logger.warning("The schedule could not be written to %s: %s", self.schedule_filename, error)

    def _hold(self) -> None:
        """Renew the lease, or get it where nobody has it.

        Raises:
            LockError: it was lost.
            RedisError: Redis does not answer.
        """
        if self._store is not None:
            self._lease.reacquire()
        elif self._lease.acquire(token=_token()) or self._inherit():
            super().setup_schedule()
            self._heap = None
            for name, sent_at in self._redis.hgetall(LAST_RUNS_KEY).items():
                if entry := self.schedule.get(str(name)):
                    entry.last_run_at = datetime.fromisoformat(str(sent_at))

    def _inherit(self) -> bool:
        """Take the lease of a process of this machine that is dead, which need not be waited for."""
        holder = str(self._redis.get(LEASE_KEY) or "")
        if not _is_dead(holder):
            return False
        with suppress(LockError):
            self._lease.do_release(holder)
        return bool(self._lease.acquire(token=_token()))


def _machine() -> str:
    """Name what process ids belong to: this boot of the machine, and the container (Linux); empty elsewhere."""
    try:
        return f"{Path('/proc/sys/kernel/random/boot_id').read_text().strip()} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return ""


def _token() -> str:
    return f"{_machine()} {os.getpid()} {uuid.uuid4().hex}"


def _is_dead(token: str) -> bool:
    """Whether the process of a lease was one of this machine, and is gone."""
    machine, pid, _ = token.rsplit(" ", 2) if token.count(" ") > 1 else ("", "0", "")
    return bool(machine) and machine == _machine() and not Path(f"/proc/{pid}").exists()
