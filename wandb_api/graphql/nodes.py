"""Rows as the plain fields of GraphQL objects. What costs a query of its own has a resolver instead."""

from typing import Any

from accounts.models import User
from runs.models import Project, Run, RunFile
from teams.models import SHARED_KINDS, Organization, Team, TeamKind, Visibility
from wandb_api.graphql.batch_loading import Siblings
from wandb_api.graphql.global_ids import to_id


def user_node(user: User | None) -> dict[str, Any] | None:
    """Return the fields of a user that anybody who sees their run may know."""
    if user is None:
        return None
    name = user.display_name or user.username
    return {"id": to_id("User", user.pk), "name": name, "username": user.username}


def access_of(project: Project) -> str:
    """Return what the SDK calls a project's visibility; of registries, and only of them, it knows restricted ones."""
    if project.is_registry and project.visibility == Visibility.RESTRICTED:
        return "RESTRICTED"
    return _access(project.visibility)


def _access(visibility: str) -> str:
    """Return the same of a visibility that is no registry's."""
    return {Visibility.PUBLIC: "ENTITY_READ", Visibility.OPEN: "USER_WRITE"}.get(
        Visibility(visibility), "PRIVATE"
    )


def entity_node(team: Team) -> dict[str, Any]:
    """Return a team, or what an organization's registries are in, as the SDK's entity."""
    shared = "organization" if team.kind == TeamKind.ORGANIZATION else "team"
    return {
        "row": team,
        "id": to_id("Entity", team.pk),
        "name": team.name,
        "isTeam": team.kind in SHARED_KINDS,
        "entityType": "user" if team.is_personal else shared,
        "available": False,
        "readOnly": False,
        "readOnlyAdmin": False,
        "privateOnly": not team.public_projects_allowed,
        "codeSavingEnabled": team.code_saving_default and team.code_saving_allowed,
        "defaultAccess": _access(team.default_visibility),
        "isPaid": True,
        "limits": "{}",
    }


def organization_node(organization: Organization) -> dict[str, Any]:
    """Return an organization."""
    return {
        "row": organization,
        "id": to_id("Organization", organization.pk),
        "name": organization.name,
        "advancedRegistryFeatures": {"advancedSearch": False},
    }


def project_node(project: Project, siblings: Siblings | None = None) -> dict[str, Any]:
    """Return a project; its automations are loaded with those of all siblings."""
    siblings = siblings or Siblings()
    siblings.add(project.pk)
    return {
        "row": project,
        "siblings": siblings,
        "id": to_id("Project", project.pk),
        "internalId": to_id("ProjectInternalId", project.pk),
        "name": project.name,
        "entityName": project.team.name,
        "entity": entity_node(project.team),
        "description": project.description or None,
        "access": access_of(project),
        "createdAt": project.created_at,
        "updatedAt": project.updated_at,
        "isBenchmark": False,
        "user": user_node(project.created_by),
    }


def run_node(run: Run, siblings: Siblings | None = None) -> dict[str, Any]:
    """Return a run's plain fields; what costs a query of its own has a resolver, which asks for all siblings."""
    siblings = siblings or Siblings()
    siblings.add(run.pk)
    return {
        "row": run,
        "siblings": siblings,
        "id": to_id("Run", run.pk),
        "projectId": run.project_id,
        "name": run.uid,
        "displayName": run.display_name,
        "sweepName": run.sweep or None,
        "state": run.state,
        "group": run.group or None,
        "jobType": run.job_type or None,
        "commit": run.git_commit or None,
        "host": run.host or None,
        "createdAt": run.created_at,
        "updatedAt": run.updated_at,
        "heartbeatAt": run.pulse.heartbeat_at,
        "tags": run.tags,
        "exitcode": run.exit_code,
        "stopped": run.stop_requested_at is not None and run.is_active,
        "user": user_node(run.user),
        "logLineCount": run.pulse.log_lines,
    }


def file_node(file: RunFile, *, is_masked: bool) -> dict[str, Any]:
    """Return a file's plain fields; ``is_masked``: its reader gets texts with secrets masked."""
    return {
        "row": file,
        "is_masked": is_masked,
        "id": to_id("RunFile", file.pk),
        "name": file.name,
        "sizeBytes": file.size_bytes,
        "size": file.size_bytes,
        "mimetype": file.content_type,
        "updatedAt": file.updated_at,
        "md5": file.blob.md5,
    }


def missing_file_node(run: Run, name: str) -> dict[str, Any]:
    """Return what stands for a file that was asked for by name and is not there, as W&B's server says it."""
    return {
        "row": None,
        "run": run,
        "id": to_id("RunFile", 0),
        "name": name,
        "sizeBytes": 0,
        "size": 0,
        "mimetype": "",
        "updatedAt": None,
        "md5": "0",
    }
