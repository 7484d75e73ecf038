"""Reads of projects and runs: they begin with `visible` and make a fixed number of queries."""

from collections import Counter
from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from django.db.models import Count, F, Q, QuerySet, Sum
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actor import Actor
from access.engine import can, can_throughout, require, visible
from accounts.models import User
from common.database.kept_queries import KeptQuery
from common.errors import Invalid, NotFound
from runs.access import ProjectAction, RunAction
from runs.config.flatten import environments_in, sdk_part
from runs.lifecycle.client_clock import was_sent_later
from runs.lifecycle.purge import undo_ended_at
from runs.models import Project, Run, RunFile, is_listed
from runs.models.project import ProjectQuerySet
from runs.projects import run_counts
from runs.projects.grants import invitations_that_count
from runs.states import RunState
from storage.services import stored_bytes
from teams.access import TeamAction
from teams.models import Team, Visibility

_TAGGED = 5000
_AUTHORS = 8


def get_team(actor: Actor, name: str) -> Team:
    """Return an entity the actor may know of: their own, their teams', or one with a visible project.

    Raises:
        NotFound: there is none, or nothing of it may be seen.
    """
    team = Team.objects.live().select_related("organization").filter(name=name).first()
    if team is not None and knows_of(actor, team):
        return team
    raise NotFound(_("The entity “%(name)s” doesn’t exist, or you don’t have access to it.") % {"name": name})


def knows_of(actor: Actor, team: Team) -> bool:
    """Say whether the actor may learn that there is this entity."""
    return can(actor, TeamAction.VIEW, team) or (
        not team.is_hidden and visible(actor, ProjectAction.VIEW, Project.objects.filter(team=team)).exists()
    )


def get_project(actor: Actor, entity: str, name: str, *, registries: bool = False) -> Project:
    """Return a visible project.

    Args:
        actor: Who asks.
        entity: The name of its team.
        name: Its own.
        registries: Whether a registry is one, too.

    Raises:
        NotFound: there is none, or the actor may not see it.
    """
    project = (_named_or_registries if registries else _named).first(entity, name)
    if project is None or not can(actor, ProjectAction.VIEW, project):
        raise NotFound(
            _("The project %(entity)s/%(name)s doesn’t exist, or you don’t have access to it.")
            % {"entity": entity, "name": name}
        )
    return project


_named = KeptQuery(
    lambda entity, name: _live(registries=False).filter(team__name=entity, name=name).order_by("pk")
)
_named_or_registries = KeptQuery(
    lambda entity, name: (
        _live(registries=True)
        .filter(team__name=entity, name=name)
        .select_related("team__organization", "created_by")  # whom the SDK's queries name
        .order_by("pk")
    )
)


def _live(*, registries: bool) -> ProjectQuerySet:
    rows = Project.objects.select_related("team__organization")
    return rows.undeleted() if registries else rows.live()


def get_project_by_any_name(actor: Actor, entity: str, name: str, *, registries: bool = False) -> Project:
    """As `get_project`, also by a name that it had before: programs go on using it; pages redirect."""
    try:
        return get_project(actor, entity, name, registries=registries)
    except NotFound:
        project = get_renamed_project(actor, entity, name, registries=registries)
        if project is None:
            raise
        return project


def get_renamed_project(actor: Actor, entity: str, name: str, *, registries: bool = False) -> Project | None:
    """Return the visible project that had the name before, and no other has now."""
    rows = _live(registries=registries).called_before(entity, name)
    return visible(actor, ProjectAction.VIEW, rows).first()


def get_managed_project(actor: Actor, action: str, entity: str, name: str) -> Project:
    """Return a project that the actor may manage so, also a restricted one that they do not see.

    Raises:
        NotFound: as `get_project`, in the same words.
        Forbidden: they see it, but lack the action.
    """
    rows = Project.objects.live().select_related("team__organization").filter(team__name=entity, name=name)
    project = visible(actor, action, rows).first()
    if project is None:
        project = get_project(actor, entity, name)
        require(actor, action, project)
    return project


