"""``runyard-agent run``."""

from __future__ import annotations

import argparse

from runyard_agent.commands.arguments import add_settings, settings_of
from runyard_agent.settings import SettingsError

HELP = "Run a command and record it: what it prints, its exit code, and the hardware it uses."
FORM = "-- COMMAND ..."
EXAMPLES = (
    "-- python train.py --lr 0.1",
    "--project digits --tags night -- make train",
    "--mode offline -- ./train",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("words", nargs=argparse.REMAINDER, metavar="-- COMMAND ...", help="what is run")
    add_settings(
        parser,
        "server",
        "run",
        "recording",
        "command",
        "sampling",
        "collector",
        without={"pid"},
        named={"collector"},
    )


def run(options: argparse.Namespace) -> int:
    from runyard_agent.wrapped_run import execute, record

    words = options.words[1:] if options.words[:1] == ["--"] else options.words
    settings = settings_of(options)
    if not words:
        raise SettingsError("run needs a command, as in: runyard-agent run -- python train.py")
    if settings.mode == "disabled":
        return execute(words)
    return record(settings, words)
