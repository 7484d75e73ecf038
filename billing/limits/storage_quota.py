"""When files may no longer be uploaded, and since when more is stored than the limit (BIL-3).

Only with ``settings.ENFORCE_LIMITS``, only where the plan sells nothing above its storage, and only after its days of
grace. Less stored, a larger plan or more storage bought lifts it at once.
"""

from datetime import datetime

from django.conf import settings
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from billing.billing_admins.contacts import billing_contacts_message
from billing.limits.selectors import bytes_by_subscription, refused_from
from billing.models import Subscription
from common.errors import TooLarge
from usage.formatting import gigabytes
from usage.units import GB


def require_storage(team_id: int) -> None:
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
    stored, limit = bytes_by_subscription([row])[row.pk], row.storage_limit_gb
    if limit is not None and stored > limit * GB:
        raise TooLarge(_denied_message(row, stored, limit))


def _denied_message(row: Subscription, stored: int, limit: int) -> str:
    names = {
        "payer": row.payer,
        "held": gigabytes(stored),
        "limit": gigabytes(limit * GB),
        "plan": row.plan.name,
    }
    message = _(
        "%(payer)s stores %(held)s, but its plan %(plan)s includes %(limit)s. File uploads are blocked "
        "until you free up storage. Metrics and logs still work."
    )
    return f"{message % names} {billing_contacts_message(row)}"


def record_storage(
    subscription: Subscription, stored_bytes: int | None = None, now: datetime | None = None
) -> bool:
    """Record since when more is stored than the limit; returns whether it is. The days of grace run from then.

    Args:
        subscription: Whose.
        stored_bytes: What is stored, where it is known already.
        now: When it was found.
    """
    stored = bytes_by_subscription([subscription])[subscription.pk] if stored_bytes is None else stored_bytes
    limit = subscription.storage_limit_gb
    is_above = limit is not None and stored > limit * GB
    if is_above != (subscription.over_storage_since is not None):
        since = (now or timezone.now()) if is_above else None
        rows = Subscription.objects.filter(pk=subscription.pk, over_storage_since__isnull=is_above)
        rows.update(over_storage_since=since)
        subscription.over_storage_since = since
    return is_above
