"""The page of an organization: what of it the viewer may see (TEAM-1)."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from access.actor import Actor
from access.engine import can, visible
from accounts.models import Profile
from accounts.profile.services import profile_of
from common.errors import NotFound
from runs.access import ProjectAction, RunAction
from runs.entity_pages.project_list import ProjectFilter, ProjectList, project_list
from runs.highlights.newest import newest_runs
from runs.highlights.selectors import Highlight, highlights
from runs.models import Project, Run
from runs.states import ACTIVE
from teams.access import OrganizationAction, TeamAction
from teams.models import Organization, Team, Visibility

_RECENT = 8


@dataclass(frozen=True, slots=True)
class OrganizationPage:
    """Everything that the page shows."""

    organization: Organization
    profile: Profile
    teams: list[Team]
    """Those that the viewer may see, or of which a project is public."""
    projects: ProjectList
    """Of those of its teams that the viewer may see, last active first; for others of the public ones."""
    project_count: int
    """All of them."""
    recent_runs: list[Highlight]
    is_inside: bool
    """Whether the viewer belongs to it."""
    member_count: int | None
    running_count: int | None
    """Both None for whoever does not belong to it."""
    can_edit: bool


def organization_page(actor: Actor, name: str, wanted: ProjectFilter) -> OrganizationPage:
    """Collect the page of an organization, with those projects that are wanted, in a fixed number of queries.

    Who does not belong to it sees the page once it tells something: else it would only say whose teams are whose.

    Raises:
        NotFound: there is none, or nothing of it may be seen.
    """
    rows = Organization.objects.select_related("claim")
    organization = rows.filter(name=name, deleted_at__isnull=True).first()
    is_inside = organization is not None and can(actor, OrganizationAction.VIEW, organization)
    profile = profile_of(organization) if organization else Profile()
    if organization is None or not (is_inside or profile.intro):
        raise NotFound(
            _("The entity “%(name)s” doesn’t exist, or you don’t have access to it.") % {"name": name}
        )
    own = visible(actor, TeamAction.VIEW, Team.objects.filter(organization=organization)).values("pk")
    projects = _projects(actor, organization, own)
    teams = Team.objects.live().filter(organization=organization).select_related("claim")
    shown = teams.filter(pk__in=own) | teams.filter(pk__in=projects.values("team_id"))
    runs = visible(actor, RunAction.VIEW, Run.objects.listed().filter(project__in=projects, is_host=False))
    in_order = projects.select_related("team").order_by("-last_active_at", "pk")
    listed = project_list(in_order, wanted)
    return OrganizationPage(
        organization=organization,
        profile=profile,
        teams=list(shown.order_by("name")),
        projects=listed,
        project_count=projects.count() if wanted.text else listed.found,
        recent_runs=highlights(newest_runs(actor, projects, _RECENT)) if is_inside else [],
        is_inside=is_inside,
        member_count=organization.members.count() if is_inside else None,
        running_count=runs.filter(state__in=sorted(ACTIVE)).count() if is_inside else None,
        can_edit=can(actor, OrganizationAction.MANAGE_SETTINGS, organization),
    )


def _projects(actor: Actor, organization: Organization, own: "QuerySet[Team, Any]") -> QuerySet[Project]:
    """Return what the viewer may see of the teams they see, and public projects of teams that are not hidden."""
    public = Q(team__is_hidden=False, visibility__in=[one.value for one in Visibility if one.is_public])
    projects = Project.objects.live().filter(
        Q(team__in=own) | public,
        team__organization=organization,
        team__deleted_at__isnull=True,
        is_registry=False,
    )
    return visible(actor, ProjectAction.VIEW, projects)
