"""What is limited for automations."""

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from access.actor import Actor
from access.engine import can, visible
from access.limits.registry import REFUSED, Limit, LimitGroup, Used, length_limit, register_limits
from automations import services
from automations.access import AutomationAction
from automations.models import Automation
from runs.known_limits import fullest_project
from teams.models import Team


def _of_whole_team(actor: Actor, team: Team | None) -> Used | None:
    if team is None or not can(actor, AutomationAction.VIEW, team):
        return None
    return Used(Automation.objects.filter(team=team, project=None).count())


def _of_projects(actor: Actor, team: Team | None) -> Used | None:
    if team is None:
        return None
    rows = Automation.objects.filter(team=team, project__isnull=False, project__deleted_at=None)
    return fullest_project(visible(actor, AutomationAction.VIEW, rows))


def _most_automations() -> int:
    most: int = settings.AUTOMATIONS_MOST
    return most


def register() -> None:
    """Tell the page of limits."""
    register_limits(
        Limit(
            "projects.automations", LimitGroup.TEAM, _("Automations of a project"), _most_automations, REFUSED,
            setting="RUNYARD_AUTOMATIONS_MOST", measure=_of_projects,
        ),
        Limit(
            "team.automations", LimitGroup.TEAM, _("Team automations for all projects"), _most_automations,
            REFUSED, setting="RUNYARD_AUTOMATIONS_MOST", measure=_of_whole_team,
        ),
        Limit(
            "automations.recipients", LimitGroup.TEAM, _("Recipients of an automation’s emails"),
            lambda: services.MAX_RECIPIENTS, REFUSED,
        ),
        length_limit("automation", _("Name of an automation"), lambda: services.MAX_NAME),
        length_limit("automation_text", _("Text of an automation"), lambda: services.MAX_TEXT),
    )  # fmt: skip
