"""``runyard-agent top``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from runyard_agent.commands.arguments import add_json, add_settings, asking_server, settings_of
from runyard_agent.settings import Settings

if TYPE_CHECKING:
    from runyard_agent.top import Source

HELP = "Show the metrics of this host, or of a run on the server, live."
FORM = "[RUN]"
EXAMPLES = (
    "",
    "--interval 1 --pid 4711",
    "--once --json",
    "physics/mnist/first",
    "https://runyard.example.com/physics/mnist/runs/first --label node-3",
)

_HOST_S, _RUN_S = 2.0, 5.0
"""A run's hosts sample every 15 s or so, whoever asks."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "path",
        nargs="?",
        metavar="RUN",
        help="entity/project/run, or the address of its page; none is this host",
    )
    parser.add_argument("--once", action="store_true", help="print one frame and exit")
    add_json(parser)
    add_settings(parser, "server", "sampling", "collector", named={"collector"})


def run(options: argparse.Namespace) -> int:
    from runyard_agent.top import watch

    settings = settings_of(options)
    given = options.interval is not None
    interval_s = settings.interval if given else _RUN_S if options.path else _HOST_S
    source = _run(options.path, settings) if options.path else _host(settings, interval_s)
    return asking_server(
        lambda: watch(source, interval_s=interval_s, once=options.once, as_json=options.json)
    )


def _host(settings: Settings, interval_s: float) -> Source:
    from runyard_agent.top import ThisHost

    return ThisHost(settings, interval_s=interval_s)


def _run(path: str, settings: Settings) -> Source:
    from runyard_agent.run_paths import on_server, run_path
    from runyard_agent.server import Server
    from runyard_agent.top import WatchedRun

    found = run_path(path, settings)
    return WatchedRun(Server(on_server(found, settings)), found, label=settings.label)
