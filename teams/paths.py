"""How teams and organizations are named: by their one name, also in the addresses of their settings."""

from django.db.models import Model, Q

from access.resource_paths import ResourcePath, register_path
from teams.models import Organization, Team


def _team(parts: list[str]) -> Q | None:
    match parts:
        case [name] | ["teams", name, *_]:
            return Q(name=name)
    return None


def _organization(parts: list[str]) -> Q | None:
    match parts:
        case [name] | ["organizations", name, *_]:
            return Q(name=name)
    return None


def _path_of(row: Model) -> str:
    assert isinstance(row, Team | Organization)  # noqa: S101 - for the type checker
    return row.name


def register_names() -> None:
    """Tell `access.resource_paths`."""
    register_path(ResourcePath(Team, _team, _path_of, "team", ("organization",)))
    register_path(ResourcePath(Organization, _organization, _path_of, "organization"))
