"""The end of drafts that were given up, and of those that nobody has sent anything for in a week."""

import logging
from datetime import timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from artifacts.models import DirectUpload, PartsUpload, Pin, Version, VersionState
from common.errors import Unavailable
from runs.lifecycle.purge import ROWS_AT_ONCE, delete_rows
from runs.states import ACTIVE
from storage import parts
from storage.buckets.services import backend_of

logger = logging.getLogger(__name__)

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
    _give_up_in_buckets(version_id)
    Version.objects.filter(pk=version_id, state=VersionState.DRAFT).delete()
    return True


def _give_up_in_buckets(version_id: int) -> None:
    """Drop parts that went straight to a bucket; what has come whole is the sweep of strays' matter."""
    for upload in DirectUpload.objects.filter(version=version_id).exclude(parts_id=""):
        try:
            backend_of(upload.bucket_id).give_up_parts(upload.location, upload.parts_id)
        except Unavailable as error:  # the bucket's own rule removes them in a week
            logger.warning("parts of %s were not given up: %s", upload, error)


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