def restricted_projects_of(actor: Actor) -> QuerySet[Project]:
    """Return the restricted projects whose members the actor manages, seen or not, with how many are in each.

    ``n_members`` counts who is invited and belongs to the team, ``n_requests`` who asks to be let in.
    """
    rows = (
        Project.objects.live().filter(visibility=Visibility.RESTRICTED).select_related("team__organization")
    )
    return visible(actor, ProjectAction.MANAGE_MEMBERS, rows).annotate(
        n_members=Count("members", filter=Q(members__in=invitations_that_count()), distinct=True),
        n_requests=Count("access_requests", distinct=True),
    )


def project_named_in(actor: Actor, given: Mapping[str, str]) -> Project:
    """Return the visible project that ``entity`` and ``project`` of a query string name.

    Raises:
        Invalid: one of them is missing.
        NotFound: there is none, or the actor may not see it.
    """
    if not given.get("entity") or not given.get("project"):
        raise Invalid("Name a project by `entity` and `project`.")
    return get_project_by_any_name(actor, given["entity"], given["project"])


def runs_of(actor: Actor, project: Project) -> QuerySet[Run]:
    """Return a project's visible runs, with what a list shows; those among them that no list shows, too."""
    runs = Run.objects.live().filter(project=project).select_related("user", "logged_by", "pulse")
    # who may see the runs of a project may see each: a short condition is found faster than what a role reaches
    return (
        runs if can_throughout(actor, RunAction.VIEW, Run, project) else visible(actor, RunAction.VIEW, runs)
    )


def listed_runs_of(actor: Actor, project: Project) -> QuerySet[Run]:
    """Return those of a project's visible runs that lists show, last arrived first."""
    return runs_of(actor, project).filter(is_listed())


def deleted_runs_of(actor: Actor, project: Project) -> QuerySet[Run]:
    """Return the deleted runs that still hold something and that the actor could restore, last deleted first."""
    runs = Run.objects.filter(project=project, deleted_at__isnull=False, purged_at__isnull=True)
    return visible(actor, RunAction.DELETE, runs.select_related("user")).order_by("-deleted_at", "-pk")


def totals_of(project: Project) -> dict[str, Any]:
    """Return how many runs a project has in each state, their hours and bytes; the caller may see the project."""
    totals = run_counts.totals_of(project.pk)
    most = dict(totals.by_user.most_common(_AUTHORS))
    users = User.objects.select_related("claim").in_bulk(most)
    return {
        "run_count": totals.by_state.total(),
        "states": [(state, totals.by_state[state]) for state in RunState if totals.by_state[state]],
        "seconds": totals.seconds,
        "bytes": stored_bytes(project_id=project.pk),
        "authors": sorted(
            ((users[pk], number) for pk, number in most.items() if pk in users),
            key=lambda one: (-one[1], one[0].username),
        ),
    }


def _by_alias(actor: Actor, entity: str, project: str, uid: str) -> Run | None:
    """Return a visible run by the path that the agent began it with."""
    runs = Run.objects.live().filter(
        alias__project__team__name=entity, alias__project__name=project, alias__uid=uid
    )
    related = runs.select_related("project__team__organization", "user", "logged_by", "pulse")
    return visible(actor, RunAction.VIEW, related).first()


_runs_named = KeptQuery(
    lambda entity, project, uid: (
        Run.objects.live()
        .filter(project__team__name=entity, project__name=project, uid=uid)
        .select_related(
            "project__team__organization", "user__claim", "logged_by", "pulse", "forked_from__project__team"
        )
        .order_by("pk")
    )
)


def get_run(actor: Actor, entity: str, project: str, uid: str) -> Run:
    """Return a visible run with project, team, user and pulse.

    Raises:
        NotFound: there is none, or the actor may not see it.
    """
    run = next(
        (run for run in _runs_named.all(entity, project, uid) if can(actor, RunAction.VIEW, run)), None
    )
    run = run or _by_alias(actor, entity, project, uid)
    if run is None:
        raise NotFound(
            _("The run %(entity)s/%(project)s/%(uid)s doesn’t exist, or you don’t have access to it.")
            % {"entity": entity, "project": project, "uid": uid}
        )
    return run


