"""Usage alerts (BIL-6): limits that come near or are reached, and charges that grow; once in a period each.

Thresholds are compared with the totals, never with what changed since the last look: a missed look loses nothing, and
several thresholds passed together are mailed in order. Each alert is a unique row, written with its mails.
The percentage of storage is of what is held now: it warns before the limit. Its charges are of the mean over the
period, as invoices are.
"""

import logging
from collections.abc import Collection, Iterator
from datetime import datetime
from decimal import Decimal

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from billing.models import Subscription, UsageAlert, UsageCategory
from billing.plans.pricing import UsageLine, as_limit, overage_usd, usage_lines
from billing.subscriptions.selectors import locked
from billing.subscriptions.usage import use_by_payer
from billing.usage_alerts import mails as alert_mails
from usage.periods import Period, period_at
from usage.reports.usage_totals import UsageTotals

PERCENTS = (85, 100)
"""Of the limit of a category; reached."""
CHARGES_USD = (200, 450, 700, 1000)
"""Of what use beyond the plan costs in the period so far; passed."""
_LIMITED = (
    Q(plan__included_hours__isnull=False)
    | Q(plan__included_storage_gb__isnull=False)
    | Q(plan__included_ingestion_gb__isnull=False)
)
logger = logging.getLogger("runyard.billing")
Threshold = tuple[UsageCategory, int]


def check_usage(now: datetime | None = None) -> int:
    """Look at the running period of every payer with alerts, as far as it is metered; returns how many were sent.

    The last hours of a period are looked at when it is closed (`billing.invoices.closing`).
    """
    now = now or timezone.now()
    watched = Subscription.objects.filter(_LIMITED, plan__has_usage_alerts=True)
    watched = watched.exclude(organization__deleted_at__isnull=False).exclude(team__deleted_at__isnull=False)
    sent = 0
    for anchor in sorted(set(watched.order_by().values_list("anchor_day", flat=True))):
        sent += _check(watched.filter(anchor_day=anchor), period_at(now, anchor))
    return sent


def send_passed(subscription: Subscription, period: Period, use: UsageTotals) -> list[UsageAlert]:
    """Send alerts of thresholds that were passed in this period; call with the subscription locked."""
    if not subscription.plan.has_usage_alerts or subscription.payer.deleted_at is not None:
        return []
    lines = usage_lines(subscription, use.amounts, period)
    known = set(_sent_alerts([subscription.pk], period))
    sent = []
    for category, threshold in _passed(subscription, lines, use):
        if (subscription.pk, str(category), threshold) in known:
            continue
        alert = UsageAlert(
            subscription=subscription, period_start=period.start, category=category, threshold=threshold
        )
        alert.recipients = alert_mails.mail_alert(alert, period, lines, use)
        alert.save(force_insert=True)
        sent.append(alert)
    return sent


def _percent(line: UsageLine) -> Decimal | None:
    """Return how much of a category's limit is used; None without one.

    A limit of nothing is full as soon as anything is used.
    """
    if line.included is None:
        return None
    if line.included:
        return line.used / line.included * 100
    return Decimal(100) if line.used > 0 else Decimal(0)


def _passed(subscription: Subscription, lines: list[UsageLine], use: UsageTotals) -> Iterator[Threshold]:
    for line in lines:
        percent = _percent(as_limit(line, subscription, use.held_bytes))
        if percent is not None:
            yield from ((line.category, threshold) for threshold in PERCENTS if percent >= threshold)
    charges = overage_usd(lines)
    yield from ((UsageCategory.CHARGES, threshold) for threshold in CHARGES_USD if charges > threshold)


def _sent_alerts(
    subscriptions: Collection[int], period: Period
) -> QuerySet[UsageAlert, tuple[int, str, int]]:
    rows = UsageAlert.objects.filter(subscription__in=subscriptions, period_start=period.start)
    return rows.order_by().values_list("subscription_id", "category", "threshold")


def _check(watched: QuerySet[Subscription], period: Period) -> int:
    """Find payers with something to send in a few queries for all, then lock each of those."""
    rows = list(watched.select_related("plan", "organization", "team"))
    uses = use_by_payer(rows, period)
    known = set(_sent_alerts([row.pk for row in rows], period))
    sent = 0
    for row in rows:
        use = uses[row.pk]
        passed = _passed(row, usage_lines(row, use.amounts, period), use)
        if any((row.pk, str(category), threshold) not in known for category, threshold in passed):
            sent += _send_safely(row, period, use)
    return sent


def _send_safely(subscription: Subscription, period: Period, use: UsageTotals) -> int:
    """Send one payer's alerts; a failure is logged and does not hold up others."""
    try:
        return _send(subscription, period, use)
    except Exception:
        logger.exception("usage alerts of %s could not be sent", subscription.payer.name)
        return 0


@transaction.atomic
def _send(subscription: Subscription, period: Period, use: UsageTotals) -> int:
    """Look again with the row locked: of two concurrent calls, the second finds that everything was sent."""
    return len(send_passed(locked(subscription), period, use))
