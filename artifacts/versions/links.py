"""Links: a version takes a place in a portfolio, with a number of its own there."""

from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.db.models import F, QuerySet

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from artifacts.access import ArtifactAction, require_for
from artifacts.models import LATEST, Alias, Collection, CollectionKind, Membership, Version
from artifacts.names import check_aliases
from artifacts.participants import ArtifactChange, ArtifactEvent, happened
from artifacts.versions.aliases import drop_aliases, move_aliases, name_latest
from artifacts.versions.collections import check_type_taken, ensure_collection, locked
from artifacts.versions.protection import require_aliases
from common.errors import Conflict, Invalid, NotFound
from runs.models import Project

LINK, UNLINK = "artifact.link", "artifact.unlink"
"""In the audit log."""
AT_ONCE = 200
"""Versions in one transaction, about a second of work: SQLite has one writer, and others must not wait long for it."""


@transaction.atomic
def link_version(
    *, actor: Actor, version: Version, project: Project, name: str, aliases: Iterable[str] = ()
) -> Membership:
    """Return the place of a version in a portfolio, which is created on first use; linking again adds aliases.

    Whoever sees the portfolio's project sees the version there, so it takes the right to download it to link it.

    Raises:
        Conflict: the version is a draft or deleted, or the name is that of a collection of logged versions.
        Invalid: the registry does not take versions of this type.
        Forbidden: an alias is protected in the registry.
    """
    require_for(actor, ArtifactAction.DOWNLOAD, version)
    require(actor, ArtifactAction.CREATE, project)
    given = check_aliases([*aliases, LATEST])
    check_type_taken(project, version.collection.type.name)
    collection = ensure_collection(
        actor, project, version.collection.type.name, name, CollectionKind.PORTFOLIO
    )
    if not Version.objects.live().filter(pk=version.pk).exists():
        raise Conflict("Only a committed version can be linked; this one is a draft or was deleted.")
    require_aliases(actor, collection, given)
    place = Membership.objects.filter(collection=collection, version=version).first()
    is_new = place is None
    if place is None:
        place = Membership.objects.create(
            collection=collection, version=version, index=collection.next_index, created_by_id=actor.user_id
        )
        Collection.objects.filter(pk=collection.pk).update(next_index=F("next_index") + 1)
    place.collection, place.version = collection, version
    if is_new:
        _tell(actor, ArtifactEvent.LINK_MODEL, LINK, place)
    move_aliases(actor, place, given)
    return place


@transaction.atomic
def unlink_version(*, actor: Actor, version: Version, collection: Collection) -> None:
    """Take a version out of a portfolio.

    Raises:
        Invalid: the version was logged into the collection.
        NotFound: it is not linked there.
    """
    require(actor, ArtifactAction.DELETE, collection)
    if collection.is_sequence:
        raise Invalid("A version cannot be unlinked from the collection that it was logged into; delete it.")
    collection = locked(collection.pk)
    place = (
        Membership.objects.select_related("version").filter(collection=collection, version=version).first()
    )
    if place is None:
        raise NotFound(f"This version is not linked into “{collection.name}”.")
    place.collection = collection
    require_aliases(actor, collection, names_of([place]))
    remove_link(actor, place)


def names_of(places: Iterable[Membership]) -> list[str]:
    """Return the aliases that versions have in the places."""
    return list(Alias.objects.filter(membership__in=list(places)).values_list("name", flat=True))


@transaction.atomic
def unlink_some(
    *, actor: Actor, collection: Collection, memberships: QuerySet[Membership]
) -> list[dict[str, Any]]:
    """Take the oldest AT_ONCE of these versions out of a portfolio, and return what would bring them back."""
    require(actor, ArtifactAction.DELETE, collection)
    collection = locked(collection.pk)
    links = memberships.filter(collection=collection).exclude(version__collection=collection)
    some, gone = list(links.select_related("version__collection").order_by("index")[:AT_ONCE]), []
    require_aliases(actor, collection, names_of(some))
    for place in some:
        place.collection = collection
        gone.append({"version": place.version_id, **remove_link(actor, place)})
    return gone


def remove_link(actor: Actor, place: Membership) -> dict[str, object]:
    """Remove a link, tell of it, and return what would bring it back; the caller has locked the collection."""
    was = {
        "collection": place.collection_id,
        "index": place.index,
        "aliases": drop_aliases(actor, place),
    }
    _tell(actor, ArtifactEvent.UNLINK_ARTIFACT, UNLINK, place)
    place.delete()
    name_latest(actor, place.collection)
    return was


def _tell(actor: Actor, event: ArtifactEvent, verb: str, place: Membership) -> None:
    team = place.collection.project.team
    named = {"artifact": f"{place.version.collection.name}", "version": place.label}
    record(
        actor, verb, place.collection, organization_id=team.organization_id, team_id=team.pk,
        before=named if verb == UNLINK else {}, after=named if verb == LINK else {},
    )  # fmt: skip
    happened(ArtifactChange(event, actor, place.collection, place.version, place.index))
