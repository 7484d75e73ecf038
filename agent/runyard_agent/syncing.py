"""Sends the spools that offline or killed runs left, one after the other."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple, Protocol

from runyard_agent.delivery import Delivery
from runyard_agent.elsewhere import sync_command
from runyard_agent.server import Server
from runyard_agent.settings import SettingsError
from runyard_agent.spool import Busy, Spool, SpoolError, spools_in

_LOOK_S = 0.1


class Outcome(NamedTuple):
    """How it went with one spool: ``sent``, ``waiting``, ``busy``, ``refused``, ``unreachable`` or ``unreadable``."""

    folder: str
    run: str
    url: str
    state: str
    records: dict[str, int]
    """Those that are still to be sent, by stream."""
    size_bytes: int
    """On disk."""
    message: str


class Progress(Protocol):
    """Is told how far it is."""

    def begin(self, run: str, total: int) -> None:
        """A run is begun that has so many records to send."""

    def advance(self, sent: int, url: str) -> None:
        """So many of them are sent."""

    def end(self, outcome: Outcome) -> None:
        """It is over with this run."""


def find(folders: Sequence[Path], root: Path) -> list[Path]:
    """Return the spools that are meant.

    Raises:
        SettingsError: a folder that was named is not there.
    """
    found: dict[Path, None] = {}
    for folder in folders:
        if not folder.expanduser().is_dir():
            raise SettingsError(
                f"{folder} is not a folder; a run's folder is removed once all of it was sent"
            )
        found.update(dict.fromkeys(spools_in(folder.expanduser())))
    return list(found) if folders else spools_in(root)


def survey(folders: Sequence[Path]) -> Iterator[Outcome]:
    """Say what waits in each, and send nothing."""
    return map(_survey, folders)


def _survey(folder: Path) -> Outcome:
    try:
        with closing(Spool.open(folder)) as spool:
            return _outcome(spool, "waiting" if any(spool.waiting().values()) else "sent")
    except SpoolError as error:
        return _unopened(folder, error)


def send(
    folders: Sequence[Path],
    server: Server,
    *,
    timeout_s: float,
    progress: Progress,
    place: Mapping[str, str] | None = None,
) -> Iterator[Outcome]:
    """Send each; after a server that does not answer for so long the rest is left, too.

    Args:
        place: the ``entity`` or ``project`` to which runs go that were recorded for another.
    """
    is_there = True
    for folder in folders:
        outcome = _send(folder, server, timeout_s, progress, place or {}) if is_there else _survey(folder)
        is_there = is_there and outcome.state != "unreachable"
        progress.end(outcome)
        yield outcome


def _send(
    folder: Path, server: Server, timeout_s: float, progress: Progress, place: Mapping[str, str]
) -> Outcome:
    try:
        with closing(Spool.open(folder)) as spool:
            if any(_begun_in(spool).get(part, name) != name for part, name in place.items()):
                where = "/".join(_begun_in(spool).values())
                said = (
                    f"a part of it is in {where} already, where the rest belongs; leave out {_flags(place)}"
                )
                return _outcome(spool, "refused", said=[said])
            spool.header.update(place)
            return _drain(spool, server, timeout_s, progress)
    except SpoolError as error:
        return _unopened(folder, error)


def _begun_in(spool: Spool) -> dict[str, str]:
    """Return the entity and project in which the server has the run; empty where it has none."""
    begun = spool.state.get("begun") or {}
    return {part: str(begun[part]) for part in ("entity", "project") if part in begun}


def _flags(place: Mapping[str, str]) -> str:
    return " and ".join(f"--{part}" for part in place)


def _drain(spool: Spool, server: Server, timeout_s: float, progress: Progress) -> Outcome:
    said: list[str] = []
    spool.on_message = said.append
    delivery = Delivery(spool, server, heartbeat_s=None, tries_again=False, on_message=said.append)
    total = sum(spool.waiting().values())
    progress.begin(_name_of(spool), total)
    delivery.start()
    try:
        while not delivery.drain(_LOOK_S):
            url = delivery.begun.url if delivery.begun else ""
            progress.advance(total - sum(spool.waiting().values()), url)
            if delivery.refused:
                if delivery.begun is None:
                    said.append(f"to send it: {sync_command(spool.folder, delivery.refused)}")
                return _outcome(spool, "refused", delivery, said)
            if delivery.failing_since and time.monotonic() - delivery.failing_since >= timeout_s:
                return _outcome(spool, "unreachable", delivery, said)
    finally:
        delivery.close()
    return _outcome(spool, "sent", delivery, said)


def _outcome(spool: Spool, state: str, delivery: Delivery | None = None, said: Sequence[str] = ()) -> Outcome:
    begun = delivery.begun if delivery else None
    run = "/".join(begun[:3]) if begun else _name_of(spool)
    return Outcome(
        str(spool.folder),
        run,
        begun.url if begun else "",
        state,
        spool.waiting(),
        spool.size(),
        "; ".join(said),
    )


def _unopened(folder: Path, error: SpoolError) -> Outcome:
    state = "busy" if isinstance(error, Busy) else "unreadable"
    return Outcome(str(folder), folder.name, "", state, {}, 0, str(error))


def _name_of(spool: Spool) -> str:
    header = {**spool.header, **(spool.state.get("begun") or {})}
    return "/".join(str(header[part]) for part in ("entity", "project", "uid") if header.get(part))
