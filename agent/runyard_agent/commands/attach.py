"""``runyard-agent attach``."""

from __future__ import annotations

import argparse
import sys

from runyard_agent.commands.arguments import add_settings, asking_server, settings_of

HELP = "Add this host's hardware to a run that something else logs."
EXAMPLES = (
    "--run physics/mnist/first",
    "--run physics/mnist/first --pid 4711",
    '--run https://runyard.example.com/physics/mnist/runs/first --label "$(hostname)"',
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--run",
        metavar="RUN",
        default="",
        help="entity/project/run, or the address of its page; without it run_id, project and entity name it",
    )
    parser.add_argument(
        "--wait",
        type=float,
        default=300.0,
        metavar="SECONDS",
        help="how long to wait for the run to begin (default: 300)",
    )
    add_settings(parser, "server", "run_id", "recording", "sampling", "collector", named={"collector"})


def run(options: argparse.Namespace) -> int:
    from runyard_agent.attaching import attach
    from runyard_agent.run_paths import on_server, run_path

    settings = settings_of(options)
    if settings.mode == "disabled":
        print("runyard-agent: mode is disabled, so nothing is sampled", file=sys.stderr)
        return 0
    path = run_path(options.run or settings.run_id, settings)
    return asking_server(lambda: attach(on_server(path, settings), path, wait_s=options.wait))
