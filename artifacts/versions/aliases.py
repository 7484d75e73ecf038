"""Aliases: each names one version of a collection, and moves."""

from collections.abc import Iterable

from django.db import transaction

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from artifacts.access import ArtifactAction
from artifacts.models import LATEST, Alias, AliasChange, Collection, Membership
from artifacts.names import check_aliases
from artifacts.participants import ArtifactChange, ArtifactEvent, happened
from artifacts.versions.collections import locked
from artifacts.versions.protection import require_aliases
from common.errors import Conflict


@transaction.atomic
def add_aliases(*, actor: Actor, membership: Membership, names: Iterable[str]) -> None:
    """Give aliases to a version of a collection, taking them from other versions of it.

    Raises:
        Forbidden: one is protected, and the actor is no registry admin.
    """
    collection = _locked(membership)
    require(actor, ArtifactAction.SET_ALIAS, collection)
    wanted = check_aliases(names)
    require_aliases(actor, collection, wanted)
    given = move_aliases(actor, membership, wanted)
    if given:
        _record(actor, ArtifactAction.SET_ALIAS, membership, {}, {"alias": ", ".join(given)})


@transaction.atomic
def delete_aliases(*, actor: Actor, membership: Membership, names: Iterable[str]) -> None:
    """Take aliases from a version of a collection; those it does not have are passed over.

    Raises:
        Forbidden: one is protected, and the actor is no registry admin.
    """
    collection = _locked(membership)
    require(actor, ArtifactAction.DELETE_ALIAS, collection)
    unwanted = list(names)
    require_aliases(actor, collection, unwanted)
    gone = drop_aliases(actor, membership, unwanted)
    if gone:
        _record(actor, ArtifactAction.DELETE_ALIAS, membership, {"alias": ", ".join(gone)}, {})


def move_aliases(actor: Actor, membership: Membership, names: list[str]) -> list[str]:
    """Let aliases name this version; the caller has locked the collection. Returns those that are new to it."""
    held = {
        alias.name: alias
        for alias in Alias.objects.filter(collection=membership.collection_id, name__in=names).select_related(
            "membership"
        )
    }
    moving = [name for name in names if name not in held or held[name].membership_id != membership.pk]
    left = [held[name] for name in moving if name in held]
    Alias.objects.filter(pk__in=[alias.pk for alias in left]).delete()
    Alias.objects.bulk_create(
        Alias(collection_id=membership.collection_id, membership=membership, name=name) for name in moving
    )
    changes = [_change(actor, alias.membership, alias.name, is_added=False) for alias in left]
    changes += [_change(actor, membership, name, is_added=True) for name in moving]
    AliasChange.objects.bulk_create(changes)
    for name in moving:
        happened(
            ArtifactChange(
                ArtifactEvent.ADD_ARTIFACT_ALIAS, actor, membership.collection, membership.version, membership.index,
                name,
            )
        )  # fmt: skip
    return moving


def drop_aliases(actor: Actor, membership: Membership, names: list[str] | None = None) -> list[str]:
    """Take aliases, or all, from a version; the caller has locked the collection. Returns those that it had."""
    rows = Alias.objects.filter(membership=membership)
    if names is not None:
        rows = rows.filter(name__in=names)
    gone = list(rows.values_list("name", flat=True))
    rows.delete()
    AliasChange.objects.bulk_create(_change(actor, membership, name, is_added=False) for name in gone)
    return gone


def name_latest(actor: Actor, collection: Collection) -> None:
    """Give ``latest`` to the newest version that is left; the caller has locked the collection."""
    rows = Membership.objects.filter(collection=collection, version__deleted_at__isnull=True)
    newest = rows.select_related("version", "collection").order_by("-index").first()
    if newest is not None:
        move_aliases(actor, newest, [LATEST])


def _change(actor: Actor, membership: Membership, name: str, *, is_added: bool) -> AliasChange:
    return AliasChange(
        collection_id=membership.collection_id, name=name, index=membership.index, is_added=is_added,
        user_id=actor.user_id,
    )  # fmt: skip


def _locked(membership: Membership) -> Collection:
    collection = locked(membership.collection_id)
    if not Membership.objects.filter(pk=membership.pk, version__deleted_at__isnull=True).exists():
        raise Conflict("This version was deleted or unlinked.")
    membership.collection = collection
    return collection


def _record(
    actor: Actor,
    action: ArtifactAction,
    membership: Membership,
    before: dict[str, str],
    after: dict[str, str],
) -> None:
    team = membership.collection.project.team
    named = {"version": membership.label}
    record(
        actor, action, membership.collection, organization_id=team.organization_id, team_id=team.pk,
        before={**named, **before} if before else {}, after={**named, **after} if after else {},
    )  # fmt: skip
