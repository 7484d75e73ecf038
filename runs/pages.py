"""What pages of several apps show: the tabs of a run, the script for a first run."""

from typing import Any

from django.urls import reverse

from access.actor import Actor
from access.engine import can
from runs.access import RunAction
from runs.models import Run
from runs.timeline import silent_for_s

_SCRIPT = """\
import math, random, time
import wandb

with wandb.init({init}config={{"lr": 0.01, "epochs": 200}}) as run:
    for step in range(200):
        run.log({{"train/loss": math.exp(-step / 60) + 0.05 * random.random(), "train/accuracy": step / 200}})
        time.sleep(0.3)
"""


def first_script(**names: str) -> str:
    """Return a script that logs for a minute, with ``entity`` and ``project`` filled in."""
    init = "".join(f'{key}="{value}", ' for key, value in names.items())
    return _SCRIPT.format(init=init)


def run_context(actor: Actor, run: Run, *, tab: str) -> dict[str, Any]:
    """Return the context of ``runs/run_base.html``."""
    args = [run.project.team.name, run.project.name, run.uid]
    return {
        "series_url": reverse("metrics:series", args=args),
        "keys_url": reverse("metrics:keys", args=args),
        "run": run,
        "project": run.project,
        "team": run.project.team,
        "tab": tab,
        "can_update": can(actor, RunAction.UPDATE, run),
        "silent_s": silent_for_s(run),
        "can_stop": run.is_active and run.stop_requested_at is None and can(actor, RunAction.STOP, run),
    }
