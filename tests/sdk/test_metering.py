"""BIL-4: what the real SDK's runs count as tracked hours."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import sdks
from tests.installation import Installation
from tests.sdk.people import VERSION, Person
from tests.sdk.wire import Run
from tests.waiting import PATIENCE_S

pytestmark = [pytest.mark.sdk, pytest.mark.dialect]

AWAY = """
import time, wandb
run = wandb.init(project="metered", id="away", mode="offline")
run.log({"loss": 1})
time.sleep(9)
run.finish()
"""
HERE = """
import time, wandb
run = wandb.init(project="metered", id="here")
run.log({"loss": 1})
time.sleep(3)
run.finish()
run = wandb.init(project="metered", id="here", resume="must")
run.log({"loss": 0})
time.sleep(2)
run.finish()
"""
TRACKED = """
import json
from django.db.models import Sum
from usage.models import ReportedTime, TrackedInterval, UsageDay
from runs.models import Run
run = Run.objects.get(project__name="metered", uid="{uid}")
spans = TrackedInterval.objects.filter(run_id=run.pk).values_list("began_at", "ended_at")
told = ReportedTime.objects.filter(run_id=run.pk).aggregate(total=Sum("seconds"))["total"] or 0
print(json.dumps({{
    "intervals": [int(end.timestamp()) - int(begin.timestamp()) for begin, end in spans],
    "told": told,
    "days": UsageDay.objects.filter(project_id=run.project_id).aggregate(total=Sum("tracked_s"))["total"] or 0,
}}))
"""


def tracked(server: Installation, uid: str) -> Any:
    server.manage("rebuild_usage")
    return server.manage("shell", "--no-imports", "-c", TRACKED.format(uid=uid))


def clock_of(ada: Person, uid: str) -> int:
    """Return the seconds that the run's own clock told at its end."""
    summary = json.loads(ada.wire.run(Run(ada.name, "metered", uid))["summaryMetrics"])
    return int(summary["_wandb"]["runtime"])


def test_synced_and_live_runs_count_by_the_longer_of_two_clocks(
    server: Installation, ada: Person, sdk: Callable[[str], Path], tmp_path: Path
) -> None:
    """An offline run counts by its own runtime, however often it is synced; a live, resumed one as it was heard."""
    python = sdk(VERSION)
    env = {**ada.env, "WANDB_SILENT": "true", "WANDB_X_DISABLE_STATS": "true"}
    sdks.run_script(python, AWAY, env=env, cwd=tmp_path)
    (folder,) = (tmp_path / "wandb").glob("offline-run-*")
    away: Any = None
    for options in ([], ["--include-synced"]):
        done = subprocess.run(
            [str(python.with_name("wandb")), "sync", *options, str(folder)],
            env=sdks.script_env(env, tmp_path), cwd=tmp_path, text=True, capture_output=True, timeout=PATIENCE_S,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        away = tracked(server, "away")
        clock = clock_of(ada, "away")
        assert clock >= 9
        assert away["intervals"][0] + away["told"] == clock
        assert away["days"] == clock + sum(away["intervals"][1:])  # the moment that it was open again
    sdks.run_script(python, HERE, env=env, cwd=tmp_path)
    here, clock = tracked(server, "here"), clock_of(ada, "here")
    assert len(here["intervals"]) == 2
    assert here["days"] - away["days"] == sum(here["intervals"]) + here["told"]
    assert clock <= sum(here["intervals"]) + here["told"] <= clock + 3
