"""Celery tasks of the audit log."""

from celery import shared_task

from access.audit import log


@shared_task(time_limit=600)
def purge_audit() -> int:
    """Delete entries that are older than RUNYARD_AUDIT_DAYS."""
    return log.purge()
