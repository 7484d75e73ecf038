"""Trace data that was taken in (BIL-4). Whoever takes some in calls this; nothing does until there are traces."""

from datetime import datetime

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from common.errors import Invalid
from usage.models import IngestionEntry
from usage.policy import usage_policy

MAX_TOKEN = 64


@transaction.atomic
def record_ingestion(
    *,
    team_id: int,
    project_id: int | None,
    user_id: int | None,
    size_bytes: int,
    token: str,
    at: datetime | None = None,
) -> bool:
    """Write down that trace data was taken in, in the transaction that does so; say whether it is new.

    Args:
        team_id: Whose it is.
        project_id: None: of no project.
        user_id: Who sent it; None: nobody known.
        size_bytes: As it came, from 0.
        token: The producer's own, of 1 to 64 characters, unique among all producers: begin it with a name. What comes
            with the same one again changes nothing.
        at: When it came; now, unless given.

    Raises:
        Invalid: a negative size, or a token that is empty or too long.
        TooLarge: limits are enforced, the period's is used up, and the plan sells nothing above it.
    """
    if size_bytes < 0:
        raise Invalid(
            _("The size of trace data must be 0 bytes or more, not %(size)s.") % {"size": size_bytes}
        )
    if not 0 < len(token) <= MAX_TOKEN:
        raise Invalid(_("A trace data token must have 1 to %(limit)s characters.") % {"limit": MAX_TOKEN})
    if not IngestionEntry.objects.filter(token=token).exists():
        usage_policy().require_ingestion(team_id)
    _entry, is_new = IngestionEntry.objects.get_or_create(
        token=token,
        defaults={
            "team_id": team_id, "project_id": project_id, "user_id": user_id, "size_bytes": size_bytes,
            "at": at or timezone.now(),
        },
    )  # fmt: skip
    return is_new
