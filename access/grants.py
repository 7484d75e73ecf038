"""Where grants come from. Apps above register sources; the engine knows no role."""

from typing import Protocol

from django.db.models import Model, Q

from access.actor import Actor
from access.resources import Resource


class GrantSource(Protocol):
    """Both directions of one kind of grant."""

    def rows(self, actor: Actor, action: str, resource: Resource) -> Q:
        """Return a condition on the resource's rows on which the actor holds the action."""

    def people(self, action: str, resource: Resource, row: Model) -> Q:
        """Return a condition on users who hold the action on this row."""


_sources: list[GrantSource] = []

NOBODY = Q(pk__in=())


def register_grants(source: GrantSource) -> None:
    """Add a source; called in its app's ``AppConfig.ready``."""
    if source not in _sources:
        _sources.append(source)


def granted_rows(actor: Actor, action: str, resource: Resource) -> Q:
    """Return the union of all sources for the actor."""
    condition = NOBODY
    for source in _sources:
        condition |= source.rows(actor, action, resource)
    return condition


def granted_people(action: str, resource: Resource, row: Model) -> Q:
    """Return the union of all sources for the row, as a condition on users."""
    condition = NOBODY
    for source in _sources:
        condition |= source.people(action, resource, row)
    return condition
