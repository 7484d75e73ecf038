"""``runyard-agent host``."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

from runyard_agent.commands.arguments import add_settings, settings_of

HELP = "Watch this host without a run: one long run for each day or boot, for systemd and the like."
EXAMPLES = (
    "",
    "--project gpu-hosts --interval 30",
    "--per boot",
    "--metrics-listen 127.0.0.1:9400",
    "--print-unit | sudo tee /etc/systemd/system/runyard-agent.service",
)

_INSTALLED = "/opt/runyard-agent/bin/runyard-agent"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--per",
        choices=("day", "boot"),
        default="day",
        help="length of a run; days are in UTC (default: day)",
    )
    parser.add_argument(
        "--print-unit", action="store_true", help="print the systemd unit for this installation and exit"
    )
    add_settings(
        parser,
        "server",
        "run",
        "recording",
        "host",
        "sampling",
        "collector",
        without={"user"},
        named={"collector"},
    )


def run(options: argparse.Namespace) -> int:
    if options.print_unit:
        print(unit(), end="")
        return 0
    from runyard_agent.hosting import AlreadyWatched, watch_host

    settings = settings_of(options)
    if settings.mode == "disabled":
        print("runyard-agent: mode is disabled, so this host is not watched", file=sys.stderr)
        return 0
    try:
        return watch_host(settings, per=options.per)
    except AlreadyWatched as error:
        print(f"runyard-agent: this host is already watched {error}", file=sys.stderr)
        return 1


def unit() -> str:
    """Return the unit that is shipped, which starts the agent that runs now."""
    text = (Path(__file__).parents[1] / "systemd" / "runyard-agent.service").read_text(encoding="utf-8")
    program = Path(sys.argv[0]).resolve()
    if program.name == "runyard-agent":
        command = shlex.quote(str(program))
    else:
        command = f"{shlex.quote(sys.executable)} -m runyard_agent"
    return text.replace(_INSTALLED, command.replace("%", "%%"))  # systemd's own signs begin with it
