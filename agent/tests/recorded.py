"""Programs that record themselves, and commands that are recorded: real processes against the fake server."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable

from fake_server import KEY, FakeServer, Run

AGENT = Path(__file__).parents[1]
PATIENCE_S = 300.0
"""How long a test waits for what must come. Only a hang takes it: a machine that does other work is no fault."""


def until(condition: Callable[[], Any], what: str = "") -> Any:
    """Wait until something is true, and return it."""
    deadline = time.monotonic() + PATIENCE_S
    while not (found := condition()):
        assert time.monotonic() < deadline, what or "it did not happen"
        time.sleep(0.01)
    return found


class Programs:
    """Starts programs in a folder of their own, with the settings of a person who uses the fake server."""

    def __init__(self, fake: FakeServer, home: Path) -> None:
        self.fake, self.home = fake, home
        self.spool = home / "spool"
        self.started: list[subprocess.Popen[str]] = []

    def env(self, **more: str) -> dict[str, str]:
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("RUNYARD_", "WANDB_", "COV"))
        }
        return {
            **kept,
            "PYTHONPATH": str(AGENT),
            "HOME": str(self.home),
            "RUNYARD_CONFIG": str(self.home / "none"),
            "RUNYARD_URL": self.fake.url,
            "RUNYARD_API_KEY": KEY,
            "RUNYARD_PROJECT": "p",
            "RUNYARD_SPOOL_DIR": str(self.spool),
            "RUNYARD_FINISH_TIMEOUT": "30",
            **more,
        }

    def start(
        self, arguments: Sequence[str], *, env: dict[str, str] | None = None, **options: Any
    ) -> subprocess.Popen[str]:
        pipes = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "text": True,
        }
        process: subprocess.Popen[str] = subprocess.Popen(
            [sys.executable, *arguments], env=self.env(**(env or {})), cwd=self.home, **{**pipes, **options}
        )
        self.started.append(process)
        return process

    def python(self, code: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Run a script to its end."""
        return self._end(self.start(["-c", code], env=env))

    def wrap(self, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Run ``runyard-agent run`` to its end."""
        return self._end(self.start(["-m", "runyard_agent", "run", *words], env=env))

    def sync(self) -> subprocess.CompletedProcess[str]:
        return self._end(self.start(["-m", "runyard_agent", "sync"]))

    def only_run(self) -> Run:
        """Return the one run that the server knows."""
        (run,) = self.fake.runs.values()
        return run

    def left(self) -> list[Path]:
        """Return the spools that were not sent."""
        return sorted(self.spool.glob("[!.]*")) if self.spool.exists() else []

    def close(self) -> None:
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout, process.stderr):
                if pipe:
                    pipe.close()

    def _end(self, process: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
        out, err = process.communicate(timeout=PATIENCE_S)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def texts(run: Run, *, errors: bool = False) -> list[str]:
    """Return the lines of a run's log without time and level."""
    lines = [line for line in run.records("log") if line.lstrip("\r").startswith("ERROR ") == errors]
    return [line.lstrip("\r").removeprefix("ERROR ").partition(" ")[2] for line in lines]
