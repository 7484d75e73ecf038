"""How API keys are named: ``api-keys/ry-abc``, by what they begin with, or by their address in the settings."""

from django.db.models import Model, Q

from access.resource_paths import ResourcePath, register_path
from accounts.models import ApiKey
from common.formats.numbers import parse_int


def _key(parts: list[str]) -> Q | None:
    match parts:
        case ["api-keys", prefix]:
            return Q(prefix=prefix.removeprefix("ry-").rstrip("…"))
        case ["settings", "api-keys", number, *_]:
            return Q(pk=parse_int(number) or 0)
    return None


def _path_of(row: Model) -> str:
    assert isinstance(row, ApiKey)  # noqa: S101 - for the type checker
    return f"api-keys/ry-{row.prefix}"


def register_names() -> None:
    """Tell `access.resource_paths`."""
    register_path(ResourcePath(ApiKey, _key, _path_of, "api-keys/ry-…", ("user",)))
