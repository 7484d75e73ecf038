"""/healthz and /ready."""

import json

import pytest
import redis
from django.conf import settings as django_settings
from django.core.management.base import CommandError
from django.db import OperationalError, ProgrammingError, connection
from django.db.migrations.recorder import MigrationRecorder

from common import tasks
from common.management.base import JsonCommand
from common.server import health

PASSWORD = "hunter2-in-a-url"


@pytest.fixture
def heartbeat():
    """Forget any sign of life, and give the function that makes one."""
    with redis.Redis.from_url(django_settings.REDIS_URL) as client:
        client.delete(tasks.HEARTBEAT_KEY)
        yield tasks.beat_heartbeat
        client.delete(tasks.HEARTBEAT_KEY)


def ask(rf, query=""):
    reply = health.ready(rf.get(f"/ready{query}"))
    return reply.status_code, json.loads(reply.content)["parts"]


def test_healthz_asks_nothing(rf):
    reply = health.healthz(rf.get("/healthz"))
    assert (reply.status_code, json.loads(reply.content)) == (200, {"status": "ok"})


@pytest.mark.django_db
def test_ready_names_every_part_with_its_time(rf, heartbeat):
    heartbeat()
    status, parts = ask(rf)
    assert status == 200
    assert set(parts) == {"database", "migrations", "disk", "redis", "worker"}
    assert all(part["ok"] and part["milliseconds"] >= 0 for part in parts.values())


@pytest.mark.django_db
def test_a_worker_without_a_sign_of_life_is_not_ready(rf, heartbeat):
    status, parts = ask(rf)
    assert status == 503
    assert [name for name, part in parts.items() if not part["ok"]] == ["worker"]
    assert "60 s" in parts["worker"]["error"]


@pytest.mark.django_db
def test_the_sign_of_life_goes_stale(heartbeat):
    heartbeat()
    with redis.Redis.from_url(django_settings.REDIS_URL) as client:
        assert 0 < client.ttl(tasks.HEARTBEAT_KEY) <= 60


@pytest.mark.django_db
def test_an_unreachable_redis_is_named_without_its_password(rf, settings):
    settings.REDIS_URL = f"redis://:{PASSWORD}@127.0.0.1:1/0"
    status, parts = ask(rf)
    assert status == 503
    assert parts["redis"]["error"] == "ConnectionError"
    assert PASSWORD not in json.dumps(parts)


@pytest.mark.django_db
def test_unapplied_migrations_are_not_ready_until_they_are_applied(rf, heartbeat, monkeypatch):
    heartbeat()
    monkeypatch.setattr(health._Seen, "migrated", False)
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied("sessions", "0001_initial")
    status, parts = ask(rf)
    assert (status, "migrate" in parts["migrations"]["error"]) == (503, True)
    recorder.record_applied("sessions", "0001_initial")
    assert ask(rf)[0] == 200


@pytest.mark.django_db
def test_a_full_disk_is_not_ready(rf, heartbeat, settings):
    """The review's M3: a load balancer sees that nothing could be stored."""
    heartbeat()
    settings.FREE_DISK_BYTES = 2**63
    status, parts = ask(rf)
    assert (status, [name for name, part in parts.items() if not part["ok"]]) == (503, ["disk"])
    assert "RUNYARD_FREE_DISK_MIB" in parts["disk"]["error"]


@pytest.mark.django_db
def test_a_folder_in_which_nothing_can_be_written_is_not_ready(rf, heartbeat, settings, tmp_path):
    """The review's M3: also where there is room. (The tests may run as root, who may write everywhere.)"""
    heartbeat()
    (tmp_path / "file").touch()
    settings.SEGMENT_ROOT = tmp_path / "file" / "segments"
    status, parts = ask(rf)
    assert (status, [name for name, part in parts.items() if not part["ok"]]) == (503, ["disk"])
    assert "nothing can be written" in parts["disk"]["error"]


@pytest.mark.parametrize(
    ("error", "said"),
    [(OperationalError("no such table: x"), "not ready"), (ProgrammingError("x"), "not ready"),
     (OperationalError("database is locked"), "did not answer")],
)  # fmt: skip
def test_a_command_says_what_is_wrong_with_the_database(error, said):
    """The review's L7."""

    class Failing(JsonCommand):
        def run(self, *args, **options):
            raise error

    with pytest.raises(CommandError, match=said):
        Failing().handle()


@pytest.mark.django_db
@pytest.mark.usefixtures("heartbeat")
def test_a_load_balancer_chooses_what_it_asks_of(rf):
    """Without a worker, web answers pages and posts; it must not be taken out for that."""
    status, parts = ask(rf, "?parts=database,migrations")
    assert (status, set(parts)) == (200, {"database", "migrations"})
    assert ask(rf, "?parts=database,worker")[0] == 503


def test_parts_that_there_are_not_are_named(rf):
    reply = health.ready(rf.get("/ready?parts=database,moon"))
    assert (reply.status_code, "There is no part moon" in json.loads(reply.content)["error"]) == (400, True)
