"""``runyard-agent doctor``."""

from __future__ import annotations

import argparse
import json

from runyard_agent.commands.arguments import add_json, add_settings, settings_of

HELP = "Say which collectors work here, and check server, key, clock, and where runs go."
EXAMPLES = ("", "--url https://runyard.example.com --json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    add_settings(
        parser,
        "server",
        "spool_dir",
        "spool_max_mb",
        "sampling",
        "collector",
        without={"interval", "label"},
        named={"collector"},
    )


def run(options: argparse.Namespace) -> int:
    from runyard_agent.doctor import examine

    findings = examine(settings_of(options))
    if options.json:
        print(json.dumps([finding._asdict() for finding in findings], indent=2))
    else:
        width = max(len(finding.name) for finding in findings)
        for finding in findings:
            print(f"{finding.state:<8} {finding.name:<{width}}  {finding.text}".rstrip())
    return 1 if any(finding.state == "problem" for finding in findings) else 0
