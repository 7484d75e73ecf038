"""What agents ask: to be known, and every few seconds what to do. Each answer holds one command at most."""

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from access.actor import Actor
from access.audit.log import record
from access.engine import can, missing, require
from common.errors import Invalid
from common.formats.lenient_json import clean_text
from runs.access import RunAction
from runs.models import Run
from runs.names.display_names import random_uid
from sweeps.access import SweepAction
from sweeps.config.document import SweepConfig
from sweeps.config.reading import config_of
from sweeps.lifecycle.ending import announce, finish_if_over
from sweeps.models import Sweep, SweepAgent, SweepState, Trial
from sweeps.trials.handing_out import end_dropped, hand_out, note_heard, unheard_trial

HEARTBEAT_KEPT = timedelta(seconds=10)
"""How exactly it is kept when an agent was last heard: a thousand of them ask 200 times a second."""
MAX_REPORTED = 1000
CREATE_AGENT = "sweep.create_agent"


@dataclass(frozen=True, slots=True)
class Command:
    """What an agent is to do; ``type`` is run, stop or exit."""

    type: str
    run_uid: str = ""
    program: str = ""
    args: dict[str, Any] | None = None

    def wire(self) -> dict[str, Any]:
        """Return it as the SDK reads it (protocol 2.4)."""
        if self.type == "exit":
            return {"type": "exit", "logs": []}
        if self.type == "stop":
            return {"type": "stop", "run_id": self.run_uid, "logs": []}
        args = {name: {"value": value} for name, value in (self.args or {}).items()}
        return {"type": "run", "run_id": self.run_uid, "program": self.program, "args": args, "logs": []}


@transaction.atomic
def register_agent(*, actor: Actor, sweep: Sweep, host: str) -> SweepAgent:
    """Make an agent known; it may ask for runs from now on."""
    require(actor, SweepAction.VIEW, sweep)
    require(actor, RunAction.LOG, sweep.project)
    agent = SweepAgent.objects.create(
        sweep=sweep, uid=random_uid(), host=clean_text(host)[:256], user_id=actor.user_id
    )
    if Sweep.objects.filter(pk=sweep.pk, state=SweepState.PENDING).update(state=SweepState.RUNNING):
        sweep.state = SweepState.RUNNING
        announce(sweep)
    team = sweep.project.team
    record(actor, CREATE_AGENT, sweep, organization_id=team.organization_id, team_id=team.pk,
           after={"host": agent.host})  # fmt: skip
    return agent


def get_agent(actor: Actor, pk: int) -> SweepAgent:
    """Return an agent that the actor may speak for: whoever logs to the project.

    Raises:
        NotFound: there is none, its sweep was deleted, or the actor does not see it.
        Forbidden: the actor may not log there.
    """
    rows = SweepAgent.objects.select_related("sweep__project__team")
    agent = rows.filter(pk=pk, sweep__deleted_at=None, sweep__project__deleted_at=None).first()
    if agent is None or not can(actor, SweepAction.VIEW, agent.sweep):
        raise missing(SweepAgent)
    require(actor, RunAction.LOG, agent.sweep.project)
    return agent


def read_run_states(text: str) -> set[str]:
    """Return the IDs of the runs that an agent says it works on.

    Raises:
        Invalid: not a JSON object, or too many of them.
    """
    try:
        states = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        raise Invalid(f"runState is not valid JSON: {error}") from None
    if not isinstance(states, dict) or len(states) > MAX_REPORTED:
        raise Invalid(f"runState must be a JSON object of at most {MAX_REPORTED} runs.")
    return {clean_text(uid)[:128] for uid, is_active in states.items() if is_active}


def answer_heartbeat(agent: SweepAgent, working_on: set[str]) -> list[Command]:
    """Take note of what an agent works on, and return what it is to do.

    Asking twice gives the same answer: a run that it was given and does not mention is given again.
    """
    now = timezone.now()
    sweep = agent.sweep
    if agent.exited_at is not None or now - agent.heartbeat_at > HEARTBEAT_KEPT:
        SweepAgent.objects.filter(pk=agent.pk).update(heartbeat_at=now, exited_at=None)
    note_heard(agent, working_on, now)
    end_dropped(agent, working_on, now)
    if working_on:
        return [Command("stop", uid) for uid in _to_be_stopped(sweep, working_on)[:1]]
    if sweep.is_ended:
        return _exit(agent)
    if sweep.state == SweepState.PAUSED:
        return []
    config = config_of(sweep)
    trial = unheard_trial(agent) or hand_out(agent, sweep)
    if trial is not None:
        return [_run(trial, config)]
    return _exit(agent) if finish_if_over(sweep) else _exit_if_ended(agent)


def _to_be_stopped(sweep: Sweep, working_on: set[str]) -> list[str]:
    """Return which of the runs are to be stopped: their sweep was canceled, they fell behind, or somebody asked."""
    trials = Trial.objects.filter(sweep=sweep, run_uid__in=working_on, stop_requested_at__isnull=False)
    runs = Run.objects.filter(project=sweep.project_id, uid__in=working_on, stop_requested_at__isnull=False)
    found = {*trials.values_list("run_uid", flat=True), *runs.values_list("uid", flat=True)}
    return sorted(found)


def _run(trial: Trial, config: SweepConfig) -> Command:
    return Command("run", trial.run_uid, config.program, config.space.in_order(trial.args))


def _exit_if_ended(agent: SweepAgent) -> list[Command]:
    state = Sweep.objects.values_list("state", flat=True).get(pk=agent.sweep_id)
    return _exit(agent) if state in {SweepState.FINISHED, SweepState.CANCELED} else []


def _exit(agent: SweepAgent) -> list[Command]:
    SweepAgent.objects.filter(pk=agent.pk).update(exited_at=timezone.now())
    return [Command("exit")]
