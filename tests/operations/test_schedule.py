"""The schedule is kept by one of several workers, and taken over from one that is gone."""

import resource
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis
from celery import Celery

from common.server import embedded_redis
from config import schedule
from config.schedule import LeasedScheduler
from tests.waiting import until

pytestmark = pytest.mark.processes
EVERY_S = 3600.0

Keeper = Callable[[str], LeasedScheduler]


@pytest.fixture
def keeper(settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Keeper]:
    """Make schedulers of workers, each with the data folder that it names."""
    monkeypatch.setattr(schedule, "LEASE_S", 2)
    made = []

    def make(folder: str) -> LeasedScheduler:
        app = Celery("schedule", broker="memory://", set_as_current=False)
        app.conf.beat_schedule = {"hourly": {"task": "some.task", "schedule": EVERY_S}}
        (tmp_path / folder).mkdir(exist_ok=True)
        made.append(LeasedScheduler(app, schedule_filename=str(tmp_path / folder / "beat-schedule")))
        return made[-1]

    with embedded_redis.running() as url:
        settings.REDIS_URL = url
        yield make
        for one in made:
            one.close()


def keeps(one: LeasedScheduler) -> bool:
    one.tick()
    return one._store is not None


def test_one_of_two_keeps_it(keeper):
    first, second = keeper("shared"), keeper("shared")
    assert (keeps(first), keeps(second)) == (True, False)
    assert (keeps(first), keeps(second)) == (True, False)


def test_another_keeps_it_at_once_when_the_first_ends(keeper):
    first, second = keeper("shared"), keeper("shared")
    assert (keeps(first), keeps(second)) == (True, False)
    first.close()
    assert keeps(second)


def test_another_takes_it_over_from_one_that_was_killed(keeper):
    """Within 30 s: the lease ends after LEASE_S, and others look every LOOK_EVERY_S."""
    first, second = keeper("one"), keeper("other")
    assert (keeps(first), keeps(second)) == (True, False)
    until(lambda: keeps(second), "the lease to end")
    assert not keeps(first)


def test_a_dead_process_of_this_machine_is_not_waited_for(keeper):
    first, second = keeper("shared"), keeper("shared")
    ended = subprocess.Popen(["true"])
    ended.wait()
    assert keeps(first)
    first._redis.set(schedule.LEASE_KEY, f"{schedule._machine()} {ended.pid} 0", px=60_000)
    assert keeps(second)


@pytest.mark.parametrize("holder", ["elsewhere 999999999 0", "no token of ours", ""])
def test_a_holder_that_is_not_known_to_be_dead_is_waited_for(keeper, holder):
    one = keeper("one")
    one._redis.set(schedule.LEASE_KEY, holder, px=60_000)
    assert not keeps(one)


def test_limits_of_the_lease_let_another_take_over_within_30_s():
    assert schedule.LEASE_S + schedule.LOOK_EVERY_S < 30
    assert schedule.LOOK_EVERY_S * 3 < schedule.LEASE_S


def test_the_next_keeper_knows_when_an_entry_was_last_sent(keeper):
    """Else a daily task is never sent where keepers change every day, or is sent by each."""
    first, second = keeper("one"), keeper("other")
    assert keeps(first)
    entry = first.schedule["hourly"]
    first.apply_entry(first.reserve(entry))
    sent_at = first.schedule["hourly"].last_run_at
    first.close()
    time.sleep(0.01)
    assert keeps(second)
    assert second.schedule["hourly"].last_run_at == sent_at


def test_a_full_disk_ends_neither_the_schedule_nor_the_wait_of_a_worker_that_stops(keeper, caplog):
    """Celery writes the file every three minutes; an error ended its thread, and the worker's stop waited forever."""
    one = keeper("one")
    assert keeps(one)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))  # the kernel refuses to write to files
    try:
        one._do_sync()
        assert keeps(one)
        one.close()
        assert not keeps(one)  # its file cannot be written to begin with
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "could not be written" in caplog.text
    assert keeps(one)


def test_nothing_is_kept_while_redis_is_away_and_the_thread_goes_on(keeper):
    one = keeper("one")
    assert keeps(one)
    one._lease.redis = redis.Redis(unix_socket_path="/nowhere.sock")
    assert one.tick() == schedule.LOOK_EVERY_S
    assert one._store is None
