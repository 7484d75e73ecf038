"""Sweeps for tests of alerts and automations: created by the service, with runs that end as they are told to."""

from django.db import transaction
from django.utils import timezone

from access.actor import SYSTEM
from accounts.models import User
from runs.lifecycle import services as lifecycle
from runs.models import Project, Pulse, Run
from runs.states import RunState
from sweeps.lifecycle.services import create_sweep
from sweeps.models import Sweep
from tests.factories import RunFactory, actor

CONFIG = """
name: lr-search
method: random
run_cap: 1000
metric: {name: loss, goal: minimize}
parameters: {lr: {min: 0.0, max: 1.0}}
"""


def make_sweep(project: Project, by: User | None = None, *, name: str = "lr-search") -> Sweep:
    """Return a new sweep over learning rates that looks for a small loss."""
    sweep, _ = create_sweep(
        actor=actor(by) if by else SYSTEM, project=project, config_text=CONFIG, display_name=name
    )
    return sweep


def has_run(
    sweep: Sweep, state: RunState = RunState.FINISHED, *, loss: float | None = None, user: User | None = None
) -> Run:
    """Let a run of a sweep begin and end."""
    run = RunFactory(project=sweep.project, sweep=sweep.uid, user=user)
    if loss is not None:
        Pulse.objects.filter(run=run).update(summary_flat={"loss": loss})
    with transaction.atomic():
        row = Run.objects.locked().select_related("project__team").get(pk=run.pk)
        lifecycle.set_state(row, state, at=timezone.now())
    return row
