"""What is measured, the same way for every system; each workload returns a flat table of figures."""

import contextlib
import json
import math
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from bench.peers import data
from bench.peers.client import Job, Logged, Told
from bench.peers.link import Answer, Ask, Link
from bench.peers.meter import Meter, disk_bytes
from bench.peers.servers import ROOT, Servers, free_port
from bench.peers.system import System
from tests import sdks

Figures = dict[str, Any]
READABLE_WITHIN_S = 120
CALM_WITHIN_S = 60
MB = 1e6


@dataclass(frozen=True)
class Cell:
    """One system at one workload."""

    system: System
    name: str
    mode: str
    log: Path
    deadline_s: float
    """When clients stop logging; what they had logged by then is measured."""
    scale: float = 1.0
    """Of all sizes; less only to try the harness out."""

    def size(self, full: int) -> int:
        """Return a size in this scale."""
        return max(20, round(full * self.scale))

    def job(self, runs: list[str], salts: list[int], steps: int) -> Job:
        """Return what a client has to do."""
        return Job(
            system=self.name,
            variant=self.system.variant,
            mode=self.mode,
            place=asdict(self.system.place),
            runs=runs,
            salts=salts,
            steps=steps,
            deadline_s=self.deadline_s,
        )


@contextlib.contextmanager
def _clients(cell: Cell, jobs: list[Job]) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Start a process per job; kill those that never end."""
    folder = cell.system.folder
    running = []
    with cell.log.open("ab") as log:
        for number, job in enumerate(jobs):
            path = folder / f"job{number}.json"
            path.write_text(json.dumps(asdict(job)))
            argv = [
                str(cell.system.python()),
                "-m",
                "bench.peers.client",
                str(path),
                str(_told(cell, number)),
            ]
            env = sdks.script_env({"PYTHONPATH": str(ROOT)}, folder)
            running.append(
                subprocess.Popen(argv, env=env, cwd=folder, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
            )
    try:
        yield running
    finally:
        for process in running:
            if process.poll() is None:
                process.kill()
            process.wait()


def _told(cell: Cell, number: int) -> Path:
    return cell.system.folder / f"told{number}.json"


def _wait(cell: Cell, clients: list[subprocess.Popen[bytes]]) -> Told:
    """Wait for clients; return what all of them found, the slowest quantiles.

    Raises:
        RuntimeError: one failed, or was still at it long after its deadline.
    """
    deadline = time.monotonic() + cell.deadline_s + READABLE_WITHIN_S
    whole = Told()
    for number, process in enumerate(clients):
        try:
            status = process.wait(max(1.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            message = f"a client had not sent everything {READABLE_WITHIN_S} s after it stopped logging"
            raise RuntimeError(message) from None
        if status:
            raise RuntimeError(f"a client failed:\n{cell.log.read_text(errors='replace')[-1500:]}")
        told = json.loads(_told(cell, number).read_text())
        whole.runs += [Logged(**run) for run in told["runs"]]
        whole.log_ms = {name: max(value, whole.log_ms.get(name, 0)) for name, value in told["log_ms"].items()}
    return whole


def _until_readable(system: System, link: Link, told: Told, metric: str) -> float:
    """Wait until the last value of every run can be read; return when.

    Raises:
        RuntimeError: it cannot.
    """
    deadline = time.monotonic() + READABLE_WITHIN_S
    for run in sorted(told.runs, key=lambda run: -run.end_at):
        while (found := system.count(link, run.run, metric)) < run.steps:
            if time.monotonic() > deadline:
                raise RuntimeError(f"{run.run} has {found} of {run.steps} points after {READABLE_WITHIN_S} s")
            time.sleep(0.1)
    return time.time()


def _differences(system: System, link: Link, run: Logged, names: list[str]) -> int:
    """Read a whole run back; return how many values are missing or others than were logged."""
    wrong, found = 0, system.values(link, run.run, names)
    logged = [data.walk(step, names, run.salt) for step in range(run.steps)]
    for name in names:
        pairs = zip(found[name], (row[name] for row in logged), strict=False)
        wrong += sum(
            not math.isclose(got, want, rel_tol=system.tolerance, abs_tol=system.tolerance)
            for got, want in pairs
        )
        wrong += abs(len(found[name]) - run.steps)
    return wrong


def _ingest(cell: Cell, groups: list[list[int]], steps: int) -> Figures:
    """Log runs from one process per group, until they can be read; then read them back."""
    system = cell.system
    with Servers(system, cell.log) as servers, Meter(servers.pids) as server:
        link, names = system.link(), data.metrics()  # signing in hashes a password, and is no part of it
        busy, disk = _calm(server), disk_bytes(system.data)
        jobs = [cell.job([f"r{salt:02d}" for salt in group], group, steps) for group in groups]
        with _clients(cell, jobs) as processes, Meter([process.pid for process in processes]) as client:
            told = _wait(cell, processes)
        figures = _client_figures(cell, told, client) | {"start_s": servers.start_s}
        values = sum(run.steps for run in told.runs) * data.METRICS
        readable_at = max(run.end_at for run in told.runs)
        if servers.pids:
            readable_at = _until_readable(system, link, told, names[-1])
            figures["server_cpu_s"] = server.cpu_s() - busy
            figures["server_peak_mb"] = server.peak_rss / MB
            checked = told.runs[:: max(1, len(told.runs) // 5)]
            figures["wrong_values"] = sum(_differences(system, link, run, names) for run in checked)
            figures["checked_values"] = sum(run.steps for run in checked) * len(names)
            idle = server.cpu_s()
            time.sleep(system.settle_s * min(1.0, cell.scale * 4))
            figures["server_later_cpu_s"] = server.cpu_s() - idle
        figures["disk_bytes"] = disk_bytes(system.data) - disk
        figures["s"] = readable_at - min(run.log_at for run in told.runs)
        figures |= {"values": values, "wanted": sum(map(len, groups)) * steps * data.METRICS}
        return figures


def _calm(server: Meter) -> float:
    """Wait until a server has nothing to do (MLflow's go on importing after they answer); return its CPU seconds."""
    deadline = time.monotonic() + CALM_WITHIN_S
    before = server.cpu_s()
    while True:
        time.sleep(1)
        now = server.cpu_s()
        if now - before < 0.1 or time.monotonic() > deadline:
            return now
        before = now


def _client_figures(cell: Cell, told: Told, client: Meter) -> Figures:
    return {
        "log_ms": told.log_ms,
        "init_s": max(run.log_at - run.init_at for run in told.runs),
        "finish_s": max(run.end_at - run.logged_at for run in told.runs),
        "client_cpu_s": client.cpu_s(),
        "client_peak_mb": client.peak_rss / MB,
    }


def w1(cell: Cell) -> Figures:
    """One run of 20 metrics and 10,000 steps."""
    return _ingest(cell, [[0]], cell.size(10_000))


def w2(cell: Cell) -> Figures:
    """50 runs of 20 metrics and 200 steps, from four processes."""
    salts = list(range(min(50, cell.size(50))))
    return _ingest(cell, [salts[process::4] for process in range(4)], cell.size(200))


def _timed(
    link: Link, ask: Ask, server: Meter, *, times: int = 20, within_s: float = 20.0
) -> tuple[bytes, Figures]:
    """Send a request again and again; the first one is cold and told apart."""
    spent: list[float] = []
    answer = Answer(b"", 0)
    busy = server.cpu_s()
    while len(spent) < times and sum(spent) < within_s:
        before = time.perf_counter()
        answer = link.send(ask)
        spent.append(time.perf_counter() - before)
    cpu_s = (server.cpu_s() - busy) / len(spent)
    figures = {"first_ms": spent[0] * 1e3, "ms": sorted(spent)[len(spent) // 2] * 1e3, "cpu_ms": cpu_s * 1e3}
    return answer.body, figures | {"body_bytes": len(answer.body), "wire_bytes": answer.wire_bytes}


def _loaded(cell: Cell, jobs: list[Job]) -> tuple[Told, float]:
    """Log what is only to be read, in the fastest way; return it and the seconds it took."""
    loading = replace(cell, mode=cell.system.load_mode)
    begin = time.monotonic()
    with _clients(loading, [replace(job, mode=loading.mode) for job in jobs]) as processes:
        told = _wait(loading, processes)
    return told, time.monotonic() - begin


def chart(cell: Cell, points: int) -> Figures:
    """Draw one metric of a long run."""
    system = cell.system
    with Servers(system, cell.log) as servers:
        told, load_s = _loaded(cell, [replace(cell.job(["long"], [0], cell.size(points)), metrics=1)])
        link, metric, steps = system.link(), data.metrics(1)[0], told.runs[0].steps
        if system.variant == "default":  # it shows a sample only
            told.runs[0].steps = min(steps, 1000)
        _until_readable(system, link, told, metric)
        time.sleep(system.settle_s * min(1.0, cell.scale * 4))
        with Meter(servers.pids) as server:
            _calm(server)
            queries = {}
            for name, ask in system.charts(link, "long", metric).items():
                body, figures = _timed(link, ask, server)
                queries[name] = figures | {"points": system.points(body)}
            return {
                "queries": queries,
                "size": steps,
                "load_s": load_s,
                "server_peak_mb": server.peak_rss / MB,
            }


def chart_100k(cell: Cell) -> Figures:
    """Draw one metric of 100,000 steps."""
    return chart(cell, 100_000)


def chart_1m(cell: Cell) -> Figures:
    """Draw one metric of 1,000,000 steps."""
    return chart(cell, 1_000_000)


def table(cell: Cell, runs: int) -> Figures:
    """Filter and sort runs of 50 parameters and 20 metrics."""
    system = cell.system
    with Servers(system, cell.log) as servers:
        numbers = list(range(cell.size(runs)))
        groups = [numbers[process::2] for process in range(2)]
        jobs = [cell.job([data.table_run(number).name for number in group], group, 1) for group in groups]
        told, load_s = _loaded(cell, [replace(job, table=True) for job in jobs])
        link, expected = system.link(), data.expected_table([run.salt for run in told.runs])
        deadline, queries = time.monotonic() + READABLE_WITHIN_S, {}
        asks = system.tables(link)
        for ask in asks.values():
            while system.rows(link.send(ask).body) != expected and time.monotonic() < deadline:
                time.sleep(0.5)
        with Meter(servers.pids) as server:
            _calm(server)
            for name, ask in asks.items():
                body, figures = _timed(link, ask, server)
                rows = system.rows(body)
                queries[name] = figures | {"points": len(rows), "right": rows == expected}
            for name, ask in system.pages().items():
                queries[name] = _timed(link, ask, server)[1]
            size = len(told.runs)
            return {
                "queries": queries,
                "size": size,
                "load_s": load_s,
                "server_peak_mb": server.peak_rss / MB,
            }


def table_1k(cell: Cell) -> Figures:
    """Filter and sort 1,000 runs."""
    return table(cell, 1000)


def table_10k(cell: Cell) -> Figures:
    """Filter and sort 10,000 runs."""
    return table(cell, 10_000)


def w4(cell: Cell) -> Figures:
    """Log 20 metrics 100 times a second for 30 s, hardware metrics on: what the training pays."""
    with Servers(cell.system, cell.log) as servers, Meter(servers.pids) as server:
        busy = _calm(server)
        job = replace(cell.job(["cost"], [0], cell.size(3000)), rate=100.0, hardware=True)
        with _clients(cell, [job]) as processes, Meter([process.pid for process in processes]) as client:
            told = _wait(cell, processes)
        [run] = told.runs
        seconds = run.logged_at - run.log_at
        return _client_figures(cell, told, client) | {
            "steps_a_s": run.steps / seconds,
            "core_ratio": client.cpu_between(run.log_at, run.logged_at) / seconds,
            "server_cpu_s": server.cpu_s() - busy,
        }


def w5(cell: Cell) -> Figures:
    """Start on an empty folder, start again, and do nothing for ten seconds."""
    system = cell.system
    starts: list[float] = []
    idle: Figures = {}
    for number in range(3):
        with Servers(system, cell.log) as servers:
            starts.append(servers.start_s)
            if number == 2:
                with Meter(servers.pids) as server:
                    busy, begin = _calm(server), time.monotonic()
                    time.sleep(10)
                    ratio = (server.cpu_s() - busy) / (time.monotonic() - begin)
                    idle = {"rss_mb": server.rss / MB, "pss_mb": server.pss() / MB, "core_ratio": ratio}
                    idle["processes"] = server.processes
        system.place.port, system.place.second_port = free_port(), free_port()
    return {"first_s": starts[0], "later_s": min(starts[1:]), **idle}


WORKLOADS: dict[str, Callable[[Cell], Figures]] = {
    "ingest": w1,
    "many-runs": w2,
    "chart-100k": chart_100k,
    "chart-1m": chart_1m,
    "table-1k": table_1k,
    "table-10k": table_10k,
    "client": w4,
    "start": w5,
}
