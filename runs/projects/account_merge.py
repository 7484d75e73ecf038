"""What of projects and runs changes hands when two accounts become one (`accounts.lifecycle.account_merge`).

Personal projects move into the personal entity of the account that stays; where it has one of the same name, the moved
one is called after the account that it came from.
"""

from collections.abc import Iterator

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from accounts.lifecycle.participants import MergeLine
from accounts.models import User
from runs.models import (
    Project,
    ProjectAccessRequest,
    ProjectMember,
    Run,
    SavedView,
    StoredChart,
    ViewDraft,
    ViewVersion,
)
from runs.projects.services import MAX_NAME
from storage.services import move_bytes
from teams.account_merge import personal_team
from teams.models import Team

_AT_ONCE = 500
"""Runs in one statement: databases limit its parameters."""


def preview_merge(source: User, target: User) -> Iterator[MergeLine]:
    """Yield what the account that ends has."""
    team, taken = personal_team(source), _taken(target)
    projects = Project.objects.live().filter(team=team)
    renamed = [f"{name} → {_free(name, source, taken)}" for name in _names(projects) if name in taken]
    yield MergeLine(
        "personal projects", projects.count(), "renamed: " + ", ".join(renamed) if renamed else ""
    )
    yield MergeLine("runs", Run.objects.filter(user=source).count())
    yield MergeLine(
        "saved views",
        SavedView.objects.filter(user=source).count(),
        "working states are dropped where both have one",
    )
    yield MergeLine("custom charts", StoredChart.objects.filter(team=team).count())
    yield MergeLine("places in restricted projects", ProjectMember.objects.filter(user=source).count())


def conflicts(source: User, target: User) -> Iterator[str]:
    """Refuse while a process posts to a personal project: its client knows it by its old path."""
    team = personal_team(source)
    active = [
        run
        for run in Run.objects.live().filter(project__team=team).select_related("project")
        if run.is_active
    ]
    for run in active[:5]:
        names = {"run": run, "project": f"{team.name}/{run.project.name}"}
        yield _("The run %(run)s in %(project)s is still running. Wait for it to finish, or stop it.") % names
    if not team.is_personal or team.deleted_at is not None:
        yield _("The personal entity of %(name)s no longer exists.") % {"name": source}


def merge(source: User, target: User) -> None:
    """Hand over projects, runs, views, charts and places."""
    theirs = Q(user=source) | Q(project__team=personal_team(source))
    # all at once, in one order: nothing may enter bytes for a run while these are moved
    list(Run.objects.locked().filter(theirs).values_list("pk", flat=True))
    _move_projects(source, target)
    _move_charts(personal_team(source), personal_team(target), source)
    _move_runs(source, target)
    Run.objects.filter(logged_by=source).update(logged_by=target)
    Project.objects.filter(created_by=source).update(created_by=target)
    StoredChart.objects.filter(created_by=source).update(created_by=target)
    _move_views(source, target)
    ProjectAccessRequest.objects.filter(user=source).delete()
    existing = ProjectMember.objects.filter(user=target).values("project_id")
    ProjectMember.objects.filter(user=source).exclude(project__in=existing).update(user=target)
    ProjectMember.objects.filter(user=source).delete()


def _names(projects: QuerySet[Project]) -> list[str]:
    return list(projects.order_by("name").values_list("name", flat=True))


def _taken(target: User) -> set[str]:
    return set(_names(Project.objects.live().filter(team=personal_team(target))))


def _free(name: str, source: User, taken: set[str]) -> str:
    """Return a name that is not taken, made of the old one and whose it was."""
    tail, number = f"-{source.username}", 1
    while (proposed := name[: MAX_NAME - len(tail)] + tail) in taken:
        number += 1
        tail = f"-{source.username}-{number}"
    return proposed


def _in_parts(runs: QuerySet[Run]) -> Iterator[list[int]]:
    pks = list(runs.order_by("pk").values_list("pk", flat=True))
    for begin in range(0, len(pks), _AT_ONCE):
        yield pks[begin : begin + _AT_ONCE]


def _move_runs(source: User, target: User) -> None:
    """Hand over runs, and what they hold."""
    runs = Run.objects.filter(user=source)
    for some in _in_parts(runs):
        move_bytes(run_ids=some, user_id=target.pk)
    runs.update(user=target)


def _move_projects(source: User, target: User) -> None:
    """Move live projects with their runs and bytes; deleted ones stay and go with the entity that ends."""
    team, taken = personal_team(target), _taken(target)
    for project in Project.objects.live().filter(team=personal_team(source)).order_by("name"):
        if project.name in taken:
            project.name = _free(project.name, source, taken)
        taken.add(project.name)
        project.team = team
        project.save(update_fields=["team", "name", "updated_at"])
        for some in _in_parts(Run.objects.filter(project=project)):
            move_bytes(run_ids=some, team_id=team.pk)


def _move_charts(source: Team, target: Team, user: User) -> None:
    taken = set(StoredChart.objects.filter(team=target).values_list("name", flat=True))
    for chart in StoredChart.objects.filter(team=source):
        if chart.name in taken:
            chart.name = _free(chart.name, user, taken)
        taken.add(chart.name)
        chart.team = target
        chart.save(update_fields=["team", "name", "updated_at"])


def _move_views(source: User, target: User) -> None:
    """Hand over views; a named one whose name is taken is called after whose it was."""
    SavedView.objects.filter(saved_by=source).update(saved_by=target)
    ViewVersion.objects.filter(saved_by=source).update(saved_by=target)
    changed = ViewDraft.objects.filter(user=target).values("view_id")
    ViewDraft.objects.filter(user=source).exclude(view__in=changed).update(user=target)
    ViewDraft.objects.filter(user=source).delete()
    existing = set(SavedView.objects.filter(user=target).values_list("project_id", "name"))
    for view in SavedView.objects.filter(user=source):
        if (view.project_id, view.name) in existing:
            if not view.name:
                view.delete()
                continue
            taken = {name for project, name in existing if project == view.project_id}
            view.name = _free(view.name, source, taken)
        existing.add((view.project_id, view.name))
        view.user = target
        view.save(update_fields=["user", "name", "updated_at"])
