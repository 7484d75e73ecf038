"""One run with more and more steps, and one with more and more keys: their charts, and what logging costs."""

import time
from collections.abc import Iterator
from urllib.parse import urlencode

import numpy as np

from accounts.models import User
from bench import world
from bench.growth.requests import Browser, Cost
from metrics.ingest.post import Post, PostedRows
from metrics.ingest.transaction import write_group
from metrics.models import Stream, StreamKind
from metrics.store import compaction
from runs.ingest.posts import RunPost
from runs.models import Project, Run

STEPS = (10_000, 100_000, 1_000_000, 10_000_000)
KEYS_OF_STEPS, STEPS_A_POST, STEPS_A_PACK = 10, 5_000, 100_000
KEYS = (10, 100, 1_000, 10_000)
STEPS_OF_KEYS = 50
_WALK = 50_000
"""Steps of a walk, after which it begins anew."""


def _log(run: Run, first: int, last: int, walks: np.ndarray) -> float:
    """Log rows; return the CPU microseconds that a value took, packing included and making the rows not."""
    names = [f"group_{key // 100}/walk_{key}" for key in range(walks.shape[1])]
    taken, at_once = 0.0, max(1, min(STEPS_A_POST, 500_000 // len(names)))
    for start in range(first, last, at_once):
        steps = range(start, min(last, start + at_once))
        rows = [
            dict(zip(names, values, strict=True))
            | {"_step": step, "_timestamp": 1.7e9 + step, "_runtime": step}
            for step, values in zip(steps, walks[start % _WALK :].tolist(), strict=False)
        ]
        begin = time.process_time()
        write_group([Post(run_id=run.pk, history=PostedRows.of(start, rows), run=RunPost(run_id=run.pk))])
        if start % STEPS_A_PACK == 0 or steps.stop == last:
            for stream in Stream.objects.filter(kind=StreamKind.HISTORY, run=run):
                compaction.pack_stream(stream.pk)
        taken += time.process_time() - begin
    return taken * 1e6 / (last - first) / (len(names) + 3)


def _addresses(project: Project, run: Run, key: str, steps: int) -> dict[str, str]:
    place = f"/{project.team.name}/{project.name}"

    def series(**query: object) -> str:
        return f"{place}/series?{urlencode({'run': run.uid, 'keys': key, 'x': '_step', 'buckets': 1000, **query})}"

    return {
        "chart": series(),
        "chart, a hundredth of it": series(**{"from": steps * 0.5, "to": steps * 0.51}),
        "chart, smoothed": series(smooth="ema:0.9"),
        "keys": f"{place}/keys?run={run.uid}",
        "page of the run": f"{place}/runs/{run.uid}",
        "workspace": place,
    }


def _measured(
    name: str, sizes: tuple[int, ...], *, of_keys: bool
) -> Iterator[tuple[int, dict[str, Cost | float]]]:
    project = world.project(name)
    browser = Browser(User.objects.get(username=f"bench-{name}"))
    source, logged = np.random.default_rng(0), 0
    (run,) = world.runs(project, 1)
    for number, size in enumerate(sizes):
        if of_keys:
            run = world.runs(project, number + 1)[-1]
        walks = np.cumsum(
            source.normal(size=(_WALK if not of_keys else STEPS_OF_KEYS, size if of_keys else KEYS_OF_STEPS)),
            axis=0,
        )
        walks = walks.astype(np.float32).astype(float)
        first, last = (0, STEPS_OF_KEYS) if of_keys else (logged, size)
        costs: dict[str, Cost | float] = {"log a value": _log(run, first, last, walks)}
        logged = size
        for asked, address in _addresses(project, run, "group_0/walk_1", last).items():
            costs[asked] = browser.cost(address)
        yield size, costs


def longer() -> Iterator[tuple[int, dict[str, Cost | float]]]:
    """Yield costs by name for each number of steps of one run."""
    yield from _measured("longer", STEPS, of_keys=False)


def wider() -> Iterator[tuple[int, dict[str, Cost | float]]]:
    """Yield costs by name for each number of keys; each run has them in 50 steps."""
    yield from _measured("wider", KEYS, of_keys=True)
