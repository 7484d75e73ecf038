"""Projects: made on first use, opened and closed by admins."""

from functools import partial
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from access.signals import rights_changed
from common.database.kept_queries import KeptQuery
from common.errors import Conflict, Invalid
from common.formats.lenient_json import clean_text
from runs.access import ProjectAction
from runs.models import FormerProjectName, Project
from runs.names.registries import is_registry_name
from runs.projects.members import invite_self
from teams.models import Team, Visibility
from teams.teams.visibility import check_visibility

MAX_NAME, MAX_DESCRIPTION, MAX_TAG, MAX_PROTECTED_TAGS = 128, 1_000_000, 256, 100
_FORBIDDEN = "/\\#?%:"


def check_project_name(name: str) -> str:
    """Return the name if a project may carry it.

    Raises:
        Invalid: empty, too long, a registry's, or with characters that URLs of the SDK cannot carry.
    """
    name = clean_text(name).strip()
    if not name or len(name) > MAX_NAME:
        raise Invalid(
            _("A project name must have 1 to %(most)s characters; this one has %(count)s.")
            % {"most": MAX_NAME, "count": len(name)}
        )
    if any(character in _FORBIDDEN or not character.isprintable() for character in name) or name in {
        ".",
        "..",
    }:
        raise Invalid(
            _("The project name “%(name)s” must not contain any of %(characters)s.")
            % {"name": name, "characters": _FORBIDDEN}
        )
    if is_registry_name(name):
        raise Invalid(
            _("The name “%(name)s” is reserved for a registry. Choose another name for the project.")
            % {"name": name}
        )
    return name


@transaction.atomic
def create_project(
    *, actor: Actor, team: Team, name: str, description: str = "", visibility: str | None = None
) -> Project:
    """Make a project, visible as the team's new projects are unless it is said; it may take a former name of another.

    Raises:
        Conflict: the team has one of this name.
    """
    require(actor, ProjectAction.CREATE, team)
    visibility = visibility or team.default_visibility
    check_visibility(team, visibility)
    try:
        with transaction.atomic():
            project = Project.objects.create(
                team=team,
                name=check_project_name(name),
                description=clean_text(description),
                visibility=visibility,
                created_by_id=actor.user_id,
            )
    except IntegrityError:
        raise Conflict(
            _("%(team)s already has a project named “%(name)s”.") % {"team": team, "name": name}
        ) from None
    take_name(project)
    record(
        actor,
        ProjectAction.CREATE,
        project,
        organization_id=team.organization_id,
        team_id=team.pk,
        after={"visibility": visibility},
    )
    if visibility == Visibility.RESTRICTED:
        invite_self(actor, project)
    return project


_by_name = KeptQuery(
    lambda team_id, name: Project.objects.live().select_related("team").filter(team=team_id, name=name)
)


def ensure_project(*, actor: Actor, team: Team, name: str) -> Project:
    """Return the team's project that has this name, or had it; made on first use where the role allows (RUN-1).

    Whether the actor may do anything in one that is there, the caller asks.
    """
    renamed = Project.objects.live().select_related("team").called_before(team.name, name)
    project = _by_name.first(team.pk, name) or renamed.first()
    if project is not None:
        return project
    try:
        return create_project(actor=actor, team=team, name=name)
    except Conflict:  # two runs of a sweep start at once
        return Project.objects.live().select_related("team").get(team=team, name=name)


def take_name(project: Project) -> None:
    """Let the project's name lead to no other project of its team any more."""
    FormerProjectName.objects.filter(project__team=project.team_id, name=project.name).delete()


@transaction.atomic
def rename_project(*, actor: Actor, project: Project, name: str) -> Project:
    """Give a project another name; whoever goes on using the one before still reaches it.

    Raises:
        Invalid: as `check_project_name`.
        Conflict: the team has one of this name.
    """
    require(actor, ProjectAction.UPDATE, project)
    before, name = project.name, check_project_name(name)
    if name == before:
        return project
    try:
        with transaction.atomic():
            Project.objects.filter(pk=project.pk).update(name=name, updated_at=timezone.now())
    except IntegrityError:
        raise Conflict(
            _("%(team)s already has a project named “%(name)s”.") % {"team": project.team, "name": name}
        ) from None
    project.name = name
    take_name(project)
    FormerProjectName.objects.get_or_create(project=project, name=before)
    record(
        actor, "project.rename", project, organization_id=project.team.organization_id, team_id=project.team_id,
        before={"name": before}, after={"name": project.name},
    )  # fmt: skip
    transaction.on_commit(partial(rights_changed.send, Project))  # rights to log are remembered by names
    return project


@transaction.atomic
def update_project(
    *, actor: Actor, project: Project, description: str | None = None, protected_tags: list[str] | None = None
) -> Project:
    """Change the overview's text, or which tags keep a run from being deleted; None leaves either as it is.

    Raises:
        Invalid: over a limit.
    """
    require(actor, ProjectAction.UPDATE, project)
    before = _overview(project)
    if description is not None:
        if len(description) > MAX_DESCRIPTION:
            raise Invalid(
                _("A description can have at most %(most)s characters; this one has %(count)s.")
                % {"most": MAX_DESCRIPTION, "count": len(description)}
            )
        project.description = clean_text(description)
    if protected_tags is not None:
        if len(protected_tags) > MAX_PROTECTED_TAGS or any(len(tag) > MAX_TAG for tag in protected_tags):
            raise Invalid(
                _("At most %(max_protected_tags)s tags of at most %(max_tag)s characters can protect runs.")
                % {"max_protected_tags": MAX_PROTECTED_TAGS, "max_tag": MAX_TAG}
            )
        project.protected_tags = list(dict.fromkeys(clean_text(tag) for tag in protected_tags))
    project.save(update_fields=["description", "protected_tags", "updated_at"])
    after = _overview(project)
    if after != before:
        record(
            actor, ProjectAction.UPDATE, project, organization_id=project.team.organization_id,
            team_id=project.team_id, before=before, after=after,
        )  # fmt: skip
    return project


def _overview(project: Project) -> dict[str, Any]:
    """Return what the audit log tells of a project's overview."""
    return {"description": project.description[:500], "protected_tags": project.protected_tags}


@transaction.atomic
def change_visibility(*, actor: Actor, project: Project, visibility: str) -> Project:
    """Open or close a project; whoever restricts it stays in it, with their role in the team (TEAM-24)."""
    require(actor, ProjectAction.CHANGE_VISIBILITY, project)
    team = project.team
    check_visibility(team, visibility)
    before, project.visibility = project.visibility, visibility
    project.save(update_fields=["visibility", "updated_at"])
    record(
        actor,
        ProjectAction.CHANGE_VISIBILITY,
        project,
        organization_id=team.organization_id,
        team_id=team.pk,
        before={"visibility": before},
        after={"visibility": visibility},
    )
    if visibility != Visibility.RESTRICTED:
        project.access_requests.all().delete()
    elif before != visibility:
        invite_self(actor, project)
    transaction.on_commit(partial(rights_changed.send, Project))
    return project


@transaction.atomic
def pin_project(*, actor: Actor, project: Project, is_pinned: bool) -> None:
    """Put the project first on its entity's page, in the order of pinning, or let it go (TEAM-10)."""
    require(actor, ProjectAction.PIN, project)
    project.pinned_at = (project.pinned_at or timezone.now()) if is_pinned else None
    project.save(update_fields=["pinned_at", "updated_at"])
    record(
        actor,
        ProjectAction.PIN,
        project,
        organization_id=project.team.organization_id,
        team_id=project.team_id,
        after={"pinned": is_pinned},
    )
