"""Public projects, as privacy pages list and close them (TEAM-8)."""

from collections.abc import Iterable

from django.db import transaction
from django.urls import reverse

from access.actor import Actor
from runs.models import Project
from runs.projects.services import change_visibility
from teams.models import Team, Visibility
from teams.teams.participants import PublicProject

_PUBLIC = (Visibility.PUBLIC, Visibility.OPEN)


def public_projects_of(teams: Iterable[Team]) -> list[PublicProject]:
    """Return the public projects of these teams, by name."""
    rows = Project.objects.filter(team__in=teams, visibility__in=_PUBLIC).select_related("team")
    return [
        PublicProject(
            pk=row.pk, team=row.team.name, name=row.name, visibility=str(Visibility(row.visibility).label),
            url=reverse("runs:project_overview", args=[row.team.name, row.name]),
        )
        for row in rows.order_by("team__name", "name")
    ]  # fmt: skip


@transaction.atomic
def close_public_projects(actor: Actor, teams: Iterable[Team], keys: Iterable[int] | None) -> int:
    """Make them visible to their team only; None means all."""
    rows = Project.objects.filter(team__in=teams, visibility__in=_PUBLIC).select_related("team")
    chosen = list(rows if keys is None else rows.filter(pk__in=keys))
    for project in chosen:
        change_visibility(actor=actor, project=project, visibility=Visibility.TEAM)
    return len(chosen)
