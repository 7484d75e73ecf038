"""What the server measures of itself: counted once, added up over processes, told even when a part fails."""

import asyncio
import os
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from celery import shared_task
from django.db import IntegrityError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path
from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.parser import text_string_to_metric_families

from access.routes import Open, declare
from common.telemetry import exposition, folder
from common.telemetry.definitions import REGISTRY
from common.telemetry.requests import measure
from tests.monitoring import Values, values_of


def counted() -> Values:
    return values_of(REGISTRY.collect())


class Rise:
    """How much measurements rose since it was made."""

    def __init__(self) -> None:
        self.before = counted()

    def of(self, prefix: str) -> Values:
        after = counted()
        changes = {name: value - self.before.get(name, 0) for name, value in after.items()}
        return {name: change for name, change in changes.items() if change and name.startswith(prefix)}


@pytest.fixture
def rise() -> Rise:
    return Rise()


def test_every_name_has_the_prefix_and_an_explanation():
    for family in REGISTRY.collect():
        assert family.name.startswith("runyard_")
        assert family.documentation.endswith("."), family.name


# Added up over processes

MEASURES = """
import os, sys
from prometheus_client import Counter, Gauge, Histogram
Counter("posts_total", "p", ["result"]).labels("stored").inc(int(sys.argv[1]))
Histogram("seconds", "s", buckets=(1, 10)).observe(5)
Gauge("sockets", "o", multiprocess_mode="livesum").set(7)
print(os.getpid(), flush=True)
sys.stdin.read()
"""


class Measuring:
    """A process that has counted so many posts; it lives until it is ended."""

    def __init__(self, shared: Path, posts: int) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", MEASURES, str(posts)],
            env={**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(shared)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self.process.stdout is not None
        self.pid = int(self.process.stdout.readline())

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def measuring(tmp_path: Path):
    made: list[Measuring] = []

    def start(posts: int) -> Measuring:
        made.append(Measuring(tmp_path, posts))
        return made[-1]

    yield start
    for process in made:
        process.end()


def summed(shared: Path) -> Values:
    return values_of(MultiProcessCollector.merge(exposition.files_of(shared)))


STORED, SOCKETS = 'posts_total{result="stored"}', "sockets"


def test_processes_add_up(tmp_path, measuring):
    measuring(3), measuring(4)
    found = summed(tmp_path)
    assert (found[STORED], found[SOCKETS], found["seconds_count"]) == (7, 14, 2)


def test_an_ended_process_leaves_its_counts_and_takes_its_gauges(tmp_path, measuring):
    first, _second = measuring(3), measuring(4)
    first.end()
    for _ in range(2):  # they are not counted again at the next scrape
        found = summed(tmp_path)
        assert (found[STORED], found[SOCKETS], found["seconds_count"]) == (7, 7, 2)
        assert found['seconds_bucket{le="10.0"}'] == 2


def test_many_ended_processes_leave_one_file_of_a_kind(tmp_path, measuring):
    for posts in (1, 2, 3):
        measuring(posts).end()
        summed(tmp_path)
    assert {file.name for file in tmp_path.glob("*.db")} == {"counter_0.db", "histogram_0.db"}
    assert summed(tmp_path)[STORED] == 6


def test_a_process_that_was_killed_at_its_start_spoils_no_scrape(tmp_path, measuring):
    living, dead = measuring(3), measuring(0)
    dead.end()
    for kind in ("counter", "histogram"):
        (tmp_path / f"{kind}_{dead.pid}.db").write_bytes(b"")
    assert summed(tmp_path)[STORED] == 3
    (tmp_path / f"gauge_livesum_{living.pid}.db").write_bytes(b"")  # one that has just begun
    assert SOCKETS not in summed(tmp_path)


def test_the_shared_folder_is_private_and_goes_with_the_server(tmp_path):
    with folder.shared_folder(tmp_path) as shared:
        assert stat.S_IMODE(shared.stat().st_mode) == 0o700
        assert list(shared.iterdir()) == []
    assert not shared.exists()


def test_the_next_server_removes_what_a_killed_one_left(tmp_path):
    left = tmp_path / f"{folder.PREFIX}left"
    left.mkdir()
    (tmp_path / folder.MARKER).write_text(str(left))
    with folder.shared_folder(tmp_path):
        assert not left.exists()


def test_a_marker_that_names_another_folder_removes_nothing(tmp_path):
    other = tmp_path / "photographs"
    other.mkdir()
    (tmp_path / folder.MARKER).write_text(str(other))
    with folder.shared_folder(tmp_path):
        assert other.exists()


# Readings


class Part:
    """A reading of the tests: it counts how often it is asked, and does as it is told."""

    def __init__(self, act: Any = lambda: None) -> None:
        self.asked = 0
        self.act = act

    def __call__(self) -> list[Metric]:
        self.asked += 1
        self.act()
        return [GaugeMetricFamily("runyard_part", "A part.", self.asked)]


@pytest.fixture
def told(monkeypatch):
    """Give the function that exposes one part alone."""
    monkeypatch.setattr(exposition, "_readings", {})

    def tell(part: Part) -> Values:
        if "part" not in exposition._readings:
            exposition.register_reading("part", part)
        return values_of(text_string_to_metric_families(exposition.expose()[0].decode()))

    return tell


def test_a_part_is_read_once_for_several_scrapes(told):
    part = Part()
    assert [told(part)["runyard_part"] for _ in range(3)] == [1, 1, 1]


def test_a_part_is_read_again_when_it_is_old(told, monkeypatch):
    part = Part()
    monkeypatch.setattr(exposition, "KEEP_S", 0.0)
    monkeypatch.setattr(exposition, "REST", 0.0)
    assert [told(part)["runyard_part"] for _ in range(3)] == [1, 2, 3]


def test_a_part_that_takes_long_is_read_less_often(told, monkeypatch):
    part = Part(lambda: time.sleep(0.001))
    monkeypatch.setattr(exposition, "KEEP_S", 0.0)
    monkeypatch.setattr(exposition, "REST", 1e6)
    assert [told(part)["runyard_part"] for _ in range(3)] == [1, 1, 1]


def test_a_part_that_fails_is_named_and_the_others_are_told(told):
    def fail() -> None:
        raise OperationalError("could not connect to user:password@db")

    found = told(Part(fail))
    assert found['runyard_reading_up{reading="part"}'] == 0
    assert "runyard_part" not in found
    assert "runyard_ingest_received_bytes_total" in found


def test_a_part_that_hangs_is_not_waited_for(told, monkeypatch):
    monkeypatch.setattr(exposition, "WAIT_S", 0.01)
    go_on = threading.Event()
    part = Part(go_on.wait)
    assert told(part)['runyard_reading_up{reading="part"}'] == 0
    assert told(part)['runyard_reading_up{reading="part"}'] == 0
    assert part.asked == 1
    monkeypatch.setattr(exposition, "WAIT_S", 60.0)
    go_on.set()
    found = told(part)
    assert (found['runyard_reading_up{reading="part"}'], found["runyard_part"]) == (1, 1)


def test_it_speaks_openmetrics_to_who_asks_for_it():
    content, content_type = exposition.expose("application/openmetrics-text; version=1.0.0")
    assert content_type.startswith("application/openmetrics-text; version=1.0.0")
    assert content.endswith(b"# EOF\n")


# Requests


def ask(application: Any) -> None:
    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        pass

    asyncio.run(measure("rest", application, {"type": "http"}, receive, send))


async def _answers(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 404, "headers": []})
    await send({"type": "http.response.body", "body": b""})


