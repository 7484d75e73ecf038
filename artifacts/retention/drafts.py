"""The end of drafts that were given up, and of those that nobody has sent anything for in a week."""

from datetime import timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from artifacts.models import PartsUpload, Pin, Version, VersionState
from runs.lifecycle.purge import ROWS_AT_ONCE, delete_rows
from runs.states import ACTIVE
from storage import parts

ABANDONED_AFTER = timedelta(days=7)
"""How long a draft is kept that nothing is sent for, unless its run is still active."""
_DRAFTS_A_ROUND = 1000


def _abandoned() -> QuerySet[Version]:
    idle = Q(updated_at__lt=timezone.now() - ABANDONED_AFTER) & ~Q(run__state__in=sorted(ACTIVE))
    return Version.objects.filter(idle | Q(purge_began_at__isnull=False), state=VersionState.DRAFT)


def sweep_drafts() -> int:
    """Remove drafts with all that came for them; returns how many. Their contents are the collector's matter."""
    pks = list(_abandoned().order_by().values_list("pk", flat=True)[:_DRAFTS_A_ROUND])
    return sum(_remove(pk) for pk in pks)


def _remove(version_id: int) -> bool:
    if not _give_up(version_id):
        return False
    while delete_rows(Pin.objects.filter(version=version_id), ROWS_AT_ONCE):
        pass
    for key in PartsUpload.objects.filter(version=version_id).values_list("key", flat=True):
        parts.discard(key)
    Version.objects.filter(pk=version_id, state=VersionState.DRAFT).delete()
    return True


@transaction.atomic
def _give_up(version_id: int) -> bool:
    """Mark a draft, so that files that come for it are refused; it may have been committed since it was found."""
    # two steps: the run's state is read after the lock
    Version.objects.select_for_update().filter(pk=version_id).first()
    draft = _abandoned().filter(pk=version_id).first()
    if draft is None:
        return False
    now = timezone.now()
    Version.objects.filter(pk=version_id).update(deleted_at=now, purge_began_at=now)
    return True
