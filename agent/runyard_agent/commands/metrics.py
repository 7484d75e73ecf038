"""``runyard-agent metrics``."""

from __future__ import annotations

import argparse
import json

from runyard_agent.commands.arguments import add_json

HELP = "List every metric: tag, unit, meaning."
EXAMPLES = ("", "--json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--markdown", action="store_true", help="as the documentation's page")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    from runyard_agent.metrics import METRICS, as_markdown

    if options.markdown:
        print(as_markdown(), end="")
    elif options.json:
        print(json.dumps([metric._asdict() for metric in METRICS], indent=2, ensure_ascii=False))
    else:
        width = max(len(metric.tag) for metric in METRICS)
        for metric in METRICS:
            print(f"{metric.tag:<{width}}  {metric.unit:<8} {metric.text}")
    return 0
