"""``make load``: how one installation bears many running runs (docs/operate/scaling.md)."""

import argparse
import asyncio
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import uvloop

from bench.load import world
from bench.load.client import Client, SimulatedRun
from bench.load.database import database_name, own_database
from bench.load.measure import HEADER, Measure, line_of
from bench.load.plot import draw
from bench.load.server import Server
from common.server.supervisor import raise_open_files

BAR_P99_MS = 1000
RAMP = "500,1000,2000,3000,4000,6000,8000,10000"
SETTLE_S, LEVEL_S = 20.0, 40.0
SAMPLE = 40
OUT = Path(__file__).resolve().parent.parent / "results"
"""Ignored by git."""


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="make load ARGS=…", description=__doc__)
    parser.add_argument("--runs", type=int, default=2000, help="runs of the steady part")
    parser.add_argument("--minutes", type=float, default=30, help="of the steady part; 0 leaves it out")
    parser.add_argument("--window", type=float, default=60, help="seconds of a printed row")
    parser.add_argument("--aged", type=int, default=4096, help="rows that a run has at most before it begins")
    parser.add_argument("--aged-runs", type=int, default=-1, help="how many runs have such a past; -1: all")
    parser.add_argument("--ramp", default=RAMP, help="numbers of runs, rising; empty leaves it out")
    parser.add_argument(
        "--web", default="1", help="numbers of web processes; the ramp is begun anew for each"
    )
    parser.add_argument("--part", choices=["steady", "ramp"], default="", help="only this one")
    return parser.parse_args()


def say(text: str) -> None:
    """Print at once: who runs this for half an hour wants to see it."""
    print(text, flush=True)


async def steady(server: Server, options: argparse.Namespace) -> dict[str, Any]:
    """Let all runs post for the whole time; return the rows and what was counted back."""
    client = Client(server.port)
    runs = await asyncio.to_thread(world.begin_runs, "steady", 0, options.runs)
    begin = time.monotonic()
    if options.aged:
        await client.age(runs if options.aged_runs < 0 else runs[: options.aged_runs], options.aged)
    past = sum(run.rows for run in runs)
    say(f"\n{len(runs)} runs with {past} rows, logged in {time.monotonic() - begin:.0f} s\n\n{HEADER}")
    client.next_window()
    client.add(runs)
    measure = Measure(server, client)
    rows = []
    until = time.monotonic() + options.minutes * 60
    while (left := until - time.monotonic()) > 0.5:
        await asyncio.sleep(min(left, options.window))
        rows.append(await measure.row(len(runs)))
        say(line_of(rows[-1]))
    await client.finish()
    return {"rows": rows, "past_rows": past, "counted": await counted(runs)}


async def ramp(server: Server, options: argparse.Namespace) -> dict[str, Any]:
    """Add runs until answers take too long; return a row for each number of them."""
    client = Client(server.port)
    runs: list[SimulatedRun] = []
    rows: list[dict[str, Any]] = []
    measure = Measure(server, client)
    say(
        f"\nThe ramp with {server.web_processes} web processes: {SETTLE_S:.0f} s to settle, {LEVEL_S:.0f} s"
        f" measured; * the simulated runs lack a processor\n\n{HEADER}"
    )
    for level in (int(part) for part in options.ramp.split(",")):
        added = await asyncio.to_thread(
            world.begin_runs, f"ramp{server.web_processes}w", len(runs), level - len(runs)
        )
        runs += added
        client.add(added)
        await asyncio.sleep(SETTLE_S)
        measure.reset()
        await asyncio.sleep(LEVEL_S)
        rows.append(await measure.row(level))
        say(line_of(rows[-1]))
        if rows[-1]["p99_ms"] > BAR_P99_MS or rows[-1]["lost"]:
            break
    await client.finish()
    return {"rows": rows, "counted": await counted(runs)}


async def counted(runs: list[SimulatedRun]) -> dict[str, Any]:
    """Count rows back and say so."""
    wrong = await asyncio.to_thread(world.count_back, runs, SAMPLE)
    rows = sum(run.rows for run in runs)
    say(f"\n{rows} rows acknowledged; {min(SAMPLE, len(runs))} runs read back: {len(wrong)} errors")
    for line in wrong[:20]:
        say(f"  {line}")
    return {"rows": rows, "wrong": wrong}


def verdict(rows: list[dict[str, Any]]) -> list[str]:
    """Return what the bars of the steady part say."""
    refused = sum(sum(row["refused"].values()) + sum(row["lost"].values()) for row in rows)
    worst = max(row["p99_ms"] for row in rows)
    quarter = max(1, len(rows) // 4)
    web = [row["rss_bytes"]["web"] / 1e6 for row in rows]
    first, last = (statistics.median(part) for part in (web[quarter : 2 * quarter] or web, web[-quarter:]))
    return [
        f"refused or lost posts     {refused} (bar: none)",
        f"worst minute's p99        {worst:.0f} ms (bar: {BAR_P99_MS})",
        f"web's memory              {first:.0f} MB in the second quarter, {last:.0f} MB in the last",
    ]


async def _run(options: argparse.Namespace, home: Path) -> dict[str, Any]:
    with Server(home, int(options.web)) as server:
        await asyncio.to_thread(world.open_world, home)
        result = await PARTS[options.part](server, options)
        log = server.log()
    if "Traceback" in log:
        say(f"\nThe server's log has tracebacks; its end:\n{log[-4000:]}")
    return result


def run_part(options: argparse.Namespace) -> None:
    """Run one part on an installation of its own and keep its figures."""
    if advice := raise_open_files():
        say(advice)
    OUT.mkdir(exist_ok=True)
    path = OUT / "load.json"
    with (
        own_database(),
        tempfile.TemporaryDirectory(prefix="runyard-load-") as folder,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        result = runner.run(_run(options, Path(folder)))
    results: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    about = {"database": database_name(), "machine": machine(), "at": time.strftime("%F %TZ", time.gmtime())}
    name = options.part if options.part == "steady" else f"ramp-{database_name()}-{options.web}"
    results[name] = {**result, **about}
    path.write_text(json.dumps(results, indent=1))
    draw(results, OUT)
    if options.part == "steady":
        say("\n" + "\n".join(verdict(result["rows"])))
    say(f"\nFigures: {path}; charts: {OUT}/load-*.svg")


def machine() -> str:
    """Say on what this ran."""
    return f"{os.cpu_count()} processors, {platform.machine()}, Python {platform.python_version()}"


PARTS = {"steady": steady, "ramp": ramp}


def main() -> int:
    """Run the parts, each in a process of its own: a process uses one database."""
    options = arguments()
    if options.part:
        run_part(options)
        return 0
    numbers = options.web.split(",")
    wanted = [("steady", numbers[0])] if options.minutes else []
    wanted += [("ramp", number) for number in numbers] if options.ramp else []
    command = [sys.executable, "-m", "bench.load", *sys.argv[1:]]
    parts = ([*command, "--part", part, "--web", number] for part, number in wanted)
    return max((subprocess.run(part, check=False).returncode for part in parts), default=0)


sys.exit(main())
