"""How people and programs name a row: ``vision``, ``vision/cifar``, ``vision/cifar/runs/abc``, or a page's address."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from django.db.models import Model, Q, QuerySet
from django.utils.translation import gettext as _

from access.actor import Actor
from access.engine import visible
from access.resources.registry import resource_of
from common.errors import NotFound


@dataclass(frozen=True, slots=True)
class ResourcePath:
    """How the rows of one model are named."""

    model: type[Model]
    find: Callable[[list[str]], Q | None]
    """Takes the parts of a path, returns the condition on rows, None where such a path names something else."""
    path_of: Callable[[Model], str]
    example: str
    """How one is named, for who named something else."""
    related: tuple[str, ...] = ()
    """What of a row is needed to name it and to say whose it is."""


_paths: list[ResourcePath] = []


def register_path(naming: ResourcePath) -> None:
    """Add a model; called in its app's ``AppConfig.ready``."""
    if naming not in _paths:
        _paths.append(naming)


def path_of(row: Model) -> str:
    """Return what the row is named by, "" for rows of models that have no names."""
    model = row._meta.model
    return next((naming.path_of(row) for naming in _paths if naming.model is model), "")


def named_models() -> frozenset[str]:
    """Return the labels of the models whose rows have names."""
    return frozenset(naming.model._meta.label for naming in _paths)


def example_of(model_label: str) -> str:
    """Return how rows of a model are named, "" for those that have no names."""
    return next((naming.example for naming in _paths if naming.model._meta.label == model_label), "")


def newest_paths(actor: Actor, teams: Iterable[int], limit: int) -> list[str]:
    """Return what rows of these teams are named by, the newest of each model that the actor sees."""
    team_ids, found = list(teams), list[str]()
    for naming in _paths:
        resource = resource_of(naming.model)
        if resource.team:
            rows = naming.model._default_manager.filter(resource.live, **{f"{resource.team}__in": team_ids})
            newest = visible(actor, resource.view, rows).select_related(*naming.related).order_by("-pk")
            found += [naming.path_of(row) for row in newest[:limit]]
    return found


def _seen(actor: Actor, rows: QuerySet[Model]) -> Model | None:
    """Return the row if the actor sees it, or may restore it: deleted rows are seen by nobody."""
    resource = resource_of(rows.model)
    for action in (resource.view, *sorted(resource.reach_deleted)):
        row = visible(actor, action, rows).first()
        if row is not None:
            return row
    return None


def _possible_parts(path: str) -> list[list[str]]:
    """Return the parts of a path: of one without a host, which may be a name or a page's, as written and decoded."""
    parts = [part for part in urlsplit(path.strip()).path.split("/") if part]
    decoded = [unquote(part) for part in parts]
    readings = [decoded] if "://" in path or parts == decoded else [parts, decoded]
    return [reading for reading in readings if not any("\x00" in part for part in reading)]


def resolve_path(actor: Actor, path: str) -> Model:
    """Return the row that a path or the address of a page names.

    Raises:
        NotFound: there is none, or the actor may not see it.
    """
    for parts in _possible_parts(path):
        for naming in reversed(_paths):  # upper layers say more exactly what such a path names
            condition = naming.find(parts) if parts else None
            if condition is not None:
                rows = naming.model._default_manager.filter(condition).select_related(*naming.related)
                row = _seen(actor, rows)
                if row is not None:
                    return row
    raise NotFound(_("%(name)s doesn’t exist here, or you don’t have access to it.") % {"name": path[:200]})
