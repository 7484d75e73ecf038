"""Where grants come from. Apps above register sources; the engine knows no role."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Protocol

from django.db.models import Model, Q

from access.actor import Actor
from access.resources.registry import Resource, any_of


@dataclass(frozen=True, slots=True)
class Reason:
    """One check of an explanation, in plain words."""

    kind: str
    """What was looked at, for programs: "team role", "visibility", "key scopes", ..."""
    holds: bool
    text: str
    help: str = ""
    """What would make it hold, and who can do that; "" where nothing sensible would."""


def met(kind: str, text: str) -> Reason:
    """Return a check that holds."""
    return Reason(kind, holds=True, text=text)


def unmet(kind: str, text: str, help_: str = "") -> Reason:
    """Return a check that does not hold, with what would change that."""
    return Reason(kind, holds=False, text=text, help=help_)


@dataclass(frozen=True, slots=True)
class GrantScope:
    """Where rows lie, as far as grants ask: those of one place are held by the same people."""

    team_id: int | None
    organization_id: int | None
    project_id: int | None
    is_withheld: bool
    """Whether team and organization roles do not reach it."""


class GrantSource(Protocol):
    """One kind of grant: the decision in both directions, and what it says of one row."""

    def rows(self, actor: Actor, action: str, resource: Resource) -> Q:
        """Return a condition on the resource's rows on which the actor holds the action.

        It is kept with a stand-in for the user's key (`common.database.compiled_sql`), so it reads nothing to be made,
        and what of it concerns the user alone is a `KeysOf`, which lists keep, too.
        """

    def people(self, action: str, resource: Resource, row: Model) -> Q:
        """Return a condition on users who hold the action on this row."""

    def holders(
        self, action: str, places: Collection[GrantScope], among: Collection[int] | None
    ) -> Iterator[tuple[GrantScope, int]]:
        """Yield each place with the keys of active users who hold the action there: `people` for many rows at once.

        A fixed number of queries; ``among`` limits the users.
        """

    def reasons(self, actor: Actor, action: str, resource: Resource, row: Model) -> list[Reason]:
        """Return what was looked at for this row; one that holds says that `rows` has the row, none that it has not."""


_sources: list[GrantSource] = []


def register_grants(source: GrantSource) -> None:
    """Add a source; called in its app's ``AppConfig.ready``."""
    if source not in _sources:
        _sources.append(source)


def granted_rows(actor: Actor, action: str, resource: Resource) -> Q:
    """Return the union of all sources for the actor."""
    return any_of(*(source.rows(actor, action, resource) for source in _sources))


def granted_people(action: str, resource: Resource, row: Model) -> Q:
    """Return the union of all sources for the row, as a condition on users."""
    return any_of(*(source.people(action, resource, row) for source in _sources))


def granted_holders(
    action: str, places: Collection[GrantScope], among: Collection[int] | None
) -> dict[GrantScope, set[int]]:
    """Return the union of all sources for each place."""
    found: dict[GrantScope, set[int]] = {place: set() for place in places}
    for source in _sources:
        for place, user_id in source.holders(action, places, among):
            found[place].add(user_id)
    return found


def granted_because(actor: Actor, action: str, resource: Resource, row: Model) -> list[Reason]:
    """Return what all sources say of the actor and the row."""
    return [reason for source in _sources for reason in source.reasons(actor, action, resource, row)]
