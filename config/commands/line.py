"""What the arguments of the command line lead to."""

import os
import sys
from importlib import import_module
from typing import NoReturn

from common import VERSION
from config.commands import OURS
from config.env import IS_CHECKOUT


def main(program: str) -> NoReturn:
    """Do what the command line says; exit with its status.

    Args:
        program: What help calls it.
    """
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.prod")
    name, *arguments = sys.argv[1:] or ["help"]
    if name in ("version", "--version"):
        print(f"Runyard {VERSION}")  # noqa: T201 - what a command says
    elif name not in ("help", "--help", "-h"):
        sys.exit(_run(program, name, arguments))
    elif arguments:
        sys.exit(_run(program, arguments[0], ["--help"]))
    else:
        from config.commands.help import print_commands

        print_commands(program)
    sys.exit(0)


def _run(program: str, name: str, arguments: list[str]) -> int:
    if name in OURS or not IS_CHECKOUT:  # commands of developers write files that others are to read
        os.umask(0o077)
    return _start(program, name, arguments)


def _start(program: str, name: str, arguments: list[str]) -> int:
    if name in OURS:
        status: int = import_module(f"config.commands.{name}").main(arguments)
        return status
    from django.core.management import execute_from_command_line

    execute_from_command_line([program, name.replace("-", "_"), *arguments])
    return 0
