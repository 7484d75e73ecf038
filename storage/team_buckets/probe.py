"""Checks of buckets that somebody waits for at a page or a program: they end in time, whatever the bucket does."""

from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from threading import Thread

from django.utils.translation import gettext as _

from common.errors import Conflict
from storage.backends.base import Backend, StorageUnavailable
from storage.backends.check import check
from storage.backends.transfer import Timeouts
from storage.buckets.services import open_bucket
from storage.models import Bucket

WAIT_S = 30
"""For everything together; a bucket that answers needs one or two."""
_EACH = Timeouts(connect_s=5, read_s=10, tries=2)


def check_in_time(bucket: Bucket) -> None:
    """Do as `storage.backends.check.check`, and give up after `WAIT_S`.

    Timeouts hold between two pieces of an answer, so a server that sends a byte now and then would be waited for
    forever: the asking is left to a thread of its own.

    Raises:
        Invalid: the address or the credentials cannot be right.
        StorageUnavailable: the bucket cannot be used, or not in time.
    """
    backend, outcome = open_bucket(bucket, timeouts=_EACH), Future[None]()
    Thread(target=_check, args=(backend, outcome), name="bucket-check", daemon=True).start()
    try:
        outcome.result(timeout=WAIT_S)
    except TimeoutError:
        message = _("The bucket did not pass all checks within %(seconds)s seconds.")
        raise StorageUnavailable(message % {"seconds": WAIT_S}) from None


@contextmanager
def refusing_as_conflict() -> Iterator[None]:
    """Let a bucket that cannot be used be the fault of who named it: trying again does not help."""
    try:
        yield
    except StorageUnavailable as error:
        raise Conflict(error.message) from error


def _check(backend: Backend, outcome: "Future[None]") -> None:
    try:
        check(backend)
    except Exception as error:  # noqa: BLE001 - raised where it is waited for
        outcome.set_exception(error)
    else:
        outcome.set_result(None)
