"""``runyard-agent sync``."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runyard_agent.commands.arguments import add_json, add_settings, settings_of

if TYPE_CHECKING:
    from runyard_agent.syncing import Outcome, Progress

HELP = "Send what offline and killed runs left on disk."
FORM = "[DIR ...]"
EXAMPLES = (
    "",
    "--dry-run",
    "/mnt/spool/20261122T100000Z-7f3a9c21 --timeout 60 --json",
    "--entity physics /mnt/spool/20261122T100000Z-7f3a9c21",
)

_LINE_S = 5.0
"""Between two lines about the same run where there is no terminal."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folders",
        nargs="*",
        type=Path,
        metavar="DIR",
        help="the folder of a run, or a folder of such folders (default: all that is left in spool_dir)",
    )
    parser.add_argument("--dry-run", action="store_true", help="list what is left, and send nothing")
    parser.add_argument(
        "--timeout",
        type=float,
        default=300.0,
        metavar="SECONDS",
        help="how long to wait for a server that does not respond (default: 300)",
    )
    add_json(parser)
    add_settings(parser, "server", "spool_dir")


def run(options: argparse.Namespace) -> int:
    from runyard_agent.server import Server
    from runyard_agent.spool import root_of, tidy
    from runyard_agent.syncing import find, send, survey

    settings = settings_of(options)
    folders = find(options.folders, root_of(settings))
    if options.dry_run:
        outcomes = list(survey(folders))
        if not options.json:
            for outcome in outcomes:
                print(line_of(outcome))
    else:
        tidy(root_of(settings))
        with _progress(as_json=options.json) as progress:
            sending = send(
                folders, Server(settings), timeout_s=options.timeout, progress=progress, place=_place(options)
            )
            outcomes = list(sending)
    if options.json:
        print(json.dumps([outcome._asdict() for outcome in outcomes], indent=2))
    elif not outcomes:
        print("Nothing is left to send.")
    if options.dry_run:
        return 1 if any(outcome.state == "unreadable" for outcome in outcomes) else 0
    fine = {"sent"} if options.folders else {"sent", "busy"}  # what a run sends by itself is only told
    return 0 if all(outcome.state in fine for outcome in outcomes) else 1


def _place(options: argparse.Namespace) -> dict[str, str]:
    """Return where runs are to go: what the flags say, for the environment was there when they were recorded."""
    given = {"entity": options.entity, "project": options.project}
    return {part: name for part, name in given.items() if name}


@contextlib.contextmanager
def _progress(*, as_json: bool) -> Iterator[Progress]:
    """Show a bar on a terminal, lines elsewhere, nothing beside JSON."""
    if as_json:
        yield _Silence()
    elif sys.stdout.isatty():
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns) as bars:
            yield _Bars(bars)
    else:
        yield _Lines()


class _Silence:
    def begin(self, run: str, total: int) -> None:
        pass

    def advance(self, sent: int, url: str) -> None:
        pass

    def end(self, outcome: Outcome) -> None:
        pass


class _Lines:
    def __init__(self) -> None:
        self._run, self._total, self._said_at = "", 0, 0.0

    def begin(self, run: str, total: int) -> None:
        self._run, self._total, self._said_at = run, total, time.monotonic()
        print(f"{run}: {total} records to send", flush=True)

    def advance(self, sent: int, url: str) -> None:
        if time.monotonic() - self._said_at >= _LINE_S:
            self._said_at = time.monotonic()
            print(f"{self._run}: {sent} of {self._total}  {url}".rstrip(), flush=True)

    def end(self, outcome: Outcome) -> None:
        print(line_of(outcome), flush=True)


class _Bars:
    def __init__(self, bars: Any) -> None:
        self._bars, self._task = bars, None

    def begin(self, run: str, total: int) -> None:
        self._task = self._bars.add_task(run, total=total)

    def advance(self, sent: int, url: str) -> None:
        self._bars.update(self._task, completed=sent)

    def end(self, outcome: Outcome) -> None:
        if self._task is not None:
            self._bars.remove_task(self._task)
            self._task = None
        self._bars.console.print(line_of(outcome), markup=False, highlight=False, soft_wrap=True)


def line_of(outcome: Outcome) -> str:
    """Return how it went with a run, in a line."""
    from runyard_agent.words import with_unit

    counts = ", ".join(f"{count} of {name}" for name, count in outcome.records.items() if count)
    left = f"{counts} ({with_unit(outcome.size_bytes, 'bytes')}) in {outcome.folder}" if counts else ""
    return "  ".join(filter(None, [f"{outcome.state:<11}", outcome.run, outcome.url, left, outcome.message]))
