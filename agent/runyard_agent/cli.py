"""The command line: finds the command, and says what went wrong in one line."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from runyard_agent import __version__
from runyard_agent.commands import attach, config, doctor, host, login, metrics, run, sample, sync, top
from runyard_agent.settings import SETTINGS, SettingsError

COMMANDS = {
    "run": run,
    "host": host,
    "attach": attach,
    "login": login,
    "doctor": doctor,
    "sample": sample,
    "top": top,
    "sync": sync,
    "config": config,
    "metrics": metrics,
}

_EXIT = """exit codes:
  0  success
  1  the command found a problem and says which
  2  wrong usage, or a setting that can't be used
  130  interrupted
"""
_EXIT_OF_RUN = """exit codes:
  that of the command; 126 or 127 where it can't be executed or doesn't exist
  2  wrong usage, or a setting that can't be used
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    parser = _parser()
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        _refuse_unknown(options, unknown)
    try:
        code: int = options.command(options)
    except SettingsError as error:
        print(f"runyard-agent: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # as in `sample --watch | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


def _refuse_unknown(options: argparse.Namespace, unknown: Sequence[str]) -> None:
    """End with the option that the command does not have."""
    flag = unknown[0].partition("=")[0]
    known = {setting.flag for setting in SETTINGS if not setting.secret}
    why = (
        f"{flag} does not apply to this command"
        if flag in known
        else f"unrecognized arguments: {' '.join(unknown)}"
    )
    options.parser.error(f"{why}; see runyard-agent {options.name_of_command} --help")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="runyard-agent",
        description="Records runs and samples the hardware of this host for Runyard.",
        epilog="examples:\n"
        "  runyard-agent run -- python train.py       record a command as a run\n"
        "  runyard-agent host                         record this host, day by day\n"
        "  runyard-agent attach --run team/proj/id    add this host's hardware to a run\n"
        "  runyard-agent login                        store the key of a server\n"
        "  runyard-agent doctor                       what works here, and why the rest doesn't\n"
        "  runyard-agent top                          look at this host\n\n" + _EXIT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"runyard-agent {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, module in COMMANDS.items():
        lines = "".join(f"  runyard-agent {name} {example}".rstrip() + "\n" for example in module.EXAMPLES)
        made = commands.add_parser(
            name,
            help=module.HELP,
            description=module.HELP,
            usage=f"runyard-agent {name} [OPTIONS] {getattr(module, 'FORM', '')}".rstrip(),
            epilog=f"examples:\n{lines}\n{_EXIT_OF_RUN if module is run else _EXIT}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(made)
        made.set_defaults(command=module.run, parser=made, name_of_command=name)
    return parser
