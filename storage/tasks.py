"""Celery tasks of storage: freeing unused blobs and stray content."""

from celery import shared_task

from storage import services
from storage.models import Blob
from storage.team_buckets import moving


@shared_task(time_limit=600)
def sweep_storage() -> int:
    """Free what nobody uses."""
    return services.sweep()


@shared_task(acks_late=True, time_limit=60)
def free_blobs(blob_ids: list[int]) -> int:
    """Free those of these blobs that nobody uses any more, without waiting for the sweep; returns how many were."""
    return services.free_unused(Blob.objects.filter(pk__in=blob_ids))


@shared_task(time_limit=3600)
def sweep_strays() -> int:
    """Free content that no row names, and forget buckets of teams that hold nothing any more."""
    removed = services.sweep_strays()
    moving.forget_empty_buckets()
    return removed


@shared_task(time_limit=6 * 3600)
def move_contents() -> int:
    """Go on with all moves of teams to other buckets; returns how many files were moved."""
    return moving.go_on_with_all()


def move_contents_now() -> None:
    """Let a worker go on with moves at once, and again when one with nothing left may end; call after the commit."""
    move_contents.delay()
    move_contents.apply_async(countdown=moving.SETTLED_AFTER.total_seconds() + 1)


@shared_task(time_limit=600)
def begin_late_moves() -> int:
    """Find what lies outside of the buckets of its teams; returns of how many teams."""
    return moving.begin_late_moves()
