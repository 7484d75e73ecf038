"""CPU of a durable post with automations that watch its metrics, against the same posts without.

Over HTTP as the web process spends it; and without HTTP, each group looked at by itself: the most that looking can
cost, since a process that has more to do looks at several posts of a run at once.
"""

import tempfile
import time
from pathlib import Path
from typing import Any

from automations.evaluation.watcher import Watcher
from automations.models import Automation
from bench import posts, world
from bench.watched import AUTOMATIONS, watch
from metrics.ingest.listeners import attach_observer, detach_observer
from metrics.ingest.transaction import write_group
from runs.models import Run
from tests.installation import Installation
from tests.sdk.people import person
from wandb_api.file_stream.endpoint import read_post

POSTS, GROUP = 1600, 16
ROUNDS = 3
PAUSE_S = 6
"""Between two rounds, so that the server's limit of requests lets the next one in."""


def _posted(runs: list[Run], begin: int, watcher: Watcher | None) -> float:
    """Return CPU microseconds a post."""
    count = POSTS // GROUP
    rounds = [[world.body(number, seed=run.pk) for run in runs] for number in range(begin, begin + count)]
    start = time.process_time()
    for bodies in rounds:
        write_group([read_post(body, run.pk, "") for body, run in zip(bodies, runs, strict=True)])
        if watcher is not None:
            watcher.look()
    return (time.process_time() - start) / POSTS * 1e6


def _in_process(name: str, limit: float | None) -> float:
    project = world.project(name)
    runs = world.runs(project, GROUP)
    watcher = None
    if limit is not None:
        watch(project, limit)
        watcher = Watcher()
        attach_observer(watcher.take)
    _posted(runs, 0, watcher)  # windows fill, and what is met acts once
    best = min(_posted(runs, (1 + again) * POSTS // GROUP, watcher) for again in range(ROUNDS))
    if watcher is not None:
        detach_observer(watcher.take)
    return best


_WATCH = "from bench.watched import watch_named; watch_named('http', 10.0)"
_SWITCH = "from bench.watched import switch; switch(is_on={})"


def _over_http(server: Installation, key: str, runs: list[Any], begin: int) -> float:
    numbers = range(begin, begin + POSTS // GROUP)
    groups = [
        [posts.request("POST", run.stream, world.body(number, seed=seed), key) for number in numbers]
        for seed, run in enumerate(runs)
    ]
    return posts.send(server, groups).cpu_us


def _http(home: Path) -> tuple[float, float]:
    with (
        tempfile.TemporaryDirectory(dir=home) as folder,
        Installation(Path(folder)) as server,
        person(server, "bench-automations") as ada,
    ):
        runs = [ada.wire.begin("http") for _ in range(GROUP)]
        numbers = iter(range(0, 100 * POSTS, POSTS // GROUP))
        _over_http(server, ada.key, runs, next(numbers))
        server.manage("shell", "--no-imports", "-c", _WATCH)
        found: dict[bool, list[float]] = {False: [], True: []}
        for _ in range(ROUNDS):  # in turns: other work on the machine changes slowly
            for is_on, costs in found.items():
                server.manage("shell", "--no-imports", "-c", _SWITCH.format(is_on))
                time.sleep(PAUSE_S)
                _over_http(server, ada.key, runs, next(numbers))  # windows fill
                costs.append(_over_http(server, ada.key, runs, next(numbers)))
        return min(found[False]), min(found[True])


def _told(what: str, plain: float, looked: float) -> str:
    points = world.STEPS * world.KEYS
    more = (looked - plain) / points * 1000
    return f"{what:34s} {plain:5.0f}, {looked:5.0f} us CPU a post: {looked / plain:.3f}, {more:4.0f} ns a point more"


def run(home: Path) -> None:
    """Print CPU without and with automations, and their ratio."""
    print(
        f"{world.STEPS * world.KEYS} points a post, {GROUP} runs, {AUTOMATIONS} automations, without and with"
    )
    print(_told("over HTTP, met by none", *_http(home)))
    plain = _in_process("unwatched", None)
    for name, limit in (("met by none", 10.0), ("met by most", 1e-6)):
        looked = _in_process(f"watched-{name.replace(' ', '-')}", limit)
        print(_told(f"each group by itself, {name}", plain, looked))
        Automation.objects.all().delete()
