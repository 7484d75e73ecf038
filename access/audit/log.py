"""Writing the audit log, in the transaction of the act itself."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any, Protocol

from django.conf import settings
from django.db.models import Model
from django.utils import timezone

from access.actor import Actor
from access.models import AuditEntry

_PURGED_AT_ONCE = 1000
"""Entries that one statement deletes: SQLite has one writer, which runs that log must not wait for."""


class AuditedTeam(Protocol):
    """A team, as far as an entry names it."""

    pk: Any
    organization_id: int | None


def record(
    actor: Actor,
    action: str,
    obj: Model,
    *,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
    organization_id: int | None = None,
    team_id: int | None = None,
) -> None:
    """Write one entry; call inside the service's transaction."""
    entry = _entry(actor, action, obj, organization_id, team_id)
    entry.before, entry.after = before or {}, after or {}
    entry.save()


def record_many(actor: Actor, action: str, objects: Iterable[tuple[Model, AuditedTeam]]) -> None:
    """Write an entry for each of many objects of an act, with the team it belongs to, in one statement."""
    entries = [_entry(actor, action, obj, team.organization_id, team.pk) for obj, team in objects]
    AuditEntry.objects.bulk_create(entries, batch_size=100)


def _entry(
    actor: Actor, action: str, obj: Model, organization_id: int | None, team_id: int | None
) -> AuditEntry:
    return AuditEntry(
        user_id=actor.user_id,
        actor_name=actor.shown_name,
        actor_kind=actor.kind.value,
        key_id=actor.key_id,
        address=actor.address,
        action=str(action),
        object_type=obj._meta.label,
        object_id=str(obj.pk),
        object_name=str(obj)[:300],
        organization_id=organization_id,
        team_id=team_id,
    )


def purge() -> int:
    """Delete what is older than AUDIT_DAYS, the oldest first, in small transactions; returns how many."""
    if not settings.AUDIT_DAYS:
        return 0
    over = AuditEntry.objects.filter(at__lt=timezone.now() - timedelta(days=settings.AUDIT_DAYS))
    purged = 0
    while pks := list(over.order_by("at", "pk").values_list("pk", flat=True)[:_PURGED_AT_ONCE]):
        purged += AuditEntry.objects.filter(pk__in=pks).delete()[0]
    return purged
