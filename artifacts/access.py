"""Actions on artifacts; their rows of the matrix in TEAM-21."""

from enum import StrEnum
from typing import Any

from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from access.actions import ActionSpec, presets, register_actions
from access.actor import Actor
from access.engine import can, require, visible
from access.resources.registry import Resource, register_resource
from artifacts.models import Collection, Version
from runs.secrets.documents import masked_json
from teams.models import Visibility

PROJECT = "runs.Project"
COLLECTION = "artifacts.Collection"
VERSION = "artifacts.Version"
REGISTRY = "artifacts.Registry"


class ArtifactAction(StrEnum):
    """What is done to the artifacts of a project."""

    VIEW = "artifact.view"
    DOWNLOAD = "artifact.download"
    CREATE = "artifact.create"
    UPDATE = "artifact.update"
    DELETE = "artifact.delete"
    SET_ALIAS = "artifact.set_alias"
    DELETE_ALIAS = "artifact.delete_alias"
    SET_RETENTION = "artifact.set_retention"


class RegistryAction(StrEnum):
    """What is done to a registry itself; in it, collections and versions are artifacts like others."""

    VIEW = "registry.view"
    CREATE = "registry.create"
    UPDATE = "registry.update"
    MANAGE_MEMBERS = "registry.manage_members"
    PROTECT_ALIASES = "registry.protect_aliases"
    DELETE = "registry.delete"


def register() -> None:
    """Tell the engine."""
    register_actions(_actions(), group=_("Artifacts"))
    register_actions(_of_registries(), group=_("Registries"))
    for model, to_project in ((COLLECTION, "project"), (VERSION, "collection__project")):
        register_resource(_resource(model, to_project))
    register_resource(
        Resource(
            REGISTRY,
            view=RegistryAction.VIEW,
            team="project__team",
            organization="project__team__organization",
            project="project",
            withheld=Q(project__visibility=Visibility.RESTRICTED),
            live=Q(project__deleted_at__isnull=True),
            reach_deleted=frozenset({RegistryAction.DELETE}),
        )
    )


def _actions() -> dict[StrEnum, ActionSpec]:
    seen_by_all, members, admins = presets("V M A O"), presets("M A O"), presets("A O")
    things = (COLLECTION, VERSION)
    return {
        ArtifactAction.VIEW: ActionSpec(
            (PROJECT, *things), seen_by_all, public=True, label=_("View artifacts"),
            help=_("View artifacts, their versions, metadata and lineage, but not the content of their files."),
        ),
        ArtifactAction.DOWNLOAD: ActionSpec(
            (PROJECT, *things), members, label=_("Download artifacts"),
            help=_("Download, preview and compare the files of artifacts."),
        ),
        ArtifactAction.CREATE: ActionSpec(
            (PROJECT, *things), members, open=True, label=_("Create artifacts"),
            help=_("Log artifacts, link them to collections, and create collections."),
        ),
        ArtifactAction.UPDATE: ActionSpec(
            things, members, label=_("Edit artifacts"),
            help=_("Edit the descriptions, metadata and tags of artifacts, rename collections, and protect them."),
        ),
        ArtifactAction.DELETE: ActionSpec(
            things, members, label=_("Delete artifacts"),
            help=_("Delete and restore versions and collections, and unlink versions."),
        ),
        ArtifactAction.SET_ALIAS: ActionSpec(
            things, members, label=_("Set aliases"), help=_("Add aliases to versions and move them."),
        ),
        ArtifactAction.DELETE_ALIAS: ActionSpec(
            things, members, label=_("Delete aliases"), help=_("Remove aliases from versions."),
        ),
        ArtifactAction.SET_RETENTION: ActionSpec(
            ("teams.Team",), admins, label=_("Set artifact retention"),
            help=_("Set the team’s default artifact retention."),
        ),
    }  # fmt: skip


def _of_registries() -> dict[StrEnum, ActionSpec]:
    admins = presets("A O")
    return {
        RegistryAction.VIEW: ActionSpec(
            (REGISTRY,), presets("V M A O"), label=_("View registries"),
            help=_("View registries, their collections and their members."),
        ),
        RegistryAction.CREATE: ActionSpec(
            ("teams.Organization",), presets("O"), label=_("Create registries"),
            help=_("Create registries of the organization."),
        ),
        RegistryAction.UPDATE: ActionSpec(
            (REGISTRY,), admins, label=_("Edit registries"),
            help=_("Change a registry’s name, description, visibility and artifact types."),
        ),
        RegistryAction.MANAGE_MEMBERS: ActionSpec(
            (REGISTRY,), admins, label=_("Manage registry members"),
            help=_("Add and remove registry members, including registry admins."),
        ),
        RegistryAction.PROTECT_ALIASES: ActionSpec(
            (REGISTRY,), label=_("Set protected aliases"),
            help=_("Choose which aliases of a registry are protected, and add or remove them."),
        ),
        RegistryAction.DELETE: ActionSpec(
            (REGISTRY,), admins, label=_("Delete registries"),
            help=_("Delete registries with all their links; the versions themselves stay."),
        ),
    }  # fmt: skip


def _resource(model: str, to_project: str) -> Resource:
    def in_project(**condition: Any) -> Q:
        return Q(**{f"{to_project}__{name}": value for name, value in condition.items()})

    return Resource(
        model,
        view=ArtifactAction.VIEW,
        team=f"{to_project}__team",
        organization=f"{to_project}__team__organization",
        project=to_project,
        owner="created_by_id",
        withheld=in_project(visibility=Visibility.RESTRICTED),
        public=in_project(visibility__in=(Visibility.PUBLIC, Visibility.OPEN)),
        live=in_project(deleted_at__isnull=True),
        open=lambda user_id: in_project(visibility=Visibility.OPEN) & Q(created_by_id=user_id),
    )


def require_for(actor: Actor, action: ArtifactAction, version: Version) -> None:
    """Let pass whoever may do the action on a version where it was logged, or in a collection it is linked into.

    Raises:
        NotFound: the actor may see it nowhere.
        Forbidden: the actor sees it but lacks the action.
    """
    if can(actor, action, version):
        return
    linked = Collection.objects.live().filter(kind="portfolio", memberships__version=version)
    if visible(actor, action, linked).exists():
        return
    seen = visible(actor, ArtifactAction.VIEW, linked).first()
    require(actor, action, seen or version)


def shown_metadata(actor: Actor, version: Version) -> str:
    """Return the metadata of a version: as it was logged to who may edit it, or logged it; else with secrets masked."""
    text = version.metadata_text
    masked = masked_json(text)
    if masked == text or can(actor, ArtifactAction.UPDATE, version):
        return text
    logged = actor.user_id is not None and actor.user_id == version.created_by_id
    return text if logged and can(actor, ArtifactAction.CREATE, version.project) else masked
