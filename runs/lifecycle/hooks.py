"""What apps above do in the transaction of a change of state or of an alert, so that both happen or neither.

Signals come after the commit and may be lost with the process; what must not be lost is written here. A hook is quick,
since posts of other runs wait in the same transaction, and its faults are its own: a run's data is stored in any case.
"""

import logging
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import Error as DatabaseError

from runs.models import Run, RunAlert

logger = logging.getLogger(__name__)

StateHook = Callable[[Run, str, datetime], None]
"""Takes a run whose project and team are loaded, in its new state; the state before, "" if it was made just now; and as
of when it changed: for a crash the last heartbeat."""
AlertHook = Callable[[RunAlert], None]
"""Takes an alert that code sent; its run, project and team are loaded."""
TrainingHook = Callable[[Run], None]
"""Takes a run that turned out to be a training, not one that watches a machine; its project and team are loaded."""
MoveHook = Callable[[Run, datetime], None]
"""Takes a run that is under way in another project now, and since when."""
_move_hooks: list[MoveHook] = []
_state_hooks: list[StateHook] = []
_training_hooks: list[TrainingHook] = []
_alert_hooks: list[AlertHook] = []


def register_state_hook(hook: StateHook) -> None:
    """Add what is done at every change of state; called in ``AppConfig.ready``."""
    if hook not in _state_hooks:
        _state_hooks.append(hook)


def register_alert_hook(hook: AlertHook) -> None:
    """Add what is done at every alert that is not held back; called in ``AppConfig.ready``."""
    if hook not in _alert_hooks:
        _alert_hooks.append(hook)


def register_training_hook(hook: TrainingHook) -> None:
    """Add what is done when a run turns out to be a training; called in ``AppConfig.ready``."""
    if hook not in _training_hooks:
        _training_hooks.append(hook)


def training_found(run: Run) -> None:
    """Call the hooks of a run that turned out to be a training; part of the transaction in which it did."""
    for hook in _training_hooks:
        _guarded(hook, run)


def register_move_hook(hook: MoveHook) -> None:
    """Add what is done when a run that is under way moves; called in ``AppConfig.ready``."""
    if hook not in _move_hooks:
        _move_hooks.append(hook)


def run_moved(run: Run, at: datetime) -> None:
    """Call the hooks of a run that moved while it is under way; part of its transaction."""
    for hook in _move_hooks:
        _guarded(hook, run, at)


def state_changed(run: Run, before: str, at: datetime) -> None:
    """Call the hooks of a change of state; part of its transaction."""
    for hook in _state_hooks:
        _guarded(hook, run, before, at)


def alert_sent(alert: RunAlert) -> None:
    """Call the hooks of an alert; part of its transaction."""
    for hook in _alert_hooks:
        _guarded(hook, alert)


def _guarded(hook: Callable[..., None], *args: Any) -> None:
    """Call a hook; where it fails, the change goes on without it, unless the database is what failed."""
    try:
        hook(*args)
    except DatabaseError:  # the transaction is lost in any case
        raise
    except Exception:
        logger.exception("%s failed for %r; the run's data is stored nevertheless", hook, args[0])
