"""Celery tasks of artifacts: the end of drafts, of versions and of contents, and the nightly look at the ledger."""

from celery import shared_task

from artifacts.registries.purge import purge_registries
from artifacts.retention import collector, drafts, expiry, ledger, purge

BUDGET_S = 60.0
COLLECTED_FOR_S = 300.0


@shared_task(time_limit=600)
def purge_artifacts() -> int:
    """Remove abandoned drafts, and versions and registries that nobody can restore; returns how many of all."""
    return drafts.sweep_drafts() + purge.purge_versions(BUDGET_S) + purge_registries(BUDGET_S)


@shared_task(time_limit=600)
def collect_artifacts() -> int:
    """Free the contents that nothing names any more; returns how many bytes."""
    return collector.collect_contents(COLLECTED_FOR_S).size_bytes


@shared_task(time_limit=600)
def expire_artifacts() -> int:
    """Delete versions whose time to live is over, and mail before it; returns how many were deleted."""
    expired = expiry.expire_versions()
    expiry.announce_expiry()
    return expired


@shared_task(time_limit=3600)
def settle_artifacts() -> int:
    """Repair the ledger of bytes where it differs from what projects hold; returns of how many. Every night."""
    return ledger.settle()
