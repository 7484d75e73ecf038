# ruff: noqa: T201
# mypy: ignore-errors
"""A run that is killed after it has sent some of its rows."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import requests
import wandb

COUNT = """query C($project: String!, $entity: String!) {
  project(name: $project, entityName: $entity) { run(name: "killed") { historyLineCount } }
}"""
PATIENCE_S = 120


def rows_on_the_server():
    """Ask the server."""
    reply = requests.post(
        f"{os.environ['WANDB_BASE_URL']}/graphql",
        json={"query": COUNT, "variables": {"project": run.project, "entity": run.entity}},
        auth=("api", os.environ["WANDB_API_KEY"]),
        timeout=PATIENCE_S,
    )
    return reply.json()["data"]["project"]["run"]["historyLineCount"]


def services():
    """Return the processes that send; 0.16 gives its service a session of its own."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # others end meanwhile
            if stat.read_text().rpartition(")")[2].split()[1] == str(os.getpid()):
                found.append(int(stat.parent.name))
    return found


def signal_services(number):
    """Send all of them a signal."""
    for pid in services():
        os.kill(pid, number)


def log(steps):
    """Log wide rows, or the SDK keeps all of them in memory until the kill."""
    for step in steps:
        run.log({"i": step, "text": "x" * 2000})
        print("line", step)


run = wandb.init(id="killed")
log(range(31))
until = time.monotonic() + PATIENCE_S
while rows_on_the_server() < 31:  # newer releases post every 15 s
    assert time.monotonic() < until
    time.sleep(0.5)
for begin in range(31, 1000, 19):
    log(range(begin, begin + 19))
    time.sleep(1)  # they reach the disk
    signal_services(signal.SIGSTOP)  # and while the server is asked no more are sent
    if rows_on_the_server() < begin + 19:
        break
    signal_services(signal.SIGCONT)
signal_services(signal.SIGKILL)
os.kill(os.getpid(), signal.SIGKILL)
