"""One run being recorded: its spool, what sends it, and the sampler of its hardware."""

from __future__ import annotations

import contextlib
import json
import secrets
import shutil
import threading
import time
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable
from urllib.parse import quote

from runyard_agent.collecting import Collector, Facts
from runyard_agent.console import Line, stamped
from runyard_agent.elsewhere import sync_command
from runyard_agent.sampler import Row, Sampler
from runyard_agent.settings import Settings, SettingsError
from runyard_agent.spool import Spool, tell
from runyard_agent.spool.folder import root_of
from runyard_agent.times import time_now

if TYPE_CHECKING:
    from runyard_agent.delivery import Delivery, Tally
    from runyard_agent.server import Begun, Refused

METADATA = "wandb-metadata.json"
"""The file of facts; pages read it of runs of the SDK, too."""


def new_uid() -> str:
    """Return an id for a run, in the SDK's form: 8 characters of a-z and 0-9."""
    return "".join(secrets.choice("abcdefghijklmnopqrstuvwxyz0123456789") for _ in range(8))


def header_from(settings: Settings, *, resume: str = "allow", **more: Any) -> dict[str, Any]:
    """Return the header of a run as the settings want it, with more; what is empty is left out."""
    header = {
        "display_name": settings.name,
        "notes": settings.notes,
        "tags": settings.tags,
        "group": settings.group,
        "job_type": settings.job_type,
        "user": settings.user,
        **more,
    }
    return {
        "entity": settings.entity,
        "project": settings.project,
        "uid": settings.run_id or new_uid(),
        "resume": resume,
        **{name: value for name, value in header.items() if value},
    }


