"""Checks of buckets that somebody waits for at a page or a program: they end in time, whatever the bucket does."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.utils.translation import gettext as _

from common.budgets.budget import current
from common.errors import Conflict
from common.safe_http.deadlines import Deadline
from storage.backends.base import StorageUnavailable
from storage.backends.check import check
from storage.backends.transfer import Timeouts
from storage.buckets.services import open_bucket
from storage.models import Bucket

WAIT_S = 30
"""For everything together; a bucket that answers needs one or two."""
_EACH = Timeouts(connect_s=5, read_s=10, tries=2)


def check_in_time(bucket: Bucket) -> None:
    """Do as `storage.backends.check.check`, and give up after `WAIT_S`.

    Raises:
        Invalid: the address or the credentials cannot be right.
        StorageUnavailable: the bucket cannot be used, or not in time.
    """
    backend = open_bucket(bucket, timeouts=_EACH)
    with Deadline(WAIT_S, current().is_abandoned) as deadline:
        try:
            check(backend)
        except StorageUnavailable:
            if not deadline.is_over:
                raise
            message = _("The bucket did not pass all checks within %(seconds)s seconds.")
            raise StorageUnavailable(message % {"seconds": WAIT_S}) from None


@contextmanager
def refusing_as_conflict() -> Iterator[None]:
    """Let a bucket that cannot be used be the fault of who named it: trying again does not help."""
    try:
        yield
    except StorageUnavailable as error:
        raise Conflict(error.message) from error