async def _goes_away(scope: Any, receive: Any, send: Any) -> None:
    await receive()


async def _fails(scope: Any, receive: Any, send: Any) -> None:
    raise IntegrityError


@pytest.mark.parametrize(("application", "status"), [(_answers, "4xx"), (_goes_away, "aborted")])
def test_a_request_is_counted_once_under_its_status(rise, application, status):
    ask(application)
    assert rise.of("runyard_http_requests_total") == {
        f'runyard_http_requests_total{{status="{status}",surface="rest"}}': 1
    }
    assert rise.of("runyard_http_request_duration_seconds_count") == {
        'runyard_http_request_duration_seconds_count{surface="rest"}': 1
    }


def test_a_request_that_fails_is_a_5xx_and_the_databases_error_is_counted(rise):
    with pytest.raises(IntegrityError):
        ask(_fails)
    assert rise.of("runyard_http_requests_total") == {
        'runyard_http_requests_total{status="5xx",surface="rest"}': 1
    }
    assert rise.of("runyard_database_errors_total") == {'runyard_database_errors_total{work="http"}': 1}


@declare(Open.ANYONE)
def _broken(request: HttpRequest) -> HttpResponse:
    raise {"database": OperationalError, "code": ValueError}[request.GET["by"]]


urlpatterns = [path("broken", _broken)]


@pytest.mark.urls("common.tests.test_telemetry")
@pytest.mark.parametrize(("by", "count"), [("database", 1), ("code", 0)])
def test_a_page_that_fails_by_the_database_is_counted(rise, by, count):
    Client(raise_request_exception=False).get("/broken", {"by": by})
    assert sum(rise.of("runyard_database_errors_total").values()) == count


# Tasks


@shared_task(name="telemetry.inner")
def inner() -> None:
    """Do nothing."""


@shared_task(name="telemetry.works")
def works() -> None:
    """Call another."""
    inner.delay()


@shared_task(name="telemetry.fails")
def fails() -> None:
    """Fail."""
    raise OperationalError


def test_tasks_are_counted_and_timed_by_name(rise):
    works.delay()
    assert rise.of("runyard_tasks_total") == {
        f'runyard_tasks_total{{outcome="success",task="telemetry.{name}"}}': 1 for name in ("works", "inner")
    }
    assert rise.of("runyard_task_duration_seconds_count") == {
        f'runyard_task_duration_seconds_count{{task="telemetry.{name}"}}': 1 for name in ("works", "inner")
    }


def test_a_failed_task_and_its_databases_error_are_counted(rise):
    fails.apply(throw=False)  # as the worker does: an exception that is raised here would end no task
    assert rise.of("runyard_tasks_total") == {
        'runyard_tasks_total{outcome="failure",task="telemetry.fails"}': 1
    }
    assert rise.of("runyard_database_errors_total") == {'runyard_database_errors_total{work="task"}': 1}
