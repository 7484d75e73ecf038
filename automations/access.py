"""Actions on automations; the rows of the matrix in TEAM-21 that concern them."""

from enum import StrEnum

from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from access.actions import ActionSpec, presets, register_actions
from access.resources.registry import Resource, register_resource
from teams.models import Visibility

AUTOMATION = ("automations.Automation",)
TEAM = ("teams.Team",)


class AutomationAction(StrEnum):
    """What is done with automations; they are made in a project, or in a team for all its projects."""

    VIEW = "automation.view"
    CREATE = "automation.create"
    MANAGE = "automation.manage"
    MANAGE_OWN = "automation.manage_own"


def register() -> None:
    """Tell the engine."""
    register_actions(_of_automations(), group=_("Alerts and automations"))
    register_resource(
        Resource(
            "automations.Automation",
            view=AutomationAction.VIEW,
            team="team",
            organization="team__organization",
            project="project",
            owner="created_by_id",
            withheld=Q(project__visibility=Visibility.RESTRICTED),
        )
    )


def _of_automations() -> dict[StrEnum, ActionSpec]:
    return {
        AutomationAction.VIEW: ActionSpec(
            (*TEAM, "runs.Project", *AUTOMATION), presets("V M A O"), label=_("View automations"),
            help=_("View automations of projects and their history."),
        ),
        AutomationAction.CREATE: ActionSpec(
            (*TEAM, "runs.Project"), presets("M A O"), label=_("Create automations"),
            help=_("Create actions that run automatically when runs change or a metric meets a condition."),
        ),
        AutomationAction.MANAGE: ActionSpec(
            AUTOMATION, presets("A O"), own=AutomationAction.MANAGE_OWN, label=_("Manage any automation"),
            help=_("Edit, turn off and delete any automation of the team."),
        ),
        AutomationAction.MANAGE_OWN: ActionSpec(
            AUTOMATION, presets("M"), label=_("Manage own automations"),
            help=_("Edit, turn off and delete own automations."),
        ),
    }  # fmt: skip
