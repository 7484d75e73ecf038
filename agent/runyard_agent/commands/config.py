"""``runyard-agent config``."""

from __future__ import annotations

import argparse
import json

from runyard_agent.commands.arguments import GROUPS, add_json, add_settings, settings_of
from runyard_agent.settings import SETTINGS, default_file, shown

HELP = "Show each setting, and where its value came from."
EXAMPLES = ("", "--interval 5 --json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    add_settings(parser, *GROUPS)


def run(options: argparse.Namespace) -> int:
    settings = settings_of(options)
    if options.json:
        rows = {
            setting.name: {"value": shown(setting, value), "from": origin}
            for setting, (value, origin) in settings.items()
        }
        print(json.dumps(rows, indent=2))
        return 0
    print(f"# file: {options.config or default_file()}")
    width = max(len(setting.name) for setting in SETTINGS)
    for setting, (value, origin) in settings.items():
        print(f"{setting.name:<{width}}  {json.dumps(shown(setting, value)):<24}  {origin}")
    return 0
