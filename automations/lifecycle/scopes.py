"""Where an automation is: of one collection, of a project, or of all projects of a team; and moving it."""

from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import gettext as _

from access.actor import Actor
from access.engine import require
from artifacts.models import Collection
from automations.access import AutomationAction
from automations.firing.reach import is_of_organization
from automations.models import Automation
from common.errors import Conflict, Invalid
from runs.models import Project
from teams.models import Team


@dataclass(frozen=True, slots=True)
class Scope:
    """What an automation is about: a collection, a project, or all projects of a team."""

    team: Team
    project: Project | None = None
    collection: Collection | None = None


def move_to(actor: Actor, automation: Automation, place: Scope) -> None:
    """Set another place, which the caller saves after the checks of what is allowed there.

    Raises:
        Forbidden: the actor may not create automations there.
        Conflict: there are as many as there may be.
        Invalid: of another team, unless one of both is the organization's own, which has its registries.
    """
    here, there = automation.team, place.team
    is_near = here.organization_id is not None and here.organization_id == there.organization_id
    if here.pk != there.pk and not (is_near and (is_of_organization(here) or is_of_organization(there))):
        raise Invalid(
            "An automation can move within its team, and to or from registries of its organization."
        )
    require(actor, AutomationAction.CREATE, place.project or there)
    if (here.pk, automation.project_id) != (there.pk, place.project and place.project.pk):
        check_count(there, place.project)
    automation.team, automation.project, automation.collection = there, place.project, place.collection


def check_place(automation: Automation) -> None:
    """Refuse a project of another team, and a collection of another project."""
    team, project, collection = automation.team, automation.project, automation.collection
    if project is not None and project.team_id != team.pk:
        raise Invalid(
            _("The project %(project)s does not belong to %(team)s.") % {"project": project, "team": team}
        )
    if collection is not None and collection.project_id != automation.project_id:
        raise Invalid(
            _("The collection %(collection)s does not belong to %(where)s.")
            % {"collection": collection, "where": project or team}
        )


def check_count(team: Team, project: Project | None) -> None:
    """Refuse one more where there are as many automations as there may be."""
    limit = settings.AUTOMATIONS_MOST
    if Automation.objects.filter(team=team, project=project).count() >= limit:
        raise Conflict(
            _("%(where)s has reached the limit of %(limit)s automations (setting RUNYARD_AUTOMATIONS_MOST).")
            % {"where": project or team, "limit": limit}
        )
