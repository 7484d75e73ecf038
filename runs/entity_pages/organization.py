"""The page of an organization: what of it the viewer may see (TEAM-1)."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from access.actor import Actor
from access.engine import can, visible
from accounts.models import Profile
from accounts.profile.services import profile_of
from common.errors import NotFound
from runs.access import ProjectAction
from runs.models import Project
from teams.access import OrganizationAction, TeamAction
from teams.models import Organization, Team, Visibility

_MOST_PROJECTS = 50


@dataclass(frozen=True, slots=True)
class OrganizationPage:
    """Everything that the page shows."""

    organization: Organization
    profile: Profile
    teams: list[Team]
    """Those that the viewer may see, or of which a project is public."""
    projects: list[Project]
    """The public ones, last active first."""
    is_inside: bool
    """Whether the viewer belongs to it."""
    member_count: int | None
    """None for whoever does not belong to it."""
    can_edit: bool


def organization_page(actor: Actor, name: str) -> OrganizationPage:
    """Collect the page of an organization, in a fixed number of queries.

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
    public = Project.objects.live().filter(
        team__organization=organization,
        team__deleted_at__isnull=True,
        team__is_hidden=False,
        visibility__in=[one.value for one in Visibility if one.is_public],
    )
    projects = visible(actor, ProjectAction.VIEW, public)
    teams = Team.objects.live().filter(organization=organization).select_related("claim")
    return OrganizationPage(
        organization=organization,
        profile=profile,
        teams=list(
            (teams.filter(pk__in=own) | teams.filter(pk__in=projects.values("team_id"))).order_by("name")
        ),
        projects=list(projects.select_related("team").order_by("-last_active_at", "pk")[:_MOST_PROJECTS]),
        is_inside=is_inside,
        member_count=organization.members.count() if is_inside else None,
        can_edit=can(actor, OrganizationAction.MANAGE_SETTINGS, organization),
    )
