"""When files may no longer be uploaded, and since when more is stored than the limit (BIL-3).

Only with ``settings.ENFORCE_LIMITS``, only where the plan sells nothing above its storage, and only after its days of
grace. Less stored, a larger plan or more storage bought lifts it at once.
"""

from datetime import datetime

from django.conf import settings
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from billing.admins.contacts import whom_to_ask
from billing.limits.selectors import bytes_held, refused_from
from billing.models import Subscription
from common.errors import TooLarge
from usage.formatting import gigabytes
from usage.units import GB


def check_room(team_id: int) -> None:
    """Refuse more files of a team (`storage.quota`); one query, two more where the grace is over.

    Raises:
        TooLarge: the limit, what is stored, and who can change it.
    """
    if not settings.ENFORCE_LIMITS:
        return
    payer = Q(team=team_id) | Q(organization__teams=team_id)
    row = Subscription.objects.select_related("plan", "organization", "team").filter(payer).first()
    since = None if row is None else refused_from(row)
    if row is None or since is None or since > timezone.now():
        return
    held, limit = bytes_held([row])[row.pk], row.storage_limit_gb
    if limit is not None and held > limit * GB:
        raise TooLarge(_refusal(row, held, limit))


def _refusal(row: Subscription, held: int, limit: int) -> str:
    names = {
        "payer": row.payer,
        "held": gigabytes(held),
        "limit": gigabytes(limit * GB),
        "plan": row.plan.name,
    }
    message = _(
        "%(payer)s stores %(held)s, but its plan %(plan)s includes %(limit)s. File uploads are blocked "
        "until you free up storage. Metrics and logs still work."
    )
    return f"{message % names} {whom_to_ask(row)}"


def note_storage(
    subscription: Subscription, held_bytes: int | None = None, now: datetime | None = None
) -> bool:
    """Keep since when more is stored than the limit; returns whether it is. The days of grace run from then.

    Args:
        subscription: Whose.
        held_bytes: What is stored, where it is known already.
        now: When it was found.
    """
    held = bytes_held([subscription])[subscription.pk] if held_bytes is None else held_bytes
    limit = subscription.storage_limit_gb
    is_above = limit is not None and held > limit * GB
    if is_above != (subscription.over_storage_since is not None):
        since = (now or timezone.now()) if is_above else None
        rows = Subscription.objects.filter(pk=subscription.pk, over_storage_since__isnull=is_above)
        rows.update(over_storage_since=since)
        subscription.over_storage_since = since
    return is_above
