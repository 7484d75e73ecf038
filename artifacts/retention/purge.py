"""The end of deleted versions: once nobody can restore them any more, their entries go, in small transactions.

A tombstone stays, which lineage shows as a version that was there. The counts of contents change with the mark that
the purge began, in one transaction, so that a purge that is killed and goes on counts nothing twice.
"""

import logging
import time
from collections.abc import Iterator
from datetime import datetime

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from artifacts.contents import count_deleted, count_purged
from artifacts.models import ClientId, Collection, Entry, Version, VersionState, VersionTag
from runs.lifecycle.purge import ROWS_AT_ONCE, delete_rows, undo_ended_at
from teams.models import Team

logger = logging.getLogger(__name__)

_VERSIONS_A_ROUND = 10_000


def purge_versions(budget_s: float) -> int:
    """Purge what nobody can restore, for about so long; returns how many versions hold nothing any more."""
    until, done = time.monotonic() + budget_s, 0
    for pk in _waiting():
        if time.monotonic() > until:
            break
        try:
            begin_purge(pk)
            done += _end_purge(pk, until)
        except Exception:
            logger.exception("artifact version %s could not be purged; the next round tries again", pk)
    return done


def purge_of_team(team: Team) -> None:
    """Purge what a team that is given up has, without waiting for an undo."""
    rows = Version.objects.filter(collection__project__team=team, state=VersionState.COMMITTED)
    for pk in list(rows.filter(purge_began_at__isnull=True).values_list("pk", flat=True)):
        begin_purge(pk, is_given_up=True)


def _waiting() -> Iterator[int]:
    """Yield versions whose purge began, and then those that nobody can restore, or whose project."""
    before = undo_ended_at(timezone.now())
    committed = Version.objects.filter(state=VersionState.COMMITTED).order_by()
    for rows in (
        committed.filter(purge_began_at__isnull=False, manifest__isnull=False),
        committed.filter(purge_began_at__isnull=True, deleted_at__lte=before),
        committed.filter(purge_began_at__isnull=True, collection__project__deleted_at__lte=before),
    ):
        yield from list(rows.values_list("pk", flat=True)[:_VERSIONS_A_ROUND])


@transaction.atomic
def begin_purge(version_id: int, *, is_given_up: bool = False) -> None:
    """Mark a deleted version so that nobody restores it, and count it no more; again, or too early, does nothing.

    Args:
        version_id: The version.
        is_given_up: Whether its team goes for good, so that nothing is waited for.
    """
    # the collection and its project first, as whoever restores the version, or all of them, does
    collections = Collection.objects.select_for_update(of=("self", "project"), no_key=True)
    collection = collections.select_related("project").get(versions=version_id)
    before = undo_ended_at(timezone.now())
    over = Q() if is_given_up or _is_over(collection, before) else Q(deleted_at__lte=before)
    waiting = Version.objects.filter(over, state=VersionState.COMMITTED, purge_began_at__isnull=True)
    version = waiting.select_for_update().filter(pk=version_id).first()
    if version is None:
        return
    now = timezone.now()
    if version.deleted_at is None:
        version.deleted_at = collection.project.deleted_at or now
        count_deleted(version)
    count_purged(version)
    version.purge_began_at = now
    version.save(update_fields=["deleted_at", "purge_began_at", "updated_at"])


def _is_over(collection: Collection, before: datetime) -> bool:
    deleted_at = collection.project.deleted_at
    return deleted_at is not None and deleted_at <= before


def _end_purge(version_id: int, until: float) -> bool:
    """Remove the entries of a version and what people wrote of it; returns whether nothing is left."""
    purged = Version.objects.filter(
        pk=version_id, state=VersionState.COMMITTED, purge_began_at__isnull=False, manifest__isnull=False
    )
    if not purged.exists():
        return False
    while delete_rows(Entry.objects.filter(version=version_id), ROWS_AT_ONCE):
        if time.monotonic() > until:
            return False
    with transaction.atomic():
        VersionTag.objects.filter(version=version_id).delete()
        ClientId.objects.filter(version=version_id).delete()
        # the manifest last: it says that something was left
        return bool(purged.update(manifest=None, description="", metadata_text="{}", deleted_with={}))
