"""Usage alerts that were sent (BIL-6)."""

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone
from django.utils.translation import gettext as _

from billing.models import Subscription, UsageAlert, UsageCategory
from billing.usage_alerts.mails import category_name
from usage.periods import period_at


@dataclass(frozen=True, slots=True)
class SentAlert:
    """One alert, in words."""

    words: str
    at: datetime
    recipients: list[str]
    """Usernames."""
    is_critical: bool
    """A limit is reached, or charges grow; else one comes near."""


def alerts_sent(subscription: Subscription, now: datetime | None = None) -> list[SentAlert]:
    """Return what was sent in the running period, the newest first, for ``usage_alerts/sent.html``."""
    period = period_at(now or timezone.now(), subscription.anchor_day)
    rows = UsageAlert.objects.filter(subscription=subscription, period_start=period.start)
    return [
        SentAlert(_alert_message(row), row.at, row.recipients, is_critical=row.threshold >= 100)
        for row in rows.order_by("-pk")
    ]


def _alert_message(row: UsageAlert) -> str:
    if row.category == UsageCategory.CHARGES:
        return _("Charges above the plan passed %(amount)s") % {"amount": f"${row.threshold:,}"}
    names = {"what": category_name(row.category), "percent": row.threshold}
    return _("%(what)s: %(percent)d%% of the limit reached") % names
