"""How automations are named: ``teams/team/automations/12`` or ``team/project/automations/12``, as their pages are."""

from django.db.models import Model, Q

from access.resource_paths import ResourcePath, register_path
from automations.models import Automation
from common.formats.numbers import parse_int


def _automation(parts: list[str]) -> Q | None:
    match parts:
        case ["teams", entity, "automations", number, *_]:
            return Q(team__name=entity, pk=parse_int(number) or 0)
        case [entity, project, "automations", number, *_]:
            return Q(team__name=entity, project__name=project, pk=parse_int(number) or 0)
    return None


def _path_of(row: Model) -> str:
    assert isinstance(row, Automation)  # noqa: S101 - for the type checker
    return f"teams/{row.team.name}/automations/{row.pk}"


def register_names() -> None:
    """Tell `access.resource_paths`."""
    related = ("team__organization", "project")
    register_path(ResourcePath(Automation, _automation, _path_of, "teams/team/automations/12", related))
