"""kill -9 of web and worker at random moments while runs log: what was acknowledged is there, once (RUN-8).

A few kills in every run of the suite; `make test-kills` does a hundred.
"""

import random
import time
from collections.abc import Callable

import pytest

from tests.installation import Installation
from tests.killing import KILLS, start_writers
from tests.sdk.people import person
from tests.stored import longest_tail, look
from tests.waiting import until

pytestmark = [pytest.mark.faults, pytest.mark.races]

WRITERS = 3
VICTIMS = [(("web",), 1.0), (("worker",), 5.0), (("web", "worker"), 5.0)]
"""Who is killed, and how many seconds after the start at most: a worker takes some until it packs."""
SHORT = 16
"""Rows that an impatient worker leaves in a tail (`tests.impatient`)."""


def kill_at_random(server: Installation, chance: random.Random) -> None:
    """Let it work for a moment, kill, start again."""
    names, within_s = chance.choice(VICTIMS)
    time.sleep(chance.uniform(0, within_s))
    for name in names:
        server.kill9(name)
    server.start()


def test_acknowledged_posts_survive_kills_of_web_and_worker(new_server: Callable[..., Installation]) -> None:
    server = new_server(worker_app="tests.impatient")
    chance = random.Random(9)
    with person(server, "kill-ada") as ada:
        runs = [ada.wire.begin("kills") for _ in range(WRITERS)]
        writers = start_writers(server.url, ada.key, runs)
        for _ in range(KILLS):
            kill_at_random(server, chance)
        for writer in writers:
            writer.finish()
        until(
            lambda: longest_tail(server.manage) < SHORT,
            "all packed, also behind the leases of the killed",
        )
        server.kill9("worker")
        found = look(server.manage, [writer.expected for writer in writers])
        rows = [[line["_step"] for line in ada.wire.rows(run)] for run in runs]
    print(f"{KILLS} kills; {sum(writer.acknowledged for writer in writers)} posts; {found}")  # noqa: T201
    print("sent again:", [writer.sent_again for writer in writers])  # noqa: T201
    assert [writer.refused for writer in writers] == [[]] * WRITERS
    assert found.wrong == []
    assert found.unreadable == []
    assert found.orphans == 0
    assert found.segments > 0
    assert rows == [list(range(writer.expected.rows)) for writer in writers]
