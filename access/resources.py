"""What the engine knows of a model: the paths from its rows to team, organization, project and owner."""

from collections.abc import Callable
from dataclasses import dataclass, field

from django.db.models import Model, Q


@dataclass(frozen=True, slots=True)
class Resource:
    """Paths are ORM look-ups from the model; "" where there is none."""

    model: str
    view: str = ""
    """The action that makes a row visible at all: without it a refusal is 404, with it 403."""
    team: str = ""
    organization: str = ""
    project: str = ""
    owner: str = ""
    withheld: Q = field(default_factory=lambda: Q(pk__in=()))
    """Rows that team and organization roles do not reach (restricted projects) ..."""
    always_reach: frozenset[str] = frozenset()
    """... except for these actions (their management)."""
    public: Q = field(default_factory=lambda: Q(pk__in=()))
    open: Callable[[int], Q] = lambda user_id: Q(pk__in=())
    """Rows open to any signed-in user; takes the user's id."""


_resources: dict[str, Resource] = {}


def register_resource(resource: Resource) -> None:
    """Add a model; called in its app's ``AppConfig.ready``."""
    _resources[resource.model] = resource


def resource_of(model: type[Model]) -> Resource:
    """Return what is registered for the model.

    Raises:
        LookupError: nothing is, so nothing can be allowed.
    """
    try:
        return _resources[model._meta.label]
    except KeyError:
        raise LookupError(f"{model._meta.label} is not registered with access") from None
