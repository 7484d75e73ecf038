"""A project's workspace (RUN-26, RUN-28): what its charts cost the server at first, and while 50 runs are running."""

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from django.http import QueryDict
from django.test import RequestFactory

from access.web.requests import actor_of_user
from accounts.models import User
from bench import reads, world
from metrics.models import Stream, StreamKind
from metrics.store import compaction
from metrics.views import workspace
from runs.models import Project, Run

RUNS, STEPS, STEPS_A_POST, KEYS = 50, 10_000, 1000, 20
KEYS_AT_ONCE = 6
"""What the page asks for at once with so many runs."""
BUCKETS = 400
POST_EVERY_S, POST_STEPS = 15.0, 15
"""How often an SDK posts, and what a run of a step a second then sends."""
SHORTEST_PAUSE_S = 0.5
"""How often the page asks at most, with so many runs."""
AIM_LIVE = 0.1


def _fill(rows: list[Run]) -> list[list[list[float]]]:
    source = np.random.default_rng(0)
    walks = [reads.walks(source, STEPS + 1000, KEYS) for _ in rows]
    for run, values in zip(rows, walks, strict=True):
        for start in range(0, STEPS, STEPS_A_POST):
            reads.log(run, start, [reads.row_of(step, values) for step in range(start, start + STEPS_A_POST)])
    for stream in Stream.objects.filter(kind=StreamKind.HISTORY, run__in=rows):
        compaction.pack_stream(stream.pk)
    return walks


def _asker(where: Project, user: User) -> Callable[[dict[str, object]], bytes]:
    """Return a function that asks for lines as the page does, from the view on."""
    factory = RequestFactory()

    def ask(parts: dict[str, object]) -> bytes:
        query = QueryDict(mutable=True)
        for name, values in parts.items():
            query.setlist(name, list(map(str, values)) if isinstance(values, list) else [str(values)])
        request = factory.get(f"/?{query.urlencode()}", headers={"Accept-Encoding": "gzip"})
        request.user = user
        request.actor = (request.path, actor_of_user(user))  # type: ignore[attr-defined]  # as access.web.requests keeps it
        return bytes(workspace.series(request, where.team.name, where.name).content)

    return ask


def _first(ask: Callable[[dict[str, object]], bytes], uids: list[str]) -> tuple[float, float, int]:
    """Read all lines once; return CPU seconds, seconds and bytes sent."""
    keys = [f"walk_{key}" for key in range(KEYS)]
    cpu, begin, size = time.process_time(), time.perf_counter(), 0
    for at in range(0, KEYS, KEYS_AT_ONCE):
        size += len(
            ask({"run": uids, "keys": keys[at : at + KEYS_AT_ONCE], "x": "_step", "buckets": BUCKETS})
        )
    return time.process_time() - cpu, time.perf_counter() - begin, size


def _live(ask: Callable[[dict[str, object]], bytes], uids: list[str], grown: int) -> float:
    """Return the CPU seconds of one question for the rows since, which the first so many runs have."""
    keys = [f"walk_{key}" for key in range(KEYS)]
    parts = {"run": uids[:grown], "since": [STEPS] * grown, "keys": keys, "x": "_step"}
    return reads.cpu_ms(lambda: ask(parts)) / 1e3


def run(home: Path) -> None:
    """Print seconds of the server."""
    where = world.project("workspace")
    user = User.objects.get(username="bench-workspace")
    rows = world.runs(where, RUNS)
    walks = _fill(rows)
    uids = [row.uid for row in rows]
    ask = _asker(where, user)
    cold_cpu, cold, size = _first(ask, uids)
    cpu = min(_first(ask, uids)[0] for _ in range(reads.ROUNDS))
    print(f"{KEYS} charts of {RUNS} runs of {STEPS} steps, {BUCKETS} buckets, {size / 1e6:.1f} MB compressed")
    print(f"all lines           {cold_cpu:6.2f} s CPU at first ({cold:.2f} by the clock), {cpu:.2f} again")
    for row, values in zip(rows, walks, strict=True):
        reads.log(row, STEPS, [reads.row_of(step, values) for step in range(STEPS, STEPS + POST_STEPS)])
    posts_a_question = RUNS / POST_EVERY_S * SHORTEST_PAUSE_S
    few = _live(ask, uids, max(1, round(posts_a_question)))
    every = _live(ask, uids, RUNS)
    usual = few / SHORTEST_PAUSE_S
    print(
        f"rows since, of {round(posts_a_question)} runs {few * 1e3:6.1f} ms CPU; of all {every * 1e3:.1f} ms"
    )
    print(
        f"50 running runs     {usual:6.1%} of a core, aim {AIM_LIVE:.0%} ({POST_EVERY_S:.0f} s between posts)"
    )
    print(f"all at once, always {every / SHORTEST_PAUSE_S:6.1%} of a core")
