"""Where pages of a project are found after it was renamed."""

from typing import Any

from access.actor import Actor
from runs.selectors import get_renamed_project


def to_renamed_project(actor: Actor, parts: dict[str, Any]) -> dict[str, Any] | None:
    """Return the parts of a page's address with the project's present name."""
    if not {"entity", "project"} <= parts.keys():
        return None
    project = get_renamed_project(actor, parts["entity"], parts["project"])
    return None if project is None else {**parts, "project": project.name}
