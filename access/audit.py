"""Writing the audit log, in the transaction of the act itself."""

from typing import Any

from django.db.models import Model

from access.actor import Actor
from access.models import AuditEntry


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
    AuditEntry.objects.create(
        user_id=actor.user_id,
        actor_name=actor.name or actor.kind.value,
        actor_kind=actor.kind.value,
        key_id=actor.key_id,
        address=actor.address,
        action=str(action),
        object_type=obj._meta.label,
        object_id=str(obj.pk),
        object_name=str(obj)[:300],
        organization_id=organization_id,
        team_id=team_id,
        before=before or {},
        after=after or {},
    )
