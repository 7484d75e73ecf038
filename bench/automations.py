"""CPU of a durable post with automations that watch its metrics, against the same posts without; without HTTP."""

import time
from pathlib import Path

from alerts.automation.metrics import Watcher
from alerts.models import Automation
from bench import world
from metrics.group_commit import write_group
from metrics.listeners import register_listener, remove_listener
from runs.models import Project, Run
from tests.automations import change, make_automation, threshold, zscore
from wandb_api.file_stream import read_post

POSTS, GROUP, AUTOMATIONS = 1600, 16, 100
ROUNDS = 3
KINDS = (
    *[lambda key, limit: ("RUN_METRIC", threshold(key, "$gt", limit))] * 4,
    *[lambda key, limit: ("RUN_METRIC", threshold(key, "$lt", -limit, agg="AVERAGE", window=5))] * 3,
    lambda key, limit: ("RUN_METRIC", threshold(key, "$gte", limit, agg="MAX", window=10)),
    lambda key, limit: ("RUN_METRIC_CHANGE", change(key, limit, agg="AVERAGE", window=10, prior=50)),
    lambda key, limit: ("RUN_METRIC_ZSCORE", zscore(key, 1000 * limit, window=30)),
)
"""What people watch: mostly thresholds, some means, a few changes and scores."""


def _watch(project: Project, limit: float) -> None:
    """Add automations; values are from 0 to 1."""
    for number in range(AUTOMATIONS):
        event, wanted = KINDS[number % len(KINDS)](f"train/metric_{number % world.KEYS}", limit)
        make_automation(project, event, wanted)


def _posted(runs: list[Run], begin: int, watcher: Watcher | None) -> float:
    """Return CPU microseconds a post; each group is looked at by itself, so no post of a run waits for its next."""
    count = POSTS // GROUP
    rounds = [[world.body(number, seed=run.pk) for run in runs] for number in range(begin, begin + count)]
    start = time.process_time()
    for bodies in rounds:
        write_group([read_post(body, run.pk, "") for body, run in zip(bodies, runs, strict=True)])
        if watcher is not None:
            watcher.look()
    return (time.process_time() - start) / POSTS * 1e6


def _measured(name: str, limit: float | None) -> float:
    project = world.project(name)
    runs = world.runs(project, GROUP)
    if limit is not None:
        _watch(project, limit)
    watcher = Watcher() if limit is not None else None
    if watcher is not None:
        register_listener(watcher.take)
    _posted(runs, 0, watcher)  # windows fill, and what is met acts once
    best = min(_posted(runs, (1 + again) * POSTS // GROUP, watcher) for again in range(ROUNDS))
    if watcher is not None:
        remove_listener(watcher.take)
    return best


def run(home: Path) -> None:
    """Print CPU microseconds and ratios."""
    plain = _measured("unwatched", None)
    points = world.STEPS * world.KEYS
    print(
        f"a post of {points} points, {GROUP} a group           {plain:6.0f} us CPU, {plain / points:.2f} a point"
    )
    for name, limit in (("met by none", 10.0), ("met by most", 1e-6)):
        watched = _measured(f"watched-{limit:g}".replace(".", "-"), limit)
        more = watched - plain
        print(
            f"{AUTOMATIONS} automations, {name:12s}          {watched:6.0f} us CPU, {more / points:.3f} a point more:"
            f" {watched / plain:.3f} of a post without"
        )
        Automation.objects.all().delete()
