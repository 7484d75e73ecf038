"""How projects, runs and charts are named: ``entity/project``, ``entity/project/runs/uid``, ``charts/entity/name``."""

from django.db.models import Model, Q

from access.resource_paths import ResourcePath, register_path
from runs.models import Project, Run, StoredChart
from runs.names.run_ids import uid_of


def _project(parts: list[str]) -> Q | None:
    return Q(team__name=parts[0], name=parts[1]) if len(parts) == 2 else None


def _run(parts: list[str]) -> Q | None:
    """Read ``entity/project/uid`` as the SDK writes it, and addresses of a run's pages."""
    match parts:
        case [entity, project, "runs", uid, *_] | [entity, project, uid]:
            named = Q(project__team__name=entity, project__name=project, uid=uid_of(uid))
            return named & Q(deleted_at__isnull=True)
    return None


def _chart(parts: list[str]) -> Q | None:
    match parts:
        case ["charts", entity, name] | ["api", "v1", "charts", entity, name]:
            return Q(team__name=entity, name=name)
    return None


def _path_of_project(row: Model) -> str:
    assert isinstance(row, Project)  # noqa: S101 - for the type checker
    return f"{row.team.name}/{row.name}"


def _path_of_run(row: Model) -> str:
    assert isinstance(row, Run)  # noqa: S101 - for the type checker
    return f"{row.project.team.name}/{row.project.name}/runs/{row.uid}"


def _path_of_chart(row: Model) -> str:
    assert isinstance(row, StoredChart)  # noqa: S101 - for the type checker
    return f"charts/{row.team.name}/{row.name}"


def register_names() -> None:
    """Tell `access.resource_paths`."""
    register_path(ResourcePath(Project, _project, _path_of_project, "team/project", ("team__organization",)))
    register_path(
        ResourcePath(Run, _run, _path_of_run, "team/project/runs/id", ("project__team__organization",))
    )
    register_path(
        ResourcePath(StoredChart, _chart, _path_of_chart, "charts/team/name", ("team__organization",))
    )
