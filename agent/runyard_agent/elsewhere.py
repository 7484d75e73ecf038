"""The command that sends a refused run to another entity or project."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runyard_agent.server import Refused

_ELSEWHERE = (400, 403, 404, 410)
"""What another entity or project may help against."""


def sync_command(folder: Path, refused: Refused | None = None) -> str:
    """Return the command line that sends a spool; after a refusal at its beginning, with the flags that it takes.

    An entity is named where there is only one to choose.
    """
    flags = _flags(refused.detail) if refused and refused.status in _ELSEWHERE else ""
    return " ".join(filter(None, ["runyard-agent sync", flags, shlex.quote(str(folder))]))


def _flags(detail: Any) -> str:
    """Return the flags for what the server said of an entity or project that it does not show."""
    if not isinstance(detail, Mapping) or "entities" not in detail:
        return "[--entity ENTITY] [--project PROJECT]"
    if detail.get("project"):
        return "--project PROJECT"
    entities = detail["entities"]
    return f"--entity {shlex.quote(entities[0])}" if len(entities) == 1 else "--entity ENTITY"
