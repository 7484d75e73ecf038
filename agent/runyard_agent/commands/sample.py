"""``runyard-agent sample``."""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

from runyard_agent.commands.arguments import add_json, add_settings, settings_of

HELP = "Print a sample of everything."
EXAMPLES = ("", "--pid 4711 --json", "--watch --interval 5")

_PRIMING_S = 0.5
"""CPU use and rates need two readings, taken this far apart."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--watch", action="store_true", help="print one after each interval")
    add_json(parser)
    add_settings(parser, "sampling", "collector")


def run(options: argparse.Namespace) -> int:
    from runyard_agent.collectors import all_collectors
    from runyard_agent.sampler import Sampler

    settings = settings_of(options)
    sampler = Sampler(
        all_collectors(settings),
        interval_s=settings.interval,
        label=settings.label,
        patience_s=settings.tool_timeout,
    )
    try:
        sampler.sample()
        time.sleep(_PRIMING_S)
        while True:
            begun = time.monotonic()
            for row in sampler.sample():
                _print_row(row, as_json=options.json)
            if not options.watch:
                return 0
            time.sleep(max(settings.interval - (time.monotonic() - begun), 0))
    finally:
        sampler.close()


def _print_row(row: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(row), flush=True)
        return
    from runyard_agent.metrics import describe
    from runyard_agent.words import with_unit

    tags = [tag for tag in row if not tag.startswith("_")]
    width = max(map(len, tags), default=0)
    for tag in tags:
        found = describe(tag)
        print(f"{tag:<{width}}  {with_unit(row[tag], found.metric.unit if found else '')}", flush=True)
