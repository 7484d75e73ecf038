"""Closing periods: what was used is settled, what it costs is invoiced, and what was chosen for later begins (BIL-10).

A period is closed some hours after its end (RUNYARD_BILLING_GRACE_H), in one transaction for each payer and period. Its
invoice charges use beyond the plan in the period that ended, and the plan and the storage of the one that follows. Use
is charged by the terms that hold at the period's end, so whatever changes terms at once closes what has ended first
(`close_ended`).
"""

import logging
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from access.actor import SYSTEM
from access.audit import log
from billing.formatting import plain
from billing.invoices.drafts import LineDraft, overage_drafts, recurring_drafts
from billing.invoices.issuing import issue
from billing.invoices.services import schedule_collection
from billing.models import Invoice, InvoiceKind, PeriodClose, Subscription
from billing.models.plans import TERMS
from billing.plans.pricing import UsageLine, usage_lines
from billing.subscriptions.selectors import locked, teams_of
from billing.subscriptions.services import record_former_plan
from billing.subscriptions.usage import use_of
from billing.usage_alerts import services as usage_alerts
from usage.metering.intervals import settle
from usage.periods import Period, period_at, period_of
from usage.reports.usage_totals import UsageTotals

_PLACES = Decimal("0.000000000001")
logger = logging.getLogger("runyard.billing")


@dataclass(slots=True)
class CloseResult:
    """What became of closing many."""

    closed: int = 0
    failed: list[str] = field(default_factory=list)
    """Names of payers."""


def close_due(now: datetime | None = None) -> int:
    """Close every period that ended more than the grace ago; returns how many."""
    return close_all(grace_before(now or timezone.now())).closed


def grace_before(now: datetime) -> datetime:
    """Return by when a period must have ended to be closed by itself."""
    return now - timedelta(hours=settings.BILLING_GRACE_H)


def close_all(before: datetime) -> CloseResult:
    """Close every period that ended by a moment, each payer's in order.

    One that fails is logged and does not hold up other payers; the next call tries it again.
    """
    result = CloseResult()
    for subscription in _subscriptions_to_close(before).iterator(chunk_size=500):
        try:
            result.closed += close_ended(subscription, before)
        except Exception:
            logger.exception("a billing period of %s could not be closed", subscription.payer.name)
            result.failed.append(subscription.payer.name)
    return result


def close_ended(subscription: Subscription, at: datetime) -> int:
    """Close all periods of a payer that ended by a moment, the oldest first; returns how many.

    What comes later for them counts in the period that is open. Called without the grace before a plan changes at
    once: the old terms charge what they were in force for.
    """
    closed = 0
    while _close_next(subscription, at):
        closed += 1
    return closed


def locked_up_to_date(subscription: Subscription, at: datetime) -> Subscription:
    """Lock a subscription and close all its periods that have ended: call before its terms change immediately."""
    row = locked(subscription)
    return locked(row) if close_ended(row, at) else row


def first_open(subscription: Subscription) -> Period:
    """Return the oldest period that is not closed.

    Where the anchor day was changed, the first one is the shorter for it.
    """
    anchor = subscription.anchor_day
    if subscription.closed_to is None:
        return period_at(subscription.created_at, anchor)
    return Period(subscription.closed_to, period_of(subscription.closed_to, anchor).end)


def _subscriptions_to_close(before: datetime) -> QuerySet[Subscription]:
    """Return the payers that have a period to close, without those who were deleted in one that is closed."""
    behind = Q(pk__in=())
    for anchor in Subscription.objects.order_by().values_list("anchor_day", flat=True).distinct():
        current = period_at(before, anchor)
        started = Q(closed_to__lt=current.start) | Q(closed_to=None, created_at__lt=current.starts_at)
        behind |= Q(anchor_day=anchor) & started
    gone = Q(organization__deleted_at__date__lt=F("closed_to")) | Q(team__deleted_at__date__lt=F("closed_to"))
    rows = Subscription.objects.select_related("plan", "organization", "team")
    return rows.filter(behind).exclude(gone).order_by("pk")


@transaction.atomic
def _close_next(subscription: Subscription, at: datetime) -> bool:
    """Close the payer's oldest open period if it has ended; of two at once, the second one waits, and sees the next."""
    row = locked(subscription)
    period = first_open(row)
    if period.ends_at > at or _was_deleted_before(row, period):
        return False
    settle(list(teams_of(row).values_list("pk", flat=True)), period)
    use = use_of(row, period, period.ends_at)
    lines = usage_lines(row, use.amounts, period)
    usage_alerts.send_passed(row, period, use)
    terms, drafts = _terms_to_dict(row), overage_drafts(lines, period)
    _begin_next(row)
    if row.payer.deleted_at is None:
        drafts += recurring_drafts(row, Period(period.end, period_of(period.end, row.anchor_day).end))
    invoice = _issue_invoice(row, period, drafts)
    PeriodClose.objects.create(
        subscription=row,
        period_start=period.start,
        period_end=period.end,
        closed_at=timezone.now(),
        usage=_usage_snapshot(use, lines, terms, invoice),
    )
    row.closed_to = subscription.closed_to = period.end
    row.save(update_fields=["closed_to", "updated_at"])
    return True


def _was_deleted_before(row: Subscription, period: Period) -> bool:
    deleted_at = row.payer.deleted_at
    return deleted_at is not None and deleted_at < period.starts_at


def _begin_next(row: Subscription) -> None:
    """Let the plan and the storage begin that were chosen for the period that follows."""
    before, plan, was_trial = row.terms, row.plan, row.is_trial
    row.apply_next_terms()
    row.save(update_fields=[*TERMS, "updated_at"])
    if not was_trial:
        record_former_plan(row, plan)
    if (after := row.terms) != before:
        log.record(
            SYSTEM, "billing_period.begin", row, organization_id=row.organization_id, before=before, after=after
        )  # fmt: skip


def _issue_invoice(row: Subscription, period: Period, drafts: list[LineDraft]) -> Invoice | None:
    """Issue the period's invoice and ask for its money; personal entities pay nothing."""
    if row.organization_id is None:
        return None
    invoice = issue(row, InvoiceKind.PERIOD, period, drafts, timezone.now())
    if invoice is not None:
        schedule_collection(invoice)
    return invoice


def _terms_to_dict(row: Subscription) -> dict[str, Any]:
    """Return what the plan said when the period ended; operators may edit it later."""
    plan = row.plan
    return {
        "plan": plan.key,
        "name": plan.name,
        "price_usd": str(plan.price_usd),
        "extra_storage_gb": row.extra_storage_gb,
    }


def _usage_snapshot(
    use: UsageTotals, lines: list[UsageLine], terms: dict[str, Any], invoice: Invoice | None
) -> dict[str, Any]:
    """Return what is stored of a closed period: amounts, terms and what they came to."""
    shown = [
        {
            "category": str(line.category.value),
            "used": _text(line.used),
            "included": _text(line.included),
            "unit": line.unit,
            "price_usd": _text(line.price_usd),
            "amount_usd": str(line.amount_usd),
        }
        for line in lines
    ]
    return {
        "used": asdict(use),
        "terms": terms,
        "lines": shown,
        "invoice": invoice.number if invoice else None,
    }


def _text(value: Decimal | None) -> str | None:
    """Return a number to twelve places, without the zeros at its end."""
    return None if value is None else plain(value.quantize(_PLACES)).replace(",", "")
