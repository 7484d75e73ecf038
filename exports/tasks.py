"""Celery tasks of exports."""

from celery import shared_task

from exports import services


@shared_task(ignore_result=True, time_limit=24 * 3600)
def make_exports() -> None:
    """Make what is waiting, one after the other; of two workers that try, one does."""
    services.expire_exports()
    while services.make_next_export():
        pass
