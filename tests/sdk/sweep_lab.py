"""Real agents of the SDK on a sweep, and what the server knows of it at the end."""

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests import sdks
from tests.installation import Installation
from tests.sdk.people import Person
from tests.waiting import until

PROJECT = "searched"
TRAIN = """
import time, wandb
run = wandb.init()
lr = run.config["lr"]
steps = 400 if lr > 0.5 else {steps}
for step in range(steps):
    run.log({{"loss": lr + 1 / (step + 1)}})
    time.sleep(0.15 if lr > 0.5 else 0.02)
run.finish()
"""
"""Low learning rates end soon; high ones would take a minute, unless hyperband stops them."""

LOOK = """
import json
from runs.models import Run
from sweeps.models import Sweep, Trial
sweep = Sweep.objects.get(uid={uid!r})
runs = Run.objects.listed().filter(sweep=sweep.uid)
print(json.dumps({{
    "state": sweep.state, "trials": sweep.trial_count, "runs": runs.count(),
    "of trials": [
        [trial.number, trial.args, trial.state, trial.attempts, trial.run.state if trial.run else None,
         trial.is_early_stop]
        for trial in Trial.objects.filter(sweep=sweep).select_related("run")
    ],
    "run states": sorted(runs.values_list("state", flat=True)),
}}))
"""


@dataclass
class SweepLab:
    """One sweep of a person, and processes that work on it."""

    server: Installation
    ada: Person
    python: Path
    folder: Path
    path: str = ""
    agents: "list[subprocess.Popen[str]]" = field(default_factory=list)

    def create(self, config: str, *, steps: int = 20) -> str:
        """Create a sweep by the command line; return its ID."""
        (self.folder / "train.py").write_text(TRAIN.format(steps=steps))
        (self.folder / "sweep.yaml").write_text(config)
        printed = self._cli("sweep", "-p", PROJECT, "sweep.yaml").communicate(timeout=120)[0]
        self.path = printed.partition("wandb agent ")[2].split()[0].replace("\x1b[0m", "")
        assert self.path, printed
        return self.path.rpartition("/")[2]

    def start_agents(self, count: int) -> None:
        """Start agents that work side by side."""
        self.agents += [self._cli("agent", self.path) for _ in range(count)]

    def _cli(self, *words: str) -> "subprocess.Popen[str]":
        code = f"from wandb.cli.cli import cli; cli({list(words)!r})"
        path = f"{self.python.parent}:/usr/bin:/bin"
        return sdks.start_script(self.python, code, env=self.ada.env | {"PATH": path}, cwd=self.folder)

    def look(self) -> dict[str, Any]:
        """Return what the server knows of the sweep."""
        uid = self.path.rpartition("/")[2]
        found = self.server.manage("shell", "--no-imports", "-c", LOOK.format(uid=uid))
        assert isinstance(found, dict), found
        return found

    def wait_for_agents(self, patience_s: float) -> None:
        """Wait until all agents have exited by themselves."""
        deadline = time.monotonic() + patience_s
        for agent in self.agents:
            agent.communicate(timeout=max(1.0, deadline - time.monotonic()))

    def kill_agents(self) -> None:
        """Leave no process behind."""
        for agent in self.agents:
            sdks.kill_script(agent)

    def wait_until(
        self, is_so: Callable[[dict[str, Any]], bool], what: str, patience_s: float
    ) -> dict[str, Any]:
        """Wait until what the server knows is so; return it."""
        until(lambda: is_so(self.look()), what, patience_s=patience_s, pause_s=2.0)
        return self.look()


@contextmanager
def sweep_lab(server: Installation, ada: Person, python: Path, folder: Path) -> Iterator[SweepLab]:
    """Give a lab; what is left of its processes is killed."""
    with ExitStack() as stack:
        lab = SweepLab(server, ada, python, folder)
        stack.callback(lab.kill_agents)
        yield lab
