"""Where a run can be sent that its server does not take where it was to go."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runyard_agent.server import Refused

_ELSEWHERE = (400, 403, 404, 410)
"""What another entity or project may help against."""


def sync_command(folder: Path, refused: Refused | None = None) -> str:
    """Return the command line that sends a spool; after a refusal at its beginning, with the flags that it takes.

    A name stands for itself where there is only one to choose.
    """
    words = ["runyard-agent", "sync"]
    if refused and refused.status in _ELSEWHERE:
        named = refused.detail if isinstance(refused.detail, Mapping) else {}
        entities = named.get("entities") or []
        if not named.get("project"):
            words += ["--entity", shlex.quote(entities[0]) if len(entities) == 1 else "ENTITY"]
        if named.get("project") or "entity" not in named:
            words += ["--project", "PROJECT"]
    return " ".join([*words, shlex.quote(str(folder))])
