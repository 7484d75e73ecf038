"""Trace data that was taken in (BIL-4). Whoever takes some in calls this; nothing does until there are traces."""

from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from billing.asking import whom_to_ask
from billing.limits import LimitKind, state_of
from billing.models import IngestionEntry
from billing.subscriptions import subscription_of_team
from billing.words import plain
from common.errors import Invalid, TooLarge
from teams.models import Team

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
        _require_room(team_id)
    _entry, is_new = IngestionEntry.objects.get_or_create(
        token=token,
        defaults={
            "team_id": team_id, "project_id": project_id, "user_id": user_id, "size_bytes": size_bytes,
            "at": at or timezone.now(),
        },
    )  # fmt: skip
    return is_new


def _require_room(team_id: int) -> None:
    """Refuse more than the plan's, by what the meter has counted so far; one entry may go beyond."""
    if not settings.ENFORCE_LIMITS:
        return
    subscription = subscription_of_team(Team.objects.get(pk=team_id))
    limit = state_of(subscription).of(LimitKind.INGESTION)
    if limit is None or limit.included is None or limit.price_usd is not None or limit.used < limit.included:
        return
    names = {"payer": subscription.payer, "limit": plain(limit.included), "plan": subscription.plan.name}
    message = _(
        "%(payer)s has used the %(limit)s GB of trace data included in the plan %(plan)s for this period."
    )
    raise TooLarge(f"{message % names} {whom_to_ask(subscription)}")
