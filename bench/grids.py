"""What it takes to hand out the first and the last of 10,000 points of a grid."""

import statistics
import time
from pathlib import Path

from access.actor import SYSTEM
from bench import world
from sweeps.agents.services import register_agent
from sweeps.lifecycle.services import create_sweep
from sweeps.models import Trial, TrialState
from sweeps.trials.handing_out import hand_out

SIDE = 100
SOME = 100
"""So many points are looked at, at each end."""


def run(_home: Path) -> None:
    """Print the ratio."""
    values = ", ".join(map(str, range(SIDE)))
    text = f"method: grid\nparameters: {{a: {{values: [{values}]}}, b: {{values: [{values}]}}}}\n"
    project = world.project("grids")
    [done] = world.runs(project, 1)
    sweep, _warnings = create_sweep(actor=SYSTEM, project=project, config_text=text)
    agent = register_agent(actor=SYSTEM, sweep=sweep, host="bench")
    taken_ms = []
    for _ in range(SIDE * SIDE):
        begin = time.perf_counter()
        trial = hand_out(agent, sweep)
        taken_ms.append((time.perf_counter() - begin) * 1e3)
        if trial is None:
            raise RuntimeError("The grid ended too early.")
        Trial.objects.filter(pk=trial.pk).update(state=TrialState.ENDED, run=done)
    first, last = statistics.median(taken_ms[1 : SOME + 1]), statistics.median(taken_ms[-SOME:])
    print(
        f"Of {SIDE * SIDE} points the first {SOME}: {first:.2f} ms each, the last {SOME}: {last:.2f} ms each"
    )
    print(f"ratio: {last / first:.2f}")
