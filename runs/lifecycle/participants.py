"""How other apps take part in the life of a run: each registers one object, whose methods are called as it goes on.

What a participant does about a change of state, an alert, a move or a rewind happens in the transaction of that, so
that both happen or neither. It is quick, since posts of other runs wait in the same transaction.
"""

import logging
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import Error as DatabaseError
from django.db.models import QuerySet

from access.actor import Actor
from common.errors import Unavailable
from runs.models import Project, Run, RunAlert
from storage.contents.openable import Openable

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TimelineMark:
    """A moment at which something went wrong without a change of state."""

    at: datetime
    label: str
    x: int = 0
    """Where it lies in the timeline's bar, of ``timeline.WIDTH``."""


@dataclass(frozen=True, slots=True)
class CodeFile:
    """A file of the code that a run was made with."""

    source: str
    """The name of its source."""
    path: str
    size_bytes: int
    url: str
    """Where it is downloaded."""
    content: Openable

    @property
    def key(self) -> str:
        """Return what names it among all code of its run."""
        return f"{self.source}/{self.path}"


@dataclass(frozen=True, slots=True)
class CodeSource:
    """Files of code that were saved together."""

    name: str
    url: str
    """The page of the whole, "" where there is none."""
    files: list[CodeFile]


class RunParticipant:
    """One app's part in the life of runs; what it leaves out does nothing."""

    def state_changed(self, run: Run, before: str, at: datetime) -> None:
        """Follow a change of state.

        Args:
            run: In its new state; its project and team are loaded.
            before: The state before, "" if the run was made just now.
            at: As of when it changed: for a crash the last heartbeat.
        """

    def is_stop_requested(self, run: Run) -> bool:
        """Say whether the run's process was told to stop by another way than its SDK: then it did not fail."""
        return False

    def alert_sent(self, alert: RunAlert) -> None:
        """Follow an alert that code sent and that is not held back; its run, project and team are loaded."""

    def training_found(self, run: Run) -> None:
        """Follow a run that turned out to be a training, not one that watches a machine."""

    def moved(self, run: Run, at: datetime) -> None:
        """Follow a run that is under way into the project it is in since ``at``."""

    def relisted(self, run_ids: Collection[int]) -> None:
        """Follow runs that were deleted, restored or moved; they are locked."""

    def rewound(self, run: Run, archive: Run) -> None:
        """Follow a rewind: ``archive`` keeps what ``run`` had. Both are locked; a failure undoes the rewind."""

    def delete_outputs(self, actor: Actor, run_ids: Collection[int]) -> list[str]:
        """Delete what no other runs than these, which are deleted, have made; return what was kept and why."""
        return []

    def guard_projects(self, projects: "QuerySet[Project]") -> None:
        """Raise a Conflict that says why these projects, and all that is in them, cannot be deleted."""

    def count_outputs(self, actor: Actor, run_ids: Collection[int]) -> tuple[int, int]:
        """Return how many things the actor sees that no other runs than these have made, and their bytes."""
        return 0, 0

    def before_purge(self, run_id: int) -> None:
        """Take a last look at a run whose rows are about to go, outside any transaction.

        Only Unavailable keeps the run for another round; any other failure stops nothing.
        """

    def delete_batch(self, run: Run, limit: int) -> int:
        """Delete up to ``limit`` of a purged run's rows; return how many went, 0 when none is left.

        It is part of a transaction that has locked the run, whose project is loaded; the ledger of bytes follows in
        the same. What lies outside the database goes on commit, and a sweep must find what a crash leaves of it.
        """
        return 0

    def stored_bytes(self, category: str, run_ids: Collection[int]) -> dict[int, int]:
        """Return the bytes that runs store of a category, in one query; runs that store none may be left out."""
        return {}

    def timeline_marks(self, run: Run) -> Iterable[TimelineMark]:
        """Return what to mark on a run's timeline."""
        return ()

    def unfinished_outputs(self, run: Run) -> Iterable[str]:
        """Return by name what an ended run began to log and never completed."""
        return ()

    def code_sources(self, actor: Actor, run: Run, limit: int) -> Iterable[CodeSource]:
        """Return the code that the run saved here and that the actor may read, up to ``limit`` files of each source."""
        return ()

    def last_line_at(self, run_id: int) -> float | None:
        """Return the greatest time in a run's lines, seconds since 1970, if they have one."""
        return None

    def first_begin(self, run_id: int) -> float | None:
        """Return when a run began as its first line says, seconds since 1970, if it does."""
        return None

    def last_values(self, run_id: int) -> dict[str, Any]:
        """Return the last value of each key in a run's lines."""
        return {}


_participants: list[RunParticipant] = []


