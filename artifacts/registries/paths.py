"""How registries are named where rights are explained: ``registry/organization/name``."""

from django.db.models import Model, Q

from access.resource_paths import ResourcePath, register_path
from artifacts.models import Registry
from runs.names.registries import PREFIX


def _find(parts: list[str]) -> Q | None:
    match parts:
        case ["registry", entity, name, *_]:
            return Q(project__team__name=entity, project__name__in=[name, PREFIX + name])
    return None


def _path_of(row: Model) -> str:
    assert isinstance(row, Registry)  # noqa: S101 - for the type checker
    return f"registry/{row.project.team.name}/{row.name}"


def register_names() -> None:
    """Tell `access.resource_paths`."""
    related = ("project__team__organization",)
    register_path(ResourcePath(Registry, _find, _path_of, "registry/organization/name", related))
