"""What the engine knows of a model: the paths from its rows to team, organization, project and owner."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Model, Q

NOBODY = Q(pk__in=())
"""The condition that no row meets; `any_of` leaves it out by being this one."""


def any_of(*conditions: Q) -> Q:
    """Return the union. Django takes as long for a condition that nothing meets as for any other."""
    met = [condition for condition in conditions if condition is not NOBODY]
    return reduce(or_, met) if met else NOBODY


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
    withheld: Q = NOBODY
    """Rows that team and organization roles do not reach (restricted projects) ..."""
    always_reach: frozenset[str] = frozenset()
    """... except for these actions (their management)."""
    public: Q = NOBODY
    live: Q = field(default_factory=Q)
    """Rows that were not deleted. Nobody reaches others ..."""
    reach_deleted: frozenset[str] = frozenset()
    """... except for these actions (deleting and restoring)."""
    open: Callable[[int], Q] = lambda user_id: NOBODY
    """Rows open to any signed-in user; takes the user's id, or what stands for it, so it reads nothing."""


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


def explainable_models(models: Iterable[str]) -> frozenset[str]:
    """Return the models whose rows an action on these can be asked about: projects, too, for all that lies in them."""
    lie_in_one = any(_resources[label].project for label in models if label in _resources)
    projects = (each.model for each in _resources.values() if each.project == "pk")
    return frozenset(models).union(projects if lie_in_one else ())


def value_at(row: Model, path: str) -> Any:
    """Follow an ORM path from a row to a primary key: ``value_at(run, "project__team")``."""
    if path == "pk":
        return row.pk
    return row._meta.model._default_manager.filter(pk=row.pk).values_list(path, flat=True).first()
