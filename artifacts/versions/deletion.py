"""Deleting versions, and bringing them back while they are kept.

Numbers are never given twice: a deleted version keeps its place in its collection, and what is left of its row once it
is purged says in lineage that it was there.
"""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from artifacts.access import ArtifactAction
from artifacts.contents import count_deleted, count_restored
from artifacts.models import Alias, Collection, Membership, Version, VersionState
from artifacts.versions.aliases import drop_aliases, move_aliases, name_latest
from artifacts.versions.collections import locked
from artifacts.versions.links import AT_ONCE, remove_link
from artifacts.versions.protection import protected_names, refuse_protected_names
from artifacts.versions.time_to_live import expires_at
from common.errors import Conflict, Gone

RESTORE = "artifact.restore"
"""In the audit log."""


def kept_until(version: Version) -> datetime:
    """Return until when a deleted version can be restored."""
    return (version.deleted_at or timezone.now()) + timedelta(days=settings.DELETED_KEPT_DAYS)


@transaction.atomic
def delete_version(*, actor: Actor, version: Version, with_aliases: bool, at: datetime | None = None) -> None:
    """Delete a version; it can be restored for DELETED_KEPT_DAYS. Deleting it again changes nothing.

    Args:
        actor: Who deletes.
        version: The version, or a draft.
        with_aliases: Whether its aliases may go with it.
        at: The time that marks what is deleted together; now when none is given.

    Raises:
        Conflict: it is protected, or has aliases and these are not to go with it, or bears a protected alias in a
            registry whose admin the actor is not.
    """
    require(actor, ArtifactAction.DELETE, version)
    collection = locked(version.collection_id)
    version = Version.objects.select_for_update(of=("self",)).get(pk=version.pk)
    version.collection = collection
    if version.deleted_at is not None:
        return
    if version.is_draft:
        _give_up(version)
        return
    check_deletable(version, with_aliases=with_aliases)
    refuse_protected_names(actor, Version.objects.filter(pk=version.pk))
    take_away(actor, version, at or timezone.now())
    name_latest(actor, collection)


@transaction.atomic
def delete_some(*, actor: Actor, collection: Collection, versions: QuerySet[Version], at: datetime) -> int:
    """Delete the first AT_ONCE of a collection's versions with their aliases; returns how many are left to delete.

    Protected versions stay, and those with protected aliases in a registry. All that one act deletes has its time
    ``at``, by which `restore_some` finds it again.
    """
    require(actor, ArtifactAction.DELETE, collection)
    collection = locked(collection.pk)
    if collection.is_protected:
        return 0
    named = protected_names(versions.filter(collection=collection)).values("membership__version_id")
    deletable = versions.filter(collection=collection, is_protected=False).exclude(pk__in=named)
    deletable = deletable & Version.objects.live()
    some = list(deletable.order_by("pk").select_for_update(of=("self",))[:AT_ONCE])
    for version in some:
        version.collection = collection
        take_away(actor, version, at)
    name_latest(actor, collection)
    return deletable.count()


@transaction.atomic
def restore_some(*, actor: Actor, collection: Collection, at: datetime) -> int:
    """Bring back the first AT_ONCE versions that one act deleted; returns how many are left to restore.

    Raises:
        Conflict: the collection was deleted, too.
    """
    require(actor, ArtifactAction.DELETE, collection)
    collection = locked(collection.pk)
    _require_live(collection)
    together = Version.objects.deleted().filter(collection=collection, deleted_at=at)
    # the newest first, so that “latest” moves once
    for version in together.order_by("-pk").select_for_update(of=("self",))[:AT_ONCE]:
        version.collection = collection
        bring_back(actor, version)
    return together.count()


def check_deletable(version: Version, *, with_aliases: bool) -> None:
    """Let pass a version that may be deleted.

    Raises:
        Conflict: it is protected, or has aliases and these are not to go with it.
    """
    if version.is_protected or version.collection.is_protected:
        raise Conflict("This version is protected from deletion; remove the protection first.")
    if with_aliases:
        return
    rows = Alias.objects.filter(membership__version=version, collection__project__deleted_at__isnull=True)
    names = list(rows.values_list("name", flat=True)[:10])
    if names:
        raise Conflict(
            f"This version has the aliases {', '.join(names)}. Delete these first, or delete it together with its"
            " aliases (delete_aliases=True)."
        )


def _give_up(draft: Version) -> None:
    draft.pins.all().delete()
    draft.manifests.all().delete()
    draft.deleted_at = draft.purge_began_at = timezone.now()
    draft.save(update_fields=["deleted_at", "purge_began_at", "updated_at"])


