"""For tests that kill processes: a writer that never gives up and says what must be stored, and what is killed."""

import itertools
import json
import operator
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import httpx

from tests import waiting
from tests.installation import Installation
from tests.sdk.wire import Run, Wire, history
from tests.stored import Expected, line_of, row_of, system_row_of
from tests.suite.passes import amount
from tests.waiting import PATIENCE_S

KILLS = int(os.environ.get("RUNYARD_TEST_KILLS", "") or amount("kills of each process", 2, 100))
"""Of each test; `make test-kills` does a hundred."""
ROWS_A_POST, LINES_A_POST = 8, 2
PAUSE_S = 0.02
RETRY_S = 0.1
SOON_S = 0.003
"""Too short for most answers: the post is committed, and its client never hears of it."""


def post_of(number: int) -> dict[str, Any]:
    """Return a writer's post: history, system metrics, console log and summary."""
    steps = range(number * ROWS_A_POST, (number + 1) * ROWS_A_POST)
    lines = range(number * LINES_A_POST, (number + 1) * LINES_A_POST)
    post = history(steps[0], *map(row_of, steps))
    post["files"] |= {
        "wandb-events.jsonl": {"offset": number, "content": [json.dumps(system_row_of(number))]},
        "output.log": {"offset": lines[0], "content": [line_of(line) for line in lines]},
        "wandb-summary.json": {"offset": 0, "content": [json.dumps(row_of(steps[-1]))]},
    }
    return post


class Writer(threading.Thread):
    """Posts one after the other until told to stop; what has no answer, or 503, is sent again.

    Some posts are sent twice, and some answers are not waited for; a patient one waits for all.
    """

    def __init__(self, wire: Wire, run: Run, seed: int, *, is_patient: bool = False) -> None:
        super().__init__(daemon=True)
        self._is_patient = is_patient
        self.wire, self.run_ = wire, run
        self.acknowledged = 0
        """Posts."""
        self.refused: list[str] = []
        self.sent_again = 0
        self.over = threading.Event()
        self._chance = random.Random(seed)

    @property
    def expected(self) -> Expected:
        """What must be stored of the run once this is over."""
        posts = self.acknowledged
        return Expected(self.run_.uid, posts * ROWS_A_POST, posts, posts * LINES_A_POST)

    def run(self) -> None:
        """Log."""
        for number in itertools.count():
            if self.over.is_set():
                break
            body = post_of(number)
            if not self._is_patient and self._chance.random() < 0.1:
                self._send(body, timeout_s=SOON_S)
            while not self._send(body, timeout_s=PATIENCE_S):
                self.sent_again += 1
                time.sleep(RETRY_S)
            self.acknowledged = number + 1
            if self._chance.random() < 0.1:
                self._send(body, timeout_s=PATIENCE_S)
            if self.refused:
                break
            time.sleep(PAUSE_S)

    def _send(self, body: dict[str, Any], timeout_s: float) -> bool:
        """Send once; say whether there is nothing left to send."""
        try:
            reply = self.wire.http.post(self.run_.stream, json=body, timeout=timeout_s)
        except httpx.TransportError:
            return False
        if reply.status_code not in {200, 503}:
            self.refused.append(f"{reply.status_code} {reply.text}")
        return reply.status_code != 503

    def finish(self) -> None:
        """Let it send what it has begun; the server must be there."""
        self.over.set()
        self.join(timeout=PATIENCE_S)
        self.wire.http.close()
        assert not self.is_alive(), f"no answer; the last acknowledged post is {self.acknowledged}"


def start_writers(url: str, key: str, runs: Sequence[Run]) -> list[Writer]:
    """Let a writer log each run, by connections of its own."""
    writers = [Writer(Wire(url, key), run, seed) for seed, run in enumerate(runs)]
    for writer in writers:
        writer.start()
    return writers


def wait_for_posts(writers: list[Writer]) -> None:
    """Wait until each has had one more acknowledged.

    Raises:
        AssertionError: they do not go on; a writer that was refused has stopped.
    """
    seen = [writer.acknowledged for writer in writers]

    def go_on() -> bool:
        refused = [writer.refused for writer in writers if writer.refused]
        assert refused == []
        return all(map(operator.gt, (writer.acknowledged for writer in writers), seen))

    waiting.until(go_on, "posts to go on")


def work_until_killed(
    server: Installation, script: str, seconds: float | None, *, until: Callable[[], bool] = lambda: True
) -> None:
    """Run a script that prints "working" and never ends; kill it so long afterwards, or once it prints "done".

    Where ``until`` is given, it is killed no sooner than that holds.
    """
    reading, writing = os.pipe()
    with os.fdopen(reading) as printed, os.fdopen(writing, "w") as stdout:
        worker = server.management.start(["shell", "--no-imports", "-c", script], stdout, sys.stderr)
        stdout.close()
        assert printed.readline() == "working\n"
        if seconds is None:
            assert printed.readline() == "done\n"
        else:
            time.sleep(seconds)
        while not until():
            assert not worker.is_over()
            time.sleep(0.01)
        worker.kill()
        assert worker.wait() == -signal.SIGKILL, "it has ended by itself"
