"""Celery tasks of sweeps: stopping runs that fall behind, repeating lost trials, purging."""

from celery import shared_task

from sweeps.early_stopping.services import stop_runs_behind
from sweeps.lifecycle.deletion import purge_sweeps
from sweeps.lifecycle.upkeep import settle_sweeps


@shared_task(time_limit=300)
def stop_early() -> int:
    """Have runs stopped that fell behind; returns how many."""
    return stop_runs_behind()


@shared_task(time_limit=300)
def settle() -> int:
    """Give up what will not begin any more, and finish sweeps that are over; returns how many were finished."""
    return settle_sweeps()


@shared_task(time_limit=600)
def purge() -> int:
    """Remove deleted sweeps once nobody can restore them; returns how many."""
    return purge_sweeps()
