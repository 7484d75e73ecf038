"""The states of a run and what moves it from one to the next (RUN-2)."""

from django.db import models
from django.utils.translation import gettext_lazy as _

INTERRUPTED = frozenset({130, 143, 255})
"""Exit codes of an interrupt: SIGINT and SIGTERM of wrapped commands, and what the SDK reports for Ctrl-C."""


class RunState(models.TextChoices):
    """What a run is doing; the values are the SDK's words."""

    PENDING = "pending", _("Pending")
    RUNNING = "running", _("Running")
    PREEMPTING = "preempting", _("Preempting")
    PREEMPTED = "preempted", _("Preempted")
    FINISHED = "finished", _("Finished")
    FAILED = "failed", _("Failed")
    CRASHED = "crashed", _("Crashed")
    KILLED = "killed", _("Killed")


ACTIVE = frozenset({RunState.RUNNING, RunState.PREEMPTING})
"""States in which heartbeats are expected and time is counted."""
PREEMPTION = frozenset({RunState.PREEMPTING, RunState.PREEMPTED})
"""States of a run that said that its machine is about to be taken away."""


def state_after_exit(before: str, exit_code: int, *, stop_requested: bool) -> RunState:
    """Return how a run ended that reported its exit code; ``before``: the state it was in.

    One that said that its machine is taken away, and then did not end well, is to be queued again: whatever signal its
    code tells, unless a person stopped it.
    """
    if stop_requested:
        return RunState.KILLED
    if exit_code and before in PREEMPTION:
        return RunState.PREEMPTED
    if exit_code in INTERRUPTED:
        return RunState.KILLED
    return RunState.FINISHED if exit_code == 0 else RunState.FAILED


def state_after_silence(state: str, *, stop_requested: bool) -> RunState:
    """Return what a run is whose heartbeats stopped."""
    if state == RunState.PREEMPTING and not stop_requested:
        return RunState.PREEMPTED
    return RunState.KILLED if stop_requested else RunState.CRASHED
