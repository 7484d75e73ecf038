"""Adds samples of this host's hardware to a run that something else logs."""

from __future__ import annotations

import contextlib
import datetime as dt
import socket
import threading
import time
from typing import Any, NamedTuple

import psutil

from runyard_agent.collectors import all_collectors
from runyard_agent.ending import Ending
from runyard_agent.facts import host_facts
from runyard_agent.identity import slug
from runyard_agent.recording import Recorder
from runyard_agent.run_paths import NoRun, RunPath
from runyard_agent.sampler import Row, Sampler
from runyard_agent.server import Server, Unreachable
from runyard_agent.settings import Settings
from runyard_agent.spool import tell

_LOOK_S = 1.0
"""How often it is seen whether the process lives."""
_WAIT_S = 3.0
"""Between two looks whether the run has begun."""
_ENDED = ("finished", "failed", "killed")
_GONE = (404, 410)
_CRASHED_S = 600.0
"""A run that seems to have crashed may come back, as after an outage; for so long it is waited for."""


class Target(NamedTuple):
    """The run that samples are added to."""

    path: RunPath
    began_at: float
    """UTC, s: where the run's time is 0."""
    host: str = ""
    """Who logs it, as far as it is known."""


def find_run(server: Server, path: RunPath, *, wait_s: float, ending: Ending) -> Target | None:
    """Return the run once it has begun; None when told to end before.

    Raises:
        NoRun: it has not begun in time, or has ended, or the key may not see it.
        Refused: the key is not valid.
        Unreachable: the server does not answer in time.
    """
    deadline, told = time.monotonic() + wait_s, False
    while True:
        found = _asked(server, path, may_fail=time.monotonic() < deadline)
        if found is not None and found["state"] in _ENDED:
            raise NoRun(f"the run {path} has ended: {found['state']}")
        if found is not None:
            began_at = dt.datetime.fromisoformat(found["started_at"].replace("Z", "+00:00")).timestamp()
            return Target(
                path._replace(entity=found["entity"], project=found["project"]), began_at, found["host"]
            )
        if time.monotonic() >= deadline:
            raise NoRun.at(path)
        if not told:
            tell(f"waiting up to {wait_s:g} s for the run {path}")
            told = True
        if ending.wait(min(_WAIT_S, max(deadline - time.monotonic(), 0))):
            return None


def _asked(server: Server, path: RunPath, *, may_fail: bool) -> dict[str, Any] | None:
    _, entity, project, uid = path
    try:
        found = server.get("runs/", {"entity": entity, "project": project, "uid": uid})["results"]
    except Unreachable:
        if may_fail:
            return None
        raise
    return dict(found[0]) if found else None


class Attachment:
    """Samples into a run until it ends, the watched process ends, or somebody ends us."""

    def __init__(self, settings: Settings, *, ending: Ending) -> None:
        self._settings, self._ending = settings, ending
        self._collectors = all_collectors(settings)
        self._process = psutil.Process(settings.pid) if settings.pid else None
        self._crashed_since: float | None = None

    def run(self, target: Target) -> str:
        """Sample, and return what ended it, in words."""
        settings, over = self._settings, threading.Event()
        label = settings.label or other_host(target)
        sampler = Sampler(self._collectors, interval_s=settings.interval, label=label)
        _, entity, project, uid = target.path
        header = {"entity": entity, "project": project, "uid": uid, "resume": "must", "attached": True}
        recorder = Recorder(settings, header, mode=settings.mode, collectors=(), on_stop=self._ending.tell)

        facts = {**host_facts(), "label": label}

        def take(row: Row) -> None:
            recorder.system({**row, "_runtime": round(row["_timestamp"] - target.began_at, 3)})
            recorder.tell_facts(
                {**facts, **sampler.facts()}, name=f"runyard-hosts/{slug(label or facts['host'])}.json"
            )

        recorder.start()
        thread = threading.Thread(target=sampler.run, args=(take, over), name="runyard-sampler", daemon=True)
        thread.start()
        try:
            while not (reason := self._reason(recorder)):
                if self._ending.wait(_LOOK_S):
                    return "stopped"
            return reason
        finally:
            over.set()
            thread.join(settings.tool_timeout)
            sampler.close()
            recorder.close()

    def _reason(self, recorder: Recorder) -> str:
        """Return why it is over, in words; empty while it is not."""
        if self._process is not None and not lives(self._process):
            return f"process {self._process.pid} has ended"
        if recorder.refused and recorder.refused.status in _GONE:
            return f"the run is gone: {recorder.refused.message}"
        state = recorder.state
        if state in _ENDED:
            return f"the run has ended: {state}"
        if state != "crashed":
            self._crashed_since = None
            return ""
        if self._crashed_since is None:
            self._crashed_since = time.monotonic()
        return "the run has crashed" if time.monotonic() - self._crashed_since > _CRASHED_S else ""


def other_host(target: Target) -> str:
    """Return the label that keeps this host's metrics apart from those of the host that logs the run."""
    here = socket.gethostname()
    return here if target.host and target.host != here else ""


def lives(process: psutil.Process) -> bool:
    """Whether it is still this process: no other one with its number, and none that only waits to be reaped."""
    with contextlib.suppress(psutil.Error):
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    return False


def attach(settings: Settings, path: RunPath, *, wait_s: float) -> int:
    """Add this host's samples to a run.

    Raises:
        NoRun, Refused, Unreachable: the run can't be had.
        SettingsError: the server is not set, or there is no such process.
    """
    with Ending() as ending:
        attachment = Attachment(settings, ending=ending)
        if settings.mode == "offline":
            target: Target | None = Target(path, time.time())
        else:
            target = find_run(Server(settings), path, wait_s=wait_s, ending=ending)
        if target is not None:
            tell(attachment.run(target))
        return ending.exit_code
