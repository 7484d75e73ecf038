"""Flags that commands share, and the settings they make."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from collections.abc import Collection
from typing import Callable

from runyard_agent.settings import SETTINGS, Setting, Settings, load


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


GROUPS: dict[str, tuple[str, ...]] = {
    "server": ("url", "entity", "project"),
    "run": ("run_id", "name", "group", "job_type", "tags", "notes", "user"),
    "recording": ("mode", "finish_timeout", "spool_dir", "spool_max_mb", "keep_sent"),
    "command": ("console", "sigterm_after", "sigkill_after"),
    "Python": ("begin_timeout", "interrupt_on_stop"),
    "host": ("metrics_listen",),
    "sampling": (
        "interval", "label", "pid", "process_tree", "per_core", "disk_paths", "gpus", "cgroup", "host_proc", "without",
    ),
    "collector": (
        "tool_timeout", "amd_source", "tpu_address", "neuron_config", "dcgm", "openmetrics", "openmetrics_filters",
    ),
}  # fmt: skip
"""Settings by what they are about, but for those without a flag."""


def add_settings(
    parser: argparse.ArgumentParser, *names: str, without: Collection[str] = (), named: Collection[str] = ()
) -> None:
    """Add a flag for each setting that the command heeds.

    Args:
        names: groups, or single settings.
        without: settings of these groups that the command has no use for.
        named: groups whose flags the help only names, since they are for few; ``sample --help`` describes them.
    """
    parser.add_argument(
        "--config",
        metavar="FILE",
        help="TOML file of settings, instead of your own; variables RUNYARD_<NAME> set them, too",
    )
    known = {setting.name: setting for setting in SETTINGS}
    for group, settings in GROUPS.items():
        wanted = [
            known[name] for name in settings if (group in names or name in names) and name not in without
        ]
        if not wanted:
            continue
        flags = textwrap.fill(
            ", ".join(setting.flag for setting in wanted), 76, subsequent_indent="  ", break_on_hyphens=False
        )
        text = f"{flags}\n  (runyard-agent sample --help describes them)" if group in named else None
        section = parser.add_argument_group(f"{group} settings", text)
        for setting in wanted:
            _add_setting(section, setting, is_shown=group not in named)


def _add_setting(group: argparse._ArgumentGroup, setting: Setting, *, is_shown: bool) -> None:
    default = (
        f" (default: {json.dumps(setting.default)})" if setting.default not in ("", None, [], {}) else ""
    )
    group.add_argument(
        setting.flag,
        dest=setting.name,
        action="append" if setting.repeated else "store",
        metavar=setting.form,
        help=setting.text.rstrip(".") + default if is_shown else argparse.SUPPRESS,
    )
