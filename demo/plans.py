"""What a run of the demo is before it is logged, and what they all need."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from demo.wire import LoggedRun, Server

Source = np.random.Generator
WORDS = (
    "amber",
    "brisk",
    "calm",
    "deft",
    "early",
    "fair",
    "grand",
    "hazel",
    "ivory",
    "jade",
    "keen",
    "lunar",
)
THINGS = ("harbor", "meadow", "comet", "ridge", "lantern", "orchard", "summit", "tide", "willow", "canyon")


Log = Callable[[LoggedRun, Source, float], int | None]
"""(run, chance, unix time of its begin) to its exit code; None leaves it as if its process had died."""


@dataclass(slots=True)
class Plan:
    """One run before it is logged."""

    author: str
    team: str
    project: str
    uid: str
    fields: dict[str, Any]
    log: Log
    began_s_ago: float = 0.0
    lasts_s: float = 0.0
    seed: int = 0
    tags: list[str] = field(default_factory=list)

    @property
    def path(self) -> str:
        """Return the run's path."""
        return f"{self.team}/{self.project}/{self.uid}"

    def carry_out(self, server: Server) -> LoggedRun:
        """Log all of it."""
        run = LoggedRun.begin(server, self.team, self.project, self.uid, tags=self.tags, **self.fields)
        code = self.log(run, np.random.default_rng(self.seed), time.time() - self.began_s_ago)
        if code is not None:
            run.finish(code)
        return run


def name(number: int) -> str:
    """Return a name like those a run gets that has none."""
    return f"{WORDS[number % len(WORDS)]}-{THINGS[number // len(WORDS) % len(THINGS)]}-{number}"


def rows(values: dict[str, Any], began_at: float, lasts_s: float) -> list[dict[str, Any]]:
    """Return rows of history from columns; NaN in a column leaves the key out of that row."""
    count = len(next(iter(values.values())))
    columns = {key: np.asarray(column, float).tolist() for key, column in values.items()}
    found = []
    for step in range(count):
        at = lasts_s * (step + 1) / count
        row = {key: column[step] for key, column in columns.items() if column[step] == column[step]}
        found.append(row | {"_step": step, "_timestamp": began_at + at, "_runtime": at})
    return found


def times(began_at: float, lasts_s: float, count: int) -> list[float]:
    """Return so many times over a run, unix seconds."""
    return [began_at + lasts_s * (number + 1) / count for number in range(count)]


def console(number: int, text: str, at: float) -> str:
    """Return a console line as the SDK sends it."""
    moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at))
    return f"{moment}.{number % 1_000_000:06d} {text}"
