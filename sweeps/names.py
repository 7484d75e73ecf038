"""What names a sweep: the address of its page, its path where rights are explained, the command of its agents."""

from django.db.models import Model, Q
from django.urls import reverse

from access.resource_paths import ResourcePath, register_path
from sweeps.models import Sweep


def sweep_page(sweep: Sweep) -> str:
    """Return the path of a sweep's page, or of the deleted ones' list; its project and team are loaded."""
    names = [sweep.project.team.name, sweep.project.name]
    if sweep.deleted_at is not None:
        return reverse("sweeps:deleted_sweeps", args=names)
    return reverse("sweeps:sweep", args=[*names, sweep.uid])


def agent_command(sweep: Sweep) -> str:
    """Return what people run on a machine that is to work on the sweep; its project and team are loaded."""
    return f"wandb agent {sweep.project.team.name}/{sweep.project.name}/{sweep.uid}"


def _find(parts: list[str]) -> Q | None:
    match parts:
        case [entity, project, "sweeps", uid, *_]:
            return Q(project__team__name=entity, project__name=project, uid=uid, deleted_at=None)
    return None


def _path_of(row: Model) -> str:
    assert isinstance(row, Sweep)  # noqa: S101 - for the type checker
    return f"{row.project.team.name}/{row.project.name}/sweeps/{row.uid}"


def register_paths() -> None:
    """Tell `access.resource_paths`."""
    related = ("project__team__organization",)
    register_path(ResourcePath(Sweep, _find, _path_of, "team/project/sweeps/id", related))
