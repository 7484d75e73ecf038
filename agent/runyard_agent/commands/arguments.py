"""Flags that commands share, and the settings they make."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Callable

from runyard_agent.settings import SETTINGS, Settings, load


def settings_of(options: argparse.Namespace) -> Settings:
    """Return the settings in force: flags, then the environment, then the file.

    Raises:
        SettingsError: one can't be used.
    """
    return load({each.name: getattr(options, each.name, None) for each in SETTINGS}, file=options.config)


def asking_server(work: Callable[[], int]) -> int:
    """Return the exit code of what asks the server; where that comes to nothing, say why in one sentence."""
    from runyard_agent.run_paths import NoRun
    from runyard_agent.server import Refused, Unreachable

    try:
        return work()
    except (NoRun, Refused, Unreachable) as error:
        print(f"runyard-agent: {error}", file=sys.stderr)
        return 1


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add ``--json``."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Add a flag for each setting."""
    group = parser.add_argument_group("settings", "each also by RUNYARD_<NAME> and in the file")
    group.add_argument("--config", metavar="FILE", help="TOML file of settings, instead of your own")
    for setting in SETTINGS:
        if setting.secret:
            continue
        default = (
            f" (default: {json.dumps(setting.default)})" if setting.default not in ("", None, [], {}) else ""
        )
        group.add_argument(
            setting.flag,
            dest=setting.name,
            action="append" if setting.repeated else "store",
            metavar=setting.form,
            help=setting.text.rstrip(".") + default,
        )
