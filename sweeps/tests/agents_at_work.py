"""An agent for tests: asks as the SDK's do, and lets its runs begin and end."""

import json
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from access.actor import SYSTEM
from runs.config.flatten import flat_summary
from runs.lifecycle import services as lifecycle
from runs.lifecycle.fields import RunFields
from runs.models import Project, Pulse, Run
from runs.states import RunState
from sweeps.agents.services import Command, answer_heartbeat, get_agent, register_agent
from sweeps.lifecycle.services import create_sweep
from sweeps.models import Sweep, SweepAgent, Trial
from sweeps.trials.joining import fields_in_sweep

GRID = """
method: grid
program: train.py
metric: {name: loss, goal: minimize}
parameters:
  lr: {values: [0.1, 0.2, 0.3]}
  kind: {values: [adam, sgd]}
"""


def sweep_of(project: Project, text: str = GRID) -> Sweep:
    """Create a sweep of a configuration."""
    return create_sweep(actor=SYSTEM, project=project, config_text=text)[0]


@dataclass
class AgentAtWork:
    """One agent; ``row`` is what the server knows of it."""

    row: SweepAgent

    @classmethod
    def of(cls, sweep: Sweep, host: str = "node-1") -> "AgentAtWork":
        """Register with a sweep."""
        return cls(register_agent(actor=SYSTEM, sweep=sweep, host=host))

    def ask(self, *working_on: str) -> Command | None:
        """Say what it works on; return the command, if there is one."""
        commands = answer_heartbeat(get_agent(SYSTEM, self.row.pk), set(working_on))
        return commands[0] if commands else None

    def told(self, *working_on: str) -> Command:
        """Ask; there is something to do."""
        command = self.ask(*working_on)
        assert command is not None, "nothing to do"
        return command

    def next_run(self) -> str:
        """Ask, and return the ID of the run that it is given."""
        command = self.told()
        assert command.type == "run", command
        return command.run_uid

    def begin(self, uid: str) -> Run:
        """Let a run begin."""
        sweep = self.row.sweep
        fields = fields_in_sweep(sweep.project, uid, sweep.uid, RunFields())
        return lifecycle.log_run(actor=SYSTEM, project=sweep.project, uid=uid, fields=fields)[0]

    def work(self, loss: float | None = None, *, exit_code: int = 0) -> Run:
        """Do the next run from the beginning to its end."""
        uid = self.next_run()
        run = self.begin(uid)
        self.ask(uid)
        return finish(run, loss, exit_code=exit_code)


def finish(run: Run, loss: float | None = None, *, exit_code: int = 0) -> Run:
    """End a run with a last value of the metric."""
    if loss is not None:
        Pulse.objects.filter(run=run).update(summary_flat=flat_summary(json.dumps({"loss": loss})))
    lifecycle.finish_run(run_id=run.pk, exit_code=exit_code, at=timezone.now())
    return Run.objects.get(pk=run.pk)


def crash(run: Run, at: datetime | None = None) -> Run:
    """Let a run fall silent, and be found so."""
    lifecycle.set_state(Run.objects.get(pk=run.pk), RunState.CRASHED, at=at or timezone.now())
    return Run.objects.get(pk=run.pk)


def args_of(sweep: Sweep) -> list[dict[str, object]]:
    """Return the arguments of a sweep's trials in their order."""
    return [trial.args for trial in Trial.objects.filter(sweep=sweep)]