def take_away(actor: Actor, version: Version, at: datetime) -> None:
    """Delete a committed version with its aliases and links; the caller has locked its collection.

    ``at`` says which versions were deleted together with a collection.
    """
    own = Membership.objects.select_related("collection", "version").get(
        version=version, collection=version.collection_id
    )
    aliases = drop_aliases(actor, own)
    links = Membership.objects.filter(version=version).exclude(pk=own.pk)
    gone = [
        remove_link(actor, link)
        for link in links.select_related("collection__project__team", "version__collection").order_by(
            "collection_id"
        )
    ]
    version.deleted_with = {"aliases": aliases, "links": gone}
    version.deleted_at = at
    version.save(update_fields=["deleted_at", "deleted_with", "updated_at"])
    count_deleted(version)
    _record(actor, ArtifactAction.DELETE, version, own, {"bytes": version.size_bytes, "links": len(gone)})


@transaction.atomic
def restore_version(*, actor: Actor, version: Version) -> Version:
    """Bring a deleted version back, with those of its aliases that no other version has, and its links.

    Raises:
        Gone: it is kept no longer.
        Conflict: its collection was deleted, too.
    """
    require(actor, ArtifactAction.DELETE, version)
    collection = locked(version.collection_id)
    version = Version.objects.select_for_update(of=("self",)).get(pk=version.pk)
    version.collection = collection
    if version.deleted_at is None:
        return version
    if version.purge_began_at is not None or version.state != VersionState.COMMITTED:
        raise Gone("This version can no longer be restored; its files are being removed.")
    _require_live(collection)
    bring_back(actor, version)
    return version


def _require_live(collection: Collection) -> None:
    if collection.deleted_at is not None:
        raise Conflict(f"The collection “{collection.name}” was deleted, too; restore it instead.")


def bring_back(actor: Actor, version: Version) -> None:
    """Undo `take_away`; the caller has locked the collection."""
    was = version.deleted_with
    version.deleted_at, version.deleted_with = None, {}
    version.expires_at, version.is_expiry_announced = expires_at(version), False
    if version.expires_at is not None and version.expires_at <= timezone.now():
        version.ttl_s, version.expires_at = 0, None  # it was wanted back: nothing takes it again at once
    version.save()
    count_restored(version)
    own = Membership.objects.select_related("collection", "version").get(
        version=version, collection=version.collection_id
    )
    _name_again(actor, own, was.get("aliases", []))
    name_latest(actor, version.collection)
    for link in was.get("links", []):
        link_again(actor, version, link)
    _record(actor, RESTORE, version, own, {})


def _name_again(actor: Actor, place: Membership, names: list[str]) -> None:
    taken = set(
        Alias.objects.filter(collection=place.collection_id, name__in=names).values_list("name", flat=True)
    )
    move_aliases(actor, place, [name for name in names if name not in taken])


def link_again(actor: Actor, version: Version, link: dict[str, Any]) -> None:
    """Undo `remove_link`, unless the portfolio was deleted."""
    rows = Collection.objects.live().select_for_update(of=("self",)).filter(pk=link["collection"])
    collection = rows.select_related("project__team").first()
    if collection is None:
        return
    place, _ = Membership.objects.get_or_create(
        collection=collection, version=version, defaults={"index": link["index"]}
    )
    place.collection, place.version = collection, version
    _name_again(actor, place, link["aliases"])
    name_latest(actor, collection)


@transaction.atomic
def link_some_again(*, actor: Actor, collection: Collection, links: list[dict[str, Any]]) -> None:
    """Link versions into a portfolio again, but for those that were deleted meanwhile."""
    require(actor, ArtifactAction.DELETE, collection)
    collection = locked(collection.pk)
    _require_live(collection)
    versions = Version.objects.live().in_bulk([link["version"] for link in links])
    for link in links:
        if link["collection"] == collection.pk and link["version"] in versions:
            link_again(actor, versions[link["version"]], link)
    name_latest(actor, collection)


def _record(actor: Actor, verb: str, version: Version, own: Membership, details: dict[str, Any]) -> None:
    team = version.collection.project.team
    named = {"artifact": f"{version.collection.name}:{own.label}", **details}
    is_gone = verb != RESTORE
    record(
        actor, verb, version, organization_id=team.organization_id, team_id=team.pk,
        before=named if is_gone else {}, after={} if is_gone else named,
    )  # fmt: skip
