"""What sweeps are called: runs know only their IDs, the app above them that has the sweeps registers who knows more."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from access.actor import Actor
from runs.models import Project


@dataclass(frozen=True, slots=True)
class SweepName:
    """What people call a sweep, and the path of its page."""

    name: str
    url: str


Provider = Callable[[Actor, Project, Collection[str]], Mapping[str, SweepName]]
"""Takes who looks, the project and IDs; returns those of its sweeps that there are and that may be seen, by ID."""

_providers: list[Provider] = []


def register_sweep_names(provider: Provider) -> None:
    """Set who knows the names; called once in an ``AppConfig.ready``."""
    _providers.append(provider)


def sweep_names(actor: Actor, project: Project, uids: Collection[str]) -> dict[str, SweepName]:
    """Return what the sweeps of these IDs are called, those that were deleted left out; at most one query."""
    known = {uid for uid in uids if uid}
    found: dict[str, SweepName] = {}
    for provider in _providers if known else ():
        found.update(provider(actor, project, known))
    return found
