"""Deleting projects, and undoing that while it can be (TEAM-21). Their runs go and come back with them.

The row of a project stays as a tombstone below the tombstones of its runs, of which past hours are counted (BIL-4);
its name is free at once.
"""

from datetime import datetime
from functools import partial

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from access.signals import rights_changed
from common.errors import Conflict, Gone
from runs.access import ProjectAction
from runs.lifecycle.participants import guard_projects
from runs.lifecycle.purge import undo_ended_at
from runs.models import FormerProjectName, Project, ProjectMember, Run, SavedView
from runs.projects.services import take_name
from teams.models import Team


def protected_count(projects: QuerySet[Project]) -> int:
    """Return how many of the projects' runs are protected from deletion."""
    runs = Run.objects.live().filter(project__in=projects)
    marked = runs.filter(is_protected=True).count()
    for pk, tags in projects.exclude(protected_tags=[]).values_list("pk", "protected_tags"):
        unmarked = runs.filter(project_id=pk, is_protected=False).exclude(tags=[])
        marked += sum(
            not set(tags).isdisjoint(own) for own in unmarked.values_list("tags", flat=True).iterator()
        )
    return marked


def refuse_protected(projects: QuerySet[Project]) -> None:
    """Let nothing be deleted that holds protected runs, or what else is protected.

    Raises:
        Conflict: names how many.
    """
    guard_projects(projects)
    if count := protected_count(projects):
        raise Conflict(
            ngettext(
                "%(count)d run is protected from deletion. Unprotect it or remove the protecting tag first.",
                "%(count)d runs are protected from deletion. Unprotect them or remove the protecting "
                "tags first.",
                count,
            )
            % {"count": count}
        )


def hide(projects: QuerySet[Project], at: datetime) -> None:
    """Delete projects and their runs, all with one time: restoring brings back what went together."""
    pks = list(projects.filter(deleted_at__isnull=True).values_list("pk", flat=True))
    Run.objects.live().filter(project__in=pks).update(deleted_at=at, updated_at=at)
    Project.objects.filter(pk__in=pks).update(deleted_at=at, updated_at=at)


def show(projects: QuerySet[Project], at: datetime) -> None:
    """Bring back the projects that were deleted at a time, and the runs that went with them.

    Raises:
        Conflict: a new project has taken the name.
    """
    rows = list(projects.filter(deleted_at=at))
    now = timezone.now()
    try:
        with transaction.atomic():
            Project.objects.filter(pk__in=[row.pk for row in rows]).update(deleted_at=None, updated_at=now)
    except IntegrityError:
        raise Conflict(
            _("A new project with the same name exists, so this one cannot be restored.")
        ) from None
    for row in rows:
        take_name(row)
    Run.objects.filter(project__in=rows, deleted_at=at, purge_began_at__isnull=True).update(
        deleted_at=None, updated_at=now
    )


@transaction.atomic
def delete_project(*, actor: Actor, project: Project) -> Project:
    """Hide a project and its runs; they can be restored until the purge takes them.

    Raises:
        Conflict: it holds protected runs, or other things that are protected.
    """
    require(actor, ProjectAction.DELETE, project)
    row = Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    if row.deleted_at is not None:
        return row
    one = Project.objects.filter(pk=row.pk)
    refuse_protected(one)
    hide(one, timezone.now())
    return _record_change(actor, row, ProjectAction.DELETE)


@transaction.atomic
def restore_project(*, actor: Actor, project: Project) -> Project:
    """Undo the deletion of a project.

    Raises:
        Gone: too late.
        Conflict: a new project has its name, or its team is deleted.
    """
    require(actor, ProjectAction.DELETE, project)
    row = Project.objects.select_for_update(no_key=True).select_related("team").get(pk=project.pk)
    if row.deleted_at is None:
        return row
    if row.team.deleted_at is not None:
        raise Conflict(_("The team %(team)s is deleted; restore the team first.") % {"team": row.team})
    if row.deleted_at <= undo_ended_at(timezone.now()):
        raise Gone(_("%(project)s can no longer be restored.") % {"project": row})
    show(Project.objects.filter(pk=row.pk), row.deleted_at)
    return _record_change(actor, row, "project.restore")


def _record_change(actor: Actor, row: Project, action: str) -> Project:
    record(actor, action, row, organization_id=row.team.organization_id, team_id=row.team_id)
    transaction.on_commit(partial(rights_changed.send, Project))
    row.refresh_from_db()
    return row


def forget_projects() -> int:
    """Take from projects that nobody can restore what a tombstone does not need; returns from how many.

    What their runs hold is the matter of `purge`.
    """
    over = Project.objects.filter(deleted_at__lte=undo_ended_at(timezone.now()))
    SavedView.objects.filter(project__in=over).delete()
    ProjectMember.objects.filter(project__in=over).delete()
    FormerProjectName.objects.filter(project__in=over).delete()
    texts = {"description": "", "protected_tags": []}
    return over.exclude(**texts).update(**texts)


# What becomes of a team's projects with it (teams.teams.deletion)


def guard_team(team: Team) -> None:
    """Refuse the deletion of a team in which something is protected."""
    refuse_protected(Project.objects.live().filter(team=team))


def hide_of_team(team: Team, at: datetime) -> None:
    """Delete the projects of a team."""
    hide(Project.objects.filter(team=team), at)


def show_of_team(team: Team, at: datetime) -> None:
    """Restore the projects that were deleted with a team."""
    show(Project.objects.filter(team=team), at)


def purge_of_team(team: Team) -> None:
    """Let the worker's next round purge all that a deleted team's projects hold, without waiting for an undo."""
    now = timezone.now()
    runs = Run.objects.filter(project__team=team, deleted_at__isnull=False, purge_began_at__isnull=True)
    runs.update(purge_began_at=now)
