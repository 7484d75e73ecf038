"""How exports are named: ``exports/12``, as in the address of their download."""

from django.db.models import Model, Q

from access.resource_paths import ResourcePath, register_path
from common.formats.numbers import parse_int
from exports.models import Export


def _export(parts: list[str]) -> Q | None:
    match parts:
        case ["exports", number, *_]:
            return Q(pk=parse_int(number) or 0)
    return None


def _path_of(row: Model) -> str:
    return f"exports/{row.pk}"


def register_names() -> None:
    """Tell `access.resource_paths`."""
    register_path(ResourcePath(Export, _export, _path_of, "exports/12", ("team",)))
