"""Actions on sweeps; their rows of the matrix in TEAM-21. An agent logs runs: it needs `run.log` in the project."""

from enum import StrEnum

from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from access.actions import ActionSpec, presets, register_actions
from access.actor import Actor
from access.engine import can
from access.resources.registry import Resource, register_resource
from runs.access import RunAction
from runs.secrets.masking import mask
from sweeps.models import Sweep
from teams.models import Visibility

PROJECT = "runs.Project"
SWEEP = "sweeps.Sweep"


class SweepAction(StrEnum):
    """What is done to a sweep; it is created in a project."""

    VIEW = "sweep.view"
    CREATE = "sweep.create"
    EDIT = "sweep.edit"
    EDIT_OWN = "sweep.edit_own"
    STOP = "sweep.stop"
    STOP_OWN = "sweep.stop_own"
    DELETE = "sweep.delete"
    DELETE_OWN = "sweep.delete_own"


def register() -> None:
    """Tell the engine."""
    register_actions(_actions(), group=_("Sweeps"))
    register_resource(
        Resource(
            SWEEP,
            view=SweepAction.VIEW,
            team="project__team",
            organization="project__team__organization",
            project="project",
            owner="created_by_id",
            withheld=Q(project__visibility=Visibility.RESTRICTED),
            public=Q(project__visibility__in=(Visibility.PUBLIC, Visibility.OPEN)),
            live=Q(project__deleted_at__isnull=True),
        )
    )


def _actions() -> dict[StrEnum, ActionSpec]:
    seen_by_all, members, admins, member = presets("V M A O"), presets("M A O"), presets("A O"), presets("M")
    one = (SWEEP,)
    return {
        SweepAction.VIEW: ActionSpec(
            (PROJECT, SWEEP), seen_by_all, public=True, label=_("View sweeps"),
            help=_("View sweeps, their configuration, agents and results."),
        ),
        SweepAction.CREATE: ActionSpec(
            (PROJECT,), members, label=_("Create sweeps"), help=_("Create sweeps in projects."),
        ),
        SweepAction.EDIT: ActionSpec(
            one, admins, own=SweepAction.EDIT_OWN, label=_("Edit any sweep"),
            help=_("Change the name and configuration of any sweep of the team, and take runs out of it."),
        ),
        SweepAction.EDIT_OWN: ActionSpec(
            one, member, label=_("Edit own sweeps"),
            help=_("Change the name and configuration of own sweeps, and take runs out of them."),
        ),
        SweepAction.STOP: ActionSpec(
            one, admins, own=SweepAction.STOP_OWN, label=_("Pause and stop any sweep"),
            help=_("Pause, resume, stop and cancel any sweep of the team."),
        ),
        SweepAction.STOP_OWN: ActionSpec(
            one, member, label=_("Pause and stop own sweeps"),
            help=_("Pause, resume, stop and cancel own sweeps."),
        ),
        SweepAction.DELETE: ActionSpec(
            one, admins, own=SweepAction.DELETE_OWN, label=_("Delete any sweep"),
            help=_("Delete and restore any sweep of the team."),
        ),
        SweepAction.DELETE_OWN: ActionSpec(
            one, member, label=_("Delete own sweeps"), help=_("Delete and restore own sweeps."),
        ),
    }  # fmt: skip


def reads_exactly(actor: Actor, sweep: Sweep) -> bool:
    """Say whether the actor reads a sweep as it was written: who may edit it, or run its agents, which need it so."""
    return can(actor, SweepAction.EDIT, sweep) or can(actor, RunAction.LOG, sweep.project)


def shown_config(actor: Actor, sweep: Sweep) -> str:
    """Return the configuration as it was written to `reads_exactly`, to others with secrets masked."""
    shown = mask(sweep.config_text)
    return sweep.config_text if shown == sweep.config_text or reads_exactly(actor, sweep) else shown
