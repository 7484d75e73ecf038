"""``python -m bench.peers``: measure, keep each figure as JSON, and rewrite the tables of the page."""

import argparse
import json
import os
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from bench.peers import page, systems
from bench.peers.servers import free_port, versions
from bench.peers.system import Place
from bench.peers.workloads import WORKLOADS, Cell, Figures

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Choice:
    """One system in a variant and with a client, at one workload."""

    workload: str
    system: str
    variant: str
    mode: str

    @property
    def name(self) -> str:
        """Its file's name."""
        return "-".join(part for part in (self.workload, self.system, self.variant, self.mode) if part)


def choices(workloads: list[str], names: list[str]) -> list[Choice]:
    """Return what is to be measured."""
    found = []
    for workload in workloads:
        for name in names:
            for text in systems.kind_of(name).plan.get(workload, ()):
                variant, _, mode = text.partition(" ")
                found.append(Choice(workload, name, variant, mode))
    return found


def measure(choice: Choice, *, deadline_s: float, scale: float) -> Figures:
    """Measure in a folder of its own; a system that fails is told, not hidden."""
    about = {
        **vars(choice),
        "at": time.strftime("%Y-%m-%d %H:%M"),
        "load": os.getloadavg()[0],
        "scale": scale,
        "deadline_s": deadline_s,
    }
    RESULTS.mkdir(exist_ok=True)
    log = RESULTS / f"{choice.name}.log"
    log.write_bytes(b"")
    with tempfile.TemporaryDirectory(prefix="runyard-peers-", ignore_cleanup_errors=True) as folder:
        system = systems.made(choice.system, Place(folder, free_port(), free_port()), choice.variant)
        cell = Cell(system, choice.system, choice.mode, log, deadline_s, scale)
        try:
            about["versions"] = versions(system)
            found = WORKLOADS[choice.workload](cell)
        except (RuntimeError, OSError, LookupError, ValueError) as error:
            found = {"error": f"{type(error).__name__}: {error}"}
        return {**about, **found}


def _end(number: int, frame: FrameType | None) -> None:
    """Let `with` stop what was started."""
    sys.exit(f"ended by signal {number}")


def main() -> None:
    """Measure what is named, or all."""
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    parser.add_argument("--workloads", nargs="+", choices=list(WORKLOADS), default=list(WORKLOADS))
    parser.add_argument("--systems", nargs="+", choices=systems.NAMES, default=systems.NAMES)
    parser.add_argument("--only", default="", help="a text that the name of a result has to contain")
    parser.add_argument(
        "--deadline", type=float, default=60.0, help="seconds after which clients stop logging"
    )
    parser.add_argument("--scale", type=float, default=1.0, help="of all sizes; 0.01 tries everything out")
    parser.add_argument("--page", action="store_true", help="measure nothing, rewrite the page")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, _end)
    for choice in [] if given.page else choices(given.workloads, given.systems):
        if given.only in choice.name:
            print(f"{time.strftime('%H:%M:%S')} {choice.name}", flush=True)
            found = measure(choice, deadline_s=given.deadline, scale=given.scale)
            (RESULTS / f"{choice.name}.json").write_text(json.dumps(found, indent=1))
            print(f"  {page.gist(found)}", flush=True)
    if given.scale == 1.0:
        page.write(RESULTS)


if __name__ == "__main__":
    main()
