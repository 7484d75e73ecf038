"""An SDK that is slowed down (ACC-23, semantics section 9) backs off by itself and loses nothing."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.installation import Installation
from tests.sdk.people import person
from tests.sdk.wire import recording
from tests.sdks import Ran
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.sdk

LOGS = """
import time, wandb
run = wandb.init(project="slow", id="slowed", resume="allow", settings=wandb.Settings(silent=True))
for step in range(50):
    run.log({"loss": step})
run.finish()
"""


def test_a_run_that_is_slowed_down_loses_nothing(
    new_server: Callable[..., Installation], sdk: Callable[[str], Path], run_script: Callable[..., Ran]
) -> None:
    """ACC-23: 429 is not the end of a run."""
    server = new_server(RUNYARD_RUN_POST_RATE="1")
    with person(server, "hasty") as hasty, recording(server.port) as recorder:
        run = hasty.wire.begin("slow", "slowed")
        was_refused = threading.Event()

        def crowd() -> None:
            """Use up what the run may post, until the SDK has been refused twice."""
            while not was_refused.is_set():
                hasty.wire.post(run, {})
                refused = [
                    status for path, status in recorder.statuses if path == run.stream and status == 429
                ]
                if len(refused) > 1:
                    was_refused.set()

        thread = threading.Thread(target=crowd, daemon=True)
        thread.start()
        try:
            run_script(sdk("0.31.0"), LOGS, {**hasty.env, "WANDB_BASE_URL": recorder.url})
        finally:
            was_refused.set()
            thread.join(timeout=PATIENCE_S)
        refused = [status for path, status in recorder.statuses if path == run.stream]
        assert refused.count(429) > 1
        assert [row["loss"] for row in hasty.wire.rows(run)] == list(range(50))
        assert hasty.wire.run(run)["state"] == "finished"