class Recorder:
    """One run being recorded: everything goes to a spool on disk first, and is sent from there. Thread-safe.

    Args:
        header: what ``POST /api/v1/runs`` takes; its ``uid`` names the run.
        mode: ``online``, or ``offline``, which sends nothing.
        collectors: what is sampled; None takes all as the settings want them, an empty list samples nothing.
        heartbeat_s: pause between signs of life where nothing else is sent.
        on_begun: called with what the server said of the run.
        on_stop: called once, when somebody asks on the web that the run stop.
        label: tells several hosts of one run apart; empty takes the setting.
        facts: what is known of the program, for the page of the run; None uploads none, nor those of the hardware.
        folder: a spool that another process left behind, to go on with.
        say: tells a sentence to whoever watches.
        tally: counts what is sent.

    Raises:
        SettingsError: a collector can't be made as the settings want it.
        SpoolError: the spool can't be made, or opened.
    """

    def __init__(
        self,
        settings: Settings,
        header: Mapping[str, Any],
        *,
        mode: str,
        collectors: Iterable[Collector] | None = None,
        heartbeat_s: float = 30.0,
        on_begun: Callable[[Begun], None] | None = None,
        on_stop: Callable[[], None] | None = None,
        label: str = "",
        facts: Facts | None = None,
        folder: Path | None = None,
        say: Callable[[str], None] = tell,
        tally: Tally | None = None,
    ) -> None:
        self._settings, self._say, self._tally = settings, say, tally
        self._on_begun = on_begun
        self._facts = facts
        self._told_facts: Facts | None = None
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        self._sampler = _sampler(settings, collectors, label)
        self._spool = Spool.open(folder) if folder else _new_spool(settings, header)
        self._spool.on_message = say
        self._delivery = self._new_delivery(heartbeat_s, on_stop) if mode == "online" else None

    def start(self) -> None:
        """Begin to send and to sample; the run's name and link are told as soon as they are known."""
        if self._delivery:
            self._delivery.start()
        else:
            self._say(f"offline, recording to {self.folder}")
        if self._sampler:
            take = partial(self._take, self._sampler)
            self._thread = threading.Thread(
                target=self._sampler.run, args=(take, self._over), name="runyard-sampler", daemon=True
            )
            self._thread.start()

    @property
    def begun(self) -> Begun | None:
        """What the server said of the run; None until it has."""
        return self._delivery.begun if self._delivery else None

    @property
    def folder(self) -> Path:
        """Where the spool is."""
        return self._spool.folder

    @property
    def url(self) -> str:
        """The address of the run's page; empty until it is known."""
        return self.begun.url if self.begun else ""

    @property
    def state(self) -> str:
        """The run's state as the server last told it; empty until it has."""
        return self._delivery.state if self._delivery else ""

    @property
    def refused(self) -> Refused | None:
        """Why nothing is sent, where the server said no."""
        return self._delivery.refused if self._delivery else None

    def history(self, row: dict[str, Any]) -> None:
        """Add a row of what was logged."""
        self._spool.append("history", row)

    def system(self, row: Mapping[str, Any]) -> None:
        """Add a row of samples."""
        self._spool.append("system", row)

    def line(
        self, text: str, *, is_error: bool = False, at: float | None = None, replaces: bool = False
    ) -> None:
        """Add a line of the console.

        Args:
            at: UTC, seconds; None is now.
            replaces: it takes the place of the line before.
        """
        self._spool.append("log", stamped(Line(text, is_error, time.time() if at is None else at, replaces)))

    def config(self, config: dict[str, Any]) -> None:
        """Set the whole configuration."""
        self._spool.append("acts", {"act": "config", "config": config})

    def summary(self, summary: dict[str, Any]) -> None:
        """Set the whole summary."""
        self._spool.append("acts", {"act": "summary", "summary": summary})

    def alert(
        self, *, title: str, text: str = "", level: str = "INFO", wait_s: float = 0.0, token: str = ""
    ) -> None:
        """Send an alert once, however often it is tried.

        Args:
            level: ``INFO``, ``WARN`` or ``ERROR``.
            wait_s: how long after one of the same title no other is sent.
            token: tells it from others; the same one again is the same alert.
        """
        alert = {"id": token or secrets.token_hex(16), "title": title, "text": text}
        self._spool.append("acts", {"act": "alert", **alert, "level": level, "wait_s": wait_s})

    def file(self, path: Path, name: str, *, live: bool = False) -> None:
        """Save a file under a name.

        Args:
            live: send it as it is when its turn comes; otherwise as it is now, for which it is copied.

        Raises:
            OSError: it can't be copied.
        """
        if not live:
            kept = self.folder / "files" / f"{secrets.token_hex(4)}-{quote(path.name, safe='')[-100:]}"
            kept.parent.mkdir(exist_ok=True)
            shutil.copyfile(path, kept)
            path = kept
        self._spool.append("acts", {"act": "file", "name": name, "path": str(path)})

    def tell_facts(self, facts: Facts, *, name: str = METADATA) -> None:
        """Save what is known of program and hardware for the page of the run, when it is not what it was."""
        if facts != self._told_facts:
            self._told_facts = facts
            self._save_facts(facts, name)

    def preempting(self) -> None:
        """Tell that the scheduler is about to take the machine away."""
        self._spool.append("acts", {"act": "preempting"})

    def finish(self, exit_code: int, *, timeout_s: float | None = None) -> bool:
        """End the run; True when all of it is on the server."""
        self._end_sampling()
        self._spool.append("acts", {"act": "finish", "exit_code": exit_code, "at": time_now()})
        return self.close(timeout_s=timeout_s)

    def close(self, *, timeout_s: float | None = None) -> bool:
        """Stop recording without ending the run; True when all of it is on the server.

        Args:
            timeout_s: how long what is left is waited for; None takes the setting. Ctrl-C ends the wait.
        """
        self._end_sampling()
        is_sent = False
        if self._delivery:
            with contextlib.suppress(KeyboardInterrupt):
                is_sent = self._delivery.drain(
                    self._settings.finish_timeout if timeout_s is None else timeout_s
                )
            self._tell_end(is_sent=is_sent)
            self._delivery.close()
        else:
            self._say(f"to send the run: {sync_command(self.folder)}")
        self._spool.close()
        return is_sent

    def appended(self, stream: str) -> int:
        """Return how many records a stream of the spool was given, in all its life."""
        return self._spool.ends()[stream]

    def _new_delivery(self, heartbeat_s: float, on_stop: Callable[[], None] | None) -> Delivery | None:
        from runyard_agent.delivery import Delivery
        from runyard_agent.server import Server

        try:
            server = Server(self._settings)
        except SettingsError as error:
            self._say(f"{error}; the run is recorded on disk only")
            return None
        return Delivery(
            self._spool,
            server,
            heartbeat_s=heartbeat_s,
            on_begun=self._tell_begun,
            on_stop=on_stop,
            on_message=self._say,
            tally=self._tally,
        )

    def _tell_begun(self, begun: Begun) -> None:
        if self._on_begun:
            self._on_begun(begun)
        self._say(f"{'recording' if begun.inserted else 'resuming'} {begun.display_name}: {begun.url}")

    def _tell_end(self, *, is_sent: bool) -> None:
        if is_sent:
            self._say(f"{self.begun.display_name}: {self.begun.url}" if self.begun else "everything was sent")
            return
        left = {name: count for name, count in self._spool.waiting().items() if count}
        counts = ", ".join(f"{count} of {name}" for name, count in left.items())
        command = sync_command(self.folder, None if self.begun else self.refused)
        self._say(f"not everything has reached the server ({counts} left); to send it: {command}")

    def _take(self, sampler: Sampler, row: Row) -> None:
        self.system(row)
        if self._facts is not None:
            self.tell_facts({**self._facts, **sampler.facts()})

    def _save_facts(self, facts: Facts, name: str) -> None:
        path = self.folder / METADATA
        with contextlib.suppress(OSError):  # a full disk; the spool has told of it
            path.write_text(json.dumps(facts, indent=2), encoding="utf-8")
            self.file(path, name)

    def _end_sampling(self) -> None:
        if self._over.is_set():
            return
        self._over.set()
        if self._sampler:
            if self._thread:
                self._thread.join(self._settings.tool_timeout)
            self._sampler.close()


def _sampler(settings: Settings, collectors: Iterable[Collector] | None, label: str) -> Sampler | None:
    if collectors is None:
        from runyard_agent.collectors import all_collectors

        collectors = all_collectors(settings)
    made = list(collectors)
    if not made:
        return None
    return Sampler(made, interval_s=settings.interval, label=label or settings.label)


def _new_spool(settings: Settings, header: Mapping[str, Any]) -> Spool:
    whole = {"writer": secrets.token_hex(8), "attached": False, **header}
    if not whole["attached"]:
        whole["started_at"] = time_now()
    max_bytes = int(settings.spool_max_mb * 2**20)
    return Spool.create(root_of(settings), whole, max_bytes=max_bytes, keep_sent=settings.keep_sent)
