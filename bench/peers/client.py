"""``python -m bench.peers.client JOB RESULT``: log runs and note how long it took; runs in the system's own Python."""

import json
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench.peers import data, systems
from bench.peers.system import Place, System


@dataclass
class Job:
    """What one client process does."""

    system: str
    variant: str
    mode: str
    place: dict[str, Any]
    runs: list[str]
    """Names; their order among all runs of the workload is the salt of their values."""
    salts: list[int]
    steps: int
    metrics: int = data.METRICS
    rate: float = 0.0
    """Steps a second; 0 is as fast as it goes."""
    hardware: bool = False
    table: bool = False
    """Log the runs of the runs table, the salts being their numbers."""
    deadline_s: float = 60.0


@dataclass
class Logged:
    """One run; times are seconds since the epoch."""

    run: str
    salt: int
    init_at: float
    log_at: float = 0.0
    logged_at: float = 0.0
    end_at: float = 0.0
    steps: int = 0


@dataclass
class Told:
    """What a client process found."""

    runs: list[Logged] = field(default_factory=list)
    log_ms: dict[str, float] = field(default_factory=dict)


def _log_run(system: System, job: Job, logged: Logged, times: list[float], end_at: float) -> None:
    row = data.table_run(logged.salt) if job.table else None
    config = row.config if row else {"seed": str(logged.salt)}
    writer = system.writer(logged.run, config, job.mode, hardware=job.hardware)
    names = data.metrics(job.metrics)
    logged.log_at, begin = time.time(), time.perf_counter()
    for step in range(job.steps):
        values = row.values if row else data.walk(step, names, logged.salt)
        if job.rate:
            time.sleep(max(0.0, begin + step / job.rate - time.perf_counter()))
        before = time.perf_counter()
        writer.log(values, step)
        times.append(time.perf_counter() - before)
        logged.steps += 1
        if step % 16 == 0 and time.time() > end_at:
            break
    logged.logged_at = time.time()
    writer.finish()
    logged.end_at = time.time()


def work(job: Job) -> Told:
    """Log all runs, until the deadline."""
    system = systems.made(job.system, Place(**job.place), job.variant)
    told, end_at = Told(), time.time() + job.deadline_s
    times: list[float] = []
    for run, salt in zip(job.runs, job.salts, strict=True):
        told.runs.append(Logged(run, salt, time.time()))
        _log_run(system, job, told.runs[-1], times, end_at)
        if time.time() > end_at:
            break
    times.sort()
    ranks = {"p50": 0.5, "p99": 0.99, "max": 1.0}
    told.log_ms = {
        name: times[min(len(times) - 1, int(rank * len(times)))] * 1e3 for name, rank in ranks.items()
    }
    return told


def main() -> None:
    """Do the job of the first file, write to the second what was found."""
    told = work(Job(**json.loads(Path(sys.argv[1]).read_text())))
    Path(sys.argv[2]).write_text(json.dumps(asdict(told)))


if __name__ == "__main__":
    main()
