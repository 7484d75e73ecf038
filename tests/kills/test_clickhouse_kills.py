"""kill -9 of one of two ClickHouse servers amid pushes and reads, and of the worker that pushes (MET-7)."""

import json
import random
import threading
import time
from collections.abc import Callable

import httpx
import pytest

from tests.fakes.clickhouse import Shards
from tests.installation import Installation
from tests.killing import KILLS, start_writers, wait_for_posts
from tests.sdk.people import person
from tests.stored import longest_tail, look
from tests.waiting import PATIENCE_S, until

pytestmark = [pytest.mark.faults, pytest.mark.races]

WRITERS = 2
SHORT = 16
"""Rows that an impatient worker leaves in a tail (`tests.impatient`)."""
DATABASE = "killed"


class Reader(threading.Thread):
    """Downloads runs' histories again and again; what arrives whole must have all rows up to some step."""

    def __init__(self, url: str, key: str, runs: list[int]) -> None:
        super().__init__(daemon=True)
        self._url, self._auth, self._runs = url, ("api", key), runs
        self.over = threading.Event()
        self.whole = self.refused = 0
        self.wrong: list[str] = []

    def run(self) -> None:
        """Read."""
        with httpx.Client(auth=self._auth, timeout=PATIENCE_S) as client:
            while not self.over.is_set():
                for run in self._runs:
                    self._read(client, f"{self._url}/api/v1/runs/{run}/history/")

    def _read(self, client: httpx.Client, url: str) -> None:
        try:
            answer = client.get(url)
        except httpx.TransportError:  # broken off: whoever reads sees that
            self.refused += 1
            return
        if answer.status_code == 503:
            self.refused += 1
            return
        steps = [json.loads(line)["_step"] for line in answer.text.splitlines() if answer.status_code == 200]
        self.whole += answer.status_code == 200
        if answer.status_code != 200 or steps != list(range(len(steps))):
            self.wrong.append(f"{answer.status_code} {answer.text[:200]}")


def test_shards_are_killed_and_come_back_while_runs_log_and_are_read(
    new_server: Callable[..., Installation], clickhouse_shards: Shards
) -> None:
    server = new_server(worker_app="tests.impatient", **clickhouse_shards.environment(DATABASE))
    status, printed, errors = server.management.run(["prepare_clickhouse"])
    assert status == 0, printed + errors
    chance = random.Random(25)
    with person(server, "shard-ada") as ada:
        runs = [ada.wire.begin("shards") for _ in range(WRITERS)]
        writers = start_writers(server.url, ada.key, runs)
        wait_for_posts(writers)
        reader = Reader(server.url, ada.key, _keys_of_runs(server))
        reader.start()
        for _ in range(KILLS):
            victim = chance.randrange(2)
            until(lambda: _segments(server), "segments to be named")
            time.sleep(chance.uniform(0, 2))
            clickhouse_shards.servers[victim].kill()
            wait_for_posts(writers)  # nothing that logs waits for the cold store
            if chance.random() < 0.5:
                server.kill9("worker")
                server.start()
            time.sleep(chance.uniform(0, 3))
            clickhouse_shards.start()
        reader.over.set()
        reader.join(timeout=PATIENCE_S)
        for writer in writers:
            writer.finish()
        until(lambda: longest_tail(server.manage) < SHORT, "all packed")
        server.kill9("worker")
        found = look(server.manage, [writer.expected for writer in writers])
        packed = _packed_rows(server)
    print(f"{KILLS} kills; {found}; {reader.whole} whole reads, {reader.refused} refused")  # noqa: T201
    assert [writer.refused for writer in writers] == [[]] * WRITERS
    assert found.wrong == found.unreadable == []
    assert found.orphans == 0
    assert found.segments > 0
    assert reader.wrong == []
    assert reader.whole > 0
    statement = f"SELECT sum(length(values)) FROM {DATABASE}.segment_numbers WHERE key = 'loss'"  # noqa: S608
    numbers = clickhouse_shards.servers[0].ask(statement)
    assert int(numbers) == packed, "each packed row is there once"


def _keys_of_runs(server: Installation) -> list[int]:
    code = "from runs.models import Run; print([*Run.objects.values_list('pk', flat=True)])"
    return [int(key) for key in server.manage("shell", "--no-imports", "-c", code)]


def _segments(server: Installation) -> int:
    code = "from metrics.models import Segment; print(Segment.objects.count())"
    return int(server.manage("shell", "--no-imports", "-c", code))


def _packed_rows(server: Installation) -> int:
    code = (
        "from metrics.models import Stream, StreamKind;"
        " print(sum(Stream.objects.filter(kind=StreamKind.HISTORY).values_list('packed_to', flat=True)))"
    )
    return int(server.manage("shell", "--no-imports", "-c", code))