def get_run_by_any_name(actor: Actor, entity: str, project: str, uid: str) -> Run:
    """As `get_run`, also by a name that its project had before."""
    try:
        return get_run(actor, entity, project, uid)
    except NotFound:
        row = get_renamed_project(actor, entity, project)
        if row is not None:
            with suppress(NotFound):  # in the words of what was asked for
                return get_run(actor, entity, row.name, uid)
        raise


def projects_of(actor: Actor, team: Team) -> QuerySet[Project]:
    """Return an entity's visible projects, last active first."""
    projects = Project.objects.live().filter(team=team).select_related("team")
    return visible(actor, ProjectAction.VIEW, projects).order_by("-last_active_at", "pk")


def deleted_projects_of(actor: Actor, team: Team) -> QuerySet[Project]:
    """Return an entity's deleted projects that the actor can restore, last deleted first, with ``run_count``."""
    gone = Project.objects.filter(team=team, is_registry=False, deleted_at__gt=undo_ended_at(timezone.now()))
    together = Count("runs", filter=Q(runs__deleted_at=F("deleted_at")))
    rows = visible(actor, ProjectAction.DELETE, gone).select_related("team")
    return rows.annotate(run_count=together).order_by("-deleted_at")


def recent_projects(actor: Actor, limit: int = 8) -> QuerySet[Project]:
    """Return the projects of the actor's own teams, last active first."""
    mine = Project.objects.live().filter(team__memberships__user_id=actor.lookup_id).select_related("team")
    return visible(actor, ProjectAction.VIEW, mine).order_by("-last_active_at", "pk")[:limit]


def own_runs(actor: Actor) -> QuerySet[Run]:
    """Return the runs the actor authored, newest first."""
    runs = (
        Run.objects.listed().filter(user_id=actor.lookup_id).select_related("project__team", "pulse", "user")
    )
    return visible(actor, RunAction.VIEW, runs).order_by("-created_at", "-pk")


def runs_logged_by(actor: Actor, username: str) -> QuerySet[Run]:
    """Return the runs that keys of a user or service account logged, for themselves or for others, newest first."""
    runs = Run.objects.listed().filter(logged_by__username=username)
    related = runs.select_related("project__team", "pulse", "user")
    return visible(actor, RunAction.VIEW, related).order_by("-created_at", "-pk")


def changeable(run_ids: Collection[int], actor: Actor) -> set[int]:
    """Return which of the runs the actor may change."""
    runs = visible(actor, RunAction.UPDATE, Run.objects.filter(pk__in=run_ids))
    return set(runs.values_list("pk", flat=True))


def lifetime_began_at(run_id: int) -> datetime | None:
    """Return when the lifetime under way began, UTC."""
    return Run.objects.values_list("active_since", flat=True).get(pk=run_id)


def was_synced(run_id: int) -> bool:
    """Whether `wandb sync` sends the run, or has sent it last."""
    return was_sent_later(sdk_part(Run.objects.values_list("config_text", flat=True).get(pk=run_id)))


def files_of(run: Run) -> QuerySet[RunFile]:
    """Return a run's files by name; the caller has the run from a visible query."""
    return RunFile.objects.filter(run=run).select_related("blob")


def file_bytes(run: Run) -> int:
    """Return the bytes of a run's files."""
    return RunFile.objects.filter(run=run).aggregate(total=Sum("size_bytes"))["total"] or 0


def environments_of(run: Run) -> list[dict[str, Any]]:
    """Return where the run ran, one entry for each process that wrote to it, as its SDK or agent said."""
    sdk = sdk_part(run.config_text)
    environments = environments_in(sdk) or [dict(host.told) for host in run.hosts.all() if host.told] or [{}]
    for one in environments:
        one.setdefault("cli_version", sdk.get("cli_version"))
        one.setdefault("python", sdk.get("python_version"))
    return environments


def project_tags(actor: Actor, project: Project) -> list[str]:
    """Return the tags of a project's newest visible runs, those of most runs first."""
    some = listed_runs_of(actor, project).exclude(tags=[]).values_list("tags", flat=True)[:_TAGGED]
    return [tag for tag, _ in Counter(tag for tags in some for tag in tags).most_common(500)]