def register_run_participant(participant: RunParticipant) -> None:
    """Add an app's part; called once in its ``AppConfig.ready``."""
    _participants.append(participant)


def state_changed(run: Run, before: str, at: datetime) -> None:
    """Let all follow a change of state."""
    for participant in _participants:
        guarded(participant.state_changed, run, before, at)


def is_stop_requested(run: Run) -> bool:
    """Say whether somebody asked a run to stop, in whatever way."""
    return run.stop_requested_at is not None or any(one.is_stop_requested(run) for one in _participants)


def alert_sent(alert: RunAlert) -> None:
    """Let all follow an alert."""
    for participant in _participants:
        guarded(participant.alert_sent, alert)


def training_found(run: Run) -> None:
    """Let all follow a run that turned out to be a training."""
    for participant in _participants:
        guarded(participant.training_found, run)


def moved(run: Run, at: datetime) -> None:
    """Let all follow a run that moved while it is under way."""
    for participant in _participants:
        guarded(participant.moved, run, at)


def relisted(run_ids: Collection[int]) -> None:
    """Let all follow runs that were deleted, restored or moved."""
    for participant in _participants:
        participant.relisted(run_ids)


def rewound(run: Run, archive: Run) -> None:
    """Let all follow a rewind."""
    for participant in _participants:
        participant.rewound(run, archive)


def delete_outputs(actor: Actor, run_ids: Collection[int]) -> list[str]:
    """Let all delete what only these runs have made; return what was kept and why."""
    return [reason for participant in _participants for reason in participant.delete_outputs(actor, run_ids)]


def guard_projects(projects: "QuerySet[Project]") -> None:
    """Let no projects be deleted that hold what one of the apps protects."""
    for participant in _participants:
        participant.guard_projects(projects)


def count_outputs(actor: Actor, run_ids: Collection[int]) -> tuple[int, int]:
    """Return how many things the actor sees that only these runs have made, and their bytes."""
    counts = [participant.count_outputs(actor, run_ids) for participant in _participants]
    return sum(count for count, _size in counts), sum(size for _count, size in counts)


def before_purge(run_id: int) -> None:
    """Let all take a last look at a run.

    Raises:
        Unavailable: what one of them looks at does not answer; the purge waits for it.
    """
    for participant in _participants:
        try:
            participant.before_purge(run_id)
        except Unavailable:
            raise
        except Exception:
            logger.exception("%s failed for run %s, which is purged nevertheless", participant, run_id)


def delete_batch(run: Run, limit: int) -> int:
    """Delete up to ``limit`` of a run's rows, whoever has them; return how many went."""
    deleted = 0
    for participant in _participants:
        deleted += participant.delete_batch(run, limit - deleted)
        if deleted >= limit:
            break
    return deleted


def stored_bytes(category: str, run_ids: Collection[int]) -> dict[int, int]:
    """Return the bytes that runs store of a category; those that store none may be missing."""
    sizes: dict[int, int] = {}
    for participant in _participants:
        sizes.update(participant.stored_bytes(category, run_ids))
    return sizes


def timeline_marks(run: Run) -> Iterator[TimelineMark]:
    """Yield what all mark on a run's timeline."""
    for participant in _participants:
        yield from participant.timeline_marks(run)


def unfinished_outputs(run: Run) -> list[str]:
    """Return by name what an ended run began to log and never completed, whoever stores it."""
    return [name for participant in _participants for name in participant.unfinished_outputs(run)]


def code_sources(actor: Actor, run: Run, limit: int) -> Iterator[CodeSource]:
    """Yield the code that a run saved with all."""
    for participant in _participants:
        yield from participant.code_sources(actor, run, limit)


def last_lines_at(run_id: int) -> Iterator[float]:
    """Yield the greatest time in a run's lines as each knows it."""
    for participant in _participants:
        at = participant.last_line_at(run_id)
        if at is not None:
            yield at


def first_begins(run_id: int) -> Iterator[float]:
    """Yield when a run began as the first line that each knows says."""
    for participant in _participants:
        at = participant.first_begin(run_id)
        if at is not None:
            yield at


def last_values(run_id: int) -> dict[str, Any]:
    """Return the last value of each key in a run's lines, whoever stores them."""
    found: dict[str, Any] = {}
    for participant in _participants:
        found |= participant.last_values(run_id)
    return found


def guarded(step: Callable[..., None], *args: Any) -> None:
    """Do a step whose faults are its own: the change goes on without it, unless the database is what failed."""
    try:
        step(*args)
    except DatabaseError:  # the transaction is lost in any case
        raise
    except Exception:
        logger.exception("%s failed for %r; the run's data is stored nevertheless", step, args[0])
