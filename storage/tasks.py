"""What storage does by itself."""

from celery import shared_task

from storage import services


@shared_task(time_limit=600)
def sweep_storage() -> int:
    """Free what nobody uses."""
    return services.sweep()


@shared_task(time_limit=3600)
def sweep_strays() -> int:
    """Free content that no row names."""
    return services.sweep_strays()
