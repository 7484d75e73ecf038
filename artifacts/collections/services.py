"""What changes collections."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from artifacts.access import ArtifactAction
from artifacts.models import ArtifactType, Collection, Membership, Version, VersionState
from artifacts.names import check_name
from artifacts.versions.collections import check_type_taken, ensure_type, locked
from artifacts.versions.deletion import link_some_again, restore_some, take_away
from artifacts.versions.links import AT_ONCE, names_of, remove_link
from artifacts.versions.protection import refuse_protected_names, require_aliases, require_to_rename
from artifacts.versions.tags import add_collection_tags, remove_collection_tags
from artifacts.versions.texts import MAX_DESCRIPTION, audited_changes, check_description
from artifacts.versions.time_to_live import check_ttl, inherited_ttl, inheriting, reckon_expiry
from common.errors import Conflict, Gone
from common.formats.lenient_json import clean_text
from runs.models import Project

RESTORE = "artifact.restore_collection"
DELETE = "artifact.delete_collection"
UPDATE = "artifact.update_collection"
"""In the audit log."""


@dataclass(frozen=True, slots=True)
class CollectionChanges:
    """What changes about a collection; None and empty leave things as they are."""

    name: str | None = None
    description: str | None = None
    tags_to_add: Iterable[str] = ()
    tags_to_remove: Iterable[str] = ()
    has_ttl: bool = False
    """Whether ``ttl_s`` is set, be it to None."""
    ttl_s: int | None = None
    is_protected: bool | None = None


@transaction.atomic
def create_type(*, actor: Actor, project: Project, name: str, description: str = "") -> ArtifactType:
    """Create a type of artifacts, or return the one that is there.

    Raises:
        Invalid: the name cannot be, or the project is a registry that is limited to other types.
    """
    require(actor, ArtifactAction.CREATE, project)
    check_type_taken(project, name)
    return ensure_type(project, name, clean_text(description)[:MAX_DESCRIPTION])


@transaction.atomic
def update_collection(*, actor: Actor, collection: Collection, changes: CollectionChanges) -> Collection:
    """Change what is said about a collection, and how long its versions are kept.

    Raises:
        Invalid: a name, a tag, the description or the time to live cannot be stored.
        Conflict: the project has another collection of the name.
        Forbidden: another name would take a protected alias out of use, and the actor is no registry admin.
    """
    require(actor, ArtifactAction.UPDATE, collection)
    collection = locked(collection.pk)
    if changes.name not in {None, collection.name}:
        require_to_rename(actor, collection)
    before = _described(collection)
    _apply(collection, changes)
    added = add_collection_tags(actor, collection, changes.tags_to_add)
    removed = remove_collection_tags(actor, collection, changes.tags_to_remove)
    was, now = audited_changes(before, _described(collection), added=added, removed=removed)
    _record(actor, UPDATE, collection, was, now)
    return collection


def _apply(collection: Collection, changes: CollectionChanges) -> None:
    if changes.name is not None:
        collection.name = check_name(changes.name, "artifact name")
    if changes.description is not None:
        collection.description = check_description(changes.description)
    if changes.is_protected is not None:
        collection.is_protected = changes.is_protected
    if changes.has_ttl:
        collection.ttl_s = check_ttl(changes.ttl_s)
    try:
        with transaction.atomic():
            collection.save()
    except IntegrityError:
        raise Conflict(f"The project already has an artifact “{collection.name}”.") from None
    if changes.has_ttl:
        reckon_expiry(inheriting(collection=collection), inherited_ttl(collection))


@transaction.atomic
def change_type(*, actor: Actor, collection: Collection, type_name: str) -> Collection:
    """Give a collection another type of its project, which must be there.

    Raises:
        Forbidden: a protected alias is found by its type, and the actor is no registry admin.
    """
    require(actor, ArtifactAction.UPDATE, collection)
    collection = locked(collection.pk)
    if type_name != collection.type.name:
        require_to_rename(actor, collection)
    before = collection.type.name
    check_type_taken(collection.project, type_name)
    collection.type = ensure_type(collection.project, type_name)
    collection.save(update_fields=["type", "updated_at"])
    _record(actor, UPDATE, collection, {"type": before}, {"type": collection.type.name})
    return collection


def delete_collection(*, actor: Actor, collection: Collection) -> None:
    """Delete a collection with its versions and links; it can be restored for DELETED_KEPT_DAYS.

    Raises:
        Conflict: it, or one of its versions, is protected.
    """
    at = timezone.now()
    while delete_some_of_collection(actor=actor, collection=collection, at=at):
        pass


@transaction.atomic
def delete_some_of_collection(*, actor: Actor, collection: Collection, at: datetime) -> int:
    """Delete the oldest AT_ONCE versions of a collection, or as many links; with the last of them the collection.

    Returns how many are left; 0 says that the collection is deleted. All steps are given the same time, by
    which a restored collection knows what was deleted together with it.

    Raises:
        Conflict: it, or one of its versions, is protected.
    """
    require(actor, ArtifactAction.DELETE, collection)
    collection = locked(collection.pk)
    if collection.deleted_at is not None:
        return 0
    versions = Version.objects.filter(collection=collection, deleted_at__isnull=True)
    if collection.is_protected or versions.filter(is_protected=True).exists():
        raise Conflict(
            f"“{collection.name}” or one of its versions is protected from deletion; remove the protection first."
        )
    refuse_protected_names(actor, versions)
    _unlink_some(actor, collection)
    committed = versions.filter(state=VersionState.COMMITTED)
    for version in committed.order_by("pk")[:AT_ONCE]:
        version.collection = collection
        take_away(actor, version, at)
    left = committed.count() + _links_of(collection).count()
    if not left:
        _end(actor, collection, at)
    return left


def _links_of(collection: Collection) -> QuerySet[Membership]:
    """Return what is linked into a portfolio; none of a collection that versions are logged into."""
    links = Membership.objects.filter(collection=collection).exclude(version__collection=collection)
    return links.select_related("version__collection").order_by("index")


def _unlink_some(actor: Actor, collection: Collection) -> None:
    links = list(_links_of(collection)[:AT_ONCE])
    require_aliases(actor, collection, names_of(links))
    for link in links:
        link.collection = collection
        collection.deleted_with.append({"version": link.version_id, **remove_link(actor, link)})
    collection.save(update_fields=["deleted_with", "updated_at"])


def _end(actor: Actor, collection: Collection, at: datetime) -> None:
    """Delete a collection that has no versions or links any more."""
    drafts = Version.objects.filter(collection=collection, state=VersionState.DRAFT, deleted_at__isnull=True)
    drafts.update(deleted_at=at, purge_began_at=at)
    collection.deleted_at = at
    collection.save(update_fields=["deleted_at", "updated_at"])
    named = {"name": collection.name, "links": len(collection.deleted_with)}
    _record(actor, DELETE, collection, named, {})


def restore_collection(*, actor: Actor, collection: Collection) -> Collection:
    """Bring a deleted collection back, with the versions that were deleted together with it.

    Raises:
        Gone: its versions are kept no longer.
        Conflict: the project has another collection of the name by now.
    """
    require(actor, ArtifactAction.DELETE, collection)
    at = Collection.objects.values_list("deleted_at", flat=True).get(pk=collection.pk)
    while at is not None and restore_some_of_collection(actor=actor, collection=collection, at=at):
        pass
    return Collection.objects.select_related("project__team", "type").get(pk=collection.pk)


@transaction.atomic
def restore_some_of_collection(*, actor: Actor, collection: Collection, at: datetime) -> int:
    """Bring back a collection that was deleted at a time, and the first AT_ONCE of its versions, or links.

    Returns how many of them are left to restore.

    Raises:
        Gone: its versions are kept no longer.
        Conflict: the project has another collection of the name by now.
    """
    require(actor, ArtifactAction.DELETE, collection)
    collection = locked(collection.pk)
    together = Version.objects.filter(collection=collection, deleted_at=at, state=VersionState.COMMITTED)
    if together.filter(purge_began_at__isnull=False).exists():
        raise Gone("This collection can no longer be restored; its files are being removed.")
    if collection.deleted_at == at:
        _begin_again(actor, collection)
    left = restore_some(actor=actor, collection=collection, at=at)
    return left + _restore_links(actor, collection)


def _begin_again(actor: Actor, collection: Collection) -> None:
    """Make a deleted collection live, as yet without versions and links."""
    collection.deleted_at = None
    try:
        with transaction.atomic():
            collection.save(update_fields=["deleted_at", "updated_at"])
    except IntegrityError:
        raise Conflict(
            f"The project has another artifact “{collection.name}” by now; rename that one."
        ) from None
    _record(actor, RESTORE, collection, {}, {"name": collection.name})


def _restore_links(actor: Actor, collection: Collection) -> int:
    """Link versions again, but for those that were deleted meanwhile; returns how many links are left."""
    links, collection.deleted_with = collection.deleted_with[:AT_ONCE], collection.deleted_with[AT_ONCE:]
    collection.save(update_fields=["deleted_with", "updated_at"])
    link_some_again(actor=actor, collection=collection, links=links)
    return len(collection.deleted_with)


def _described(collection: Collection) -> dict[str, object]:
    return {
        "name": collection.name,
        "description": collection.description[:300],
        "ttl": collection.ttl_s,
        "protected": collection.is_protected,
    }


def _record(
    actor: Actor, verb: str, collection: Collection, before: dict[str, object], after: dict[str, object]
) -> None:
    if not before and not after:
        return
    team = collection.project.team
    record(
        actor,
        verb,
        collection,
        organization_id=team.organization_id,
        team_id=team.pk,
        before=before,
        after=after,
    )
