"""The list of all commands."""

import sys
import textwrap
from importlib import import_module

import django
from django.core.management import get_commands, load_command_class

from common import VERSION
from config.commands import OURS

PARTS = {
    "Installation": ("config", "common"),
    "People and teams": ("accounts", "teams"),
    "Data": ("storage", "metrics", "artifacts"),
    "Use and billing": ("usage", "billing"),
}
"""Which apps' commands stand under which heading."""
OF_DJANGO = {
    "migrate": "Apply the migrations that are missing; --plan shows them.",
    "check": "Check the settings.",
}
NOT_SHOWN = {"createsuperuser", "create_first_operator", "write_limits", "write_openapi"}
"""What others call, and what only a checkout needs."""
WIDTH = 110
NAME_WIDTH = 26


def print_commands(program: str) -> None:
    """Print each command with what it does."""
    django.setup()
    out = sys.stdout
    out.write(
        f"Runyard {VERSION}: self-hosted experiment tracking.\n\nUsage: {program} COMMAND [ARGUMENTS]\n"
    )
    for heading, commands in _parts().items():
        out.write(f"\n{heading}\n")
        for name, text in commands.items():
            out.write(_line(name, text))
    out.write(
        f"\n`{program} help COMMAND` explains a command. Django's own commands work, too: `{program} shell`, say.\n"
        "Settings are read from the environment: docs/operate/configure.md.\n"
    )


def _parts() -> dict[str, dict[str, str]]:
    apps = get_commands()
    parts = {
        heading: {
            name: load_command_class(apps[name], name).help
            for name in sorted(apps)
            if apps[name] in labels and name not in NOT_SHOWN
        }
        for heading, labels in PARTS.items()
    }
    ours = {name: import_module(f"config.commands.{name}").HELP for name in OURS}
    version = {"version": "Print the version of Runyard."}
    parts["Installation"] = ours | OF_DJANGO | parts["Installation"] | version
    return parts


def _line(name: str, text: str) -> str:
    label = f"  {name.replace('_', '-')}".ljust(NAME_WIDTH)
    return textwrap.fill(text, WIDTH, initial_indent=label, subsequent_indent=" " * NAME_WIDTH) + "\n"
