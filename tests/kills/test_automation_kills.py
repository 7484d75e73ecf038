"""kill -9 of the web process between a commit and the look at its rows: automations act all the same, once (ALR-6)."""

import random
import time
from collections.abc import Callable

import pytest

from tests.installation import Installation
from tests.killing import KILLS
from tests.sdk.people import person
from tests.sdk.wire import Run, Wire, history, row
from tests.waiting import until

pytestmark = pytest.mark.faults

MAKE = (
    "from runs.models import Project; from tests.automations import make_automation, threshold; "
    "make_automation(Project.objects.get(name='acts'), filter=threshold(agg='AVERAGE', window=3, limit=5)); print(1)"
)
ACTED = (
    "import json; from alerts.models import Event; "
    "print(json.dumps(sorted(Event.objects.filter(automation__isnull=False).values_list('run__uid', 'data__step'))))"
)
QUIET, HIGH = 8, 4
"""Values that meet nothing, then values of which the third does."""


def log(wire: Wire, run: Run, step: int, value: float) -> None:
    """Post one value until it is acknowledged."""

    def posted() -> bool:
        try:
            reply = wire.http.post(run.stream, json=history(step, row(step, loss=value)))
        except OSError:
            return False
        return reply.status_code == 200

    until(posted, "an answer")


def test_automations_act_once_for_every_run_whatever_is_killed(
    new_server: Callable[..., Installation],
) -> None:
    server, chance = new_server(), random.Random(6)
    with person(server, "kill-acts") as ada:
        runs = [ada.wire.begin("acts") for _ in range(KILLS)]
        server.manage("shell", "--no-imports", "-c", MAKE)
        for number, run in enumerate(runs):
            for step in range(QUIET + HIGH):
                log(ada.wire, run, step, 1.0 if step < QUIET else 9.0)
            time.sleep(chance.uniform(0, 1.5))
            server.kill9("web")
            server.start()
            if number % 2:
                log(ada.wire, run, QUIET + HIGH, 9.0)
        expected = sorted([run.uid, QUIET + 1] for run in runs)
        found = until(
            lambda: (acted := server.manage("shell", "--no-imports", "-c", ACTED)) == expected and acted,
            "each run acted on",
        )  # fmt: skip
    assert found == expected
