"""Records a command as a run: what it prints, the hardware it uses, how it ends."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Callable
from urllib.parse import quote

from runyard_agent.console import Console, Line
from runyard_agent.facts import command_facts, header_of
from runyard_agent.recording import Recorder, header_from
from runyard_agent.sdk_release import fails_on_headers
from runyard_agent.settings import WRAPPED_RUN, Settings, SettingsError
from runyard_agent.spool import SpoolError, tell
from runyard_agent.wrapping import CannotStart, Wrapped

_SDK_HEADERS = ("WANDB_X_EXTRA_HTTP_HEADERS", "WANDB__EXTRA_HTTP_HEADERS")
"""Where releases of the SDK from 0.19 on, and older ones, read further headers of their requests from, as JSON."""
_WRAPPER = "X-Runyard-Wrapper"


def execute(command: Sequence[str]) -> int:
    """Become the command; return what shells answer if it can't be started."""
    try:
        os.execvp(command[0], list(command))  # noqa: S606 - the command a person asks for
    except OSError as error:
        return _refuse(CannotStart(command[0], error))


def record(settings: Settings, command: Sequence[str]) -> int:
    """Run a command as a run; return its exit code. Whatever happens to the recording, the command goes on."""
    from runyard_agent.collectors import all_collectors

    all_collectors(settings)  # a setting that can't be used is told before anything runs
    own_id = (
        "" if settings.run_id == os.environ.get(WRAPPED_RUN) else settings.run_id
    )  # in another wrapped command
    facts = command_facts(command, Path.cwd())
    header = header_from(settings.replaced(run_id=own_id), **header_of(facts))
    wrapped = Wrapped(
        command,
        environment={**os.environ, **_environment(settings, header, command)},
        sigterm_after_s=settings.sigterm_after,
        sigkill_after_s=settings.sigkill_after,
        say=tell,
    )
    try:
        with wrapped as child:
            recorder = _recorder(settings.replaced(pid=child.pid), header, facts, child.stop)
            console = Console(_taker(recorder))
            code = child.wait(_feeder(console) if settings.console else _ignore, console.tick)
            console.close()
    except CannotStart as refusal:
        return _refuse(refusal)
    if recorder:
        recorder.finish(code)
    return code


def _recorder(
    settings: Settings, header: Mapping[str, Any], facts: dict[str, Any], stop: Callable[[], None]
) -> Recorder | None:
    try:
        recorder = Recorder(settings, header, mode=settings.mode, facts=facts, on_stop=stop)
    except (SpoolError, SettingsError, OSError) as error:
        tell(f"{error}; the command is not recorded")
        return None
    recorder.start()
    return recorder


def _environment(settings: Settings, header: Mapping[str, Any], command: Sequence[str]) -> dict[str, str]:
    """Return what lets code in the command find the run."""
    is_known_to_sdk = settings.mode == "online" and not fails_on_headers(command, os.environ)
    return {
        WRAPPED_RUN: header["uid"],
        "RUNYARD_RUN_ID": header["uid"],
        "RUNYARD_ENTITY": header["entity"],
        "RUNYARD_PROJECT": header["project"],
        "RUNYARD_URL": settings.url,
        "RUNYARD_MODE": settings.mode,
        **(_sdk_environment(settings, header["uid"], os.environ) if is_known_to_sdk else {}),
    }


def _sdk_environment(settings: Settings, uid: str, given: Mapping[str, str]) -> dict[str, str]:
    """Return what lets the server know a run of the SDK in the command for this one.

    It is a header that the SDK sends along; nothing else of how it logs changes. Headers that are set already stay.
    """
    records = ", ".join(["console", "system"] if settings.console else ["system"])
    environment = {}
    for name in _SDK_HEADERS:
        try:
            headers = json.loads(given.get(name) or "{}")
        except ValueError:
            headers = None
        if isinstance(headers, dict):
            environment[name] = json.dumps({**headers, _WRAPPER: f"{quote(uid)}; {records}"})
    return environment


def _taker(recorder: Recorder | None) -> Callable[[Line], None]:
    def take(line: Line) -> None:
        if recorder:
            recorder.line(line.text, is_error=line.is_error, at=line.at, replaces=line.replaces)

    return take


def _feeder(console: Console) -> Callable[[str, bool], None]:
    def feed(text: str, is_error: bool) -> None:  # noqa: FBT001 - the form of Take
        console.feed(text, is_error=is_error)

    return feed


def _ignore(text: str, is_error: bool) -> None:  # noqa: FBT001 - the form of Take
    pass


def _refuse(refusal: CannotStart) -> int:
    sys.stderr.write(f"runyard-agent: {refusal}\n")
    return refusal.exit_code
