"""Trials (TEAM-12): a plan until a day, free of charge, and another one afterwards. Nothing is deleted when one ends.

Whoever chooses or is given a plan meanwhile ends the trial by that. The end, and the mails before it, are found from
the rows alone: a beat that was missed, ran twice or was killed loses and repeats nothing.
"""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actor import SYSTEM, Actor
from access.audit.log import record
from access.engine import require_operator
from billing.invoices.closing import locked_up_to_date
from billing.invoices.mails import mail_trial_ended, mail_trial_ends
from billing.models import Plan, Subscription
from billing.models.plans import TERMS
from billing.plans.catalogue import fallback_of
from billing.plans.pricing import store_earlier_terms
from billing.subscriptions.selectors import locked
from common.errors import Conflict, Invalid

REMINDER_DAYS = (7, 1)
"""How many days before the end a reminder is mailed."""
logger = logging.getLogger("runyard.billing")


@transaction.atomic
def start_trial(
    *, actor: Actor, subscription: Subscription, plan: Plan, ends_at: datetime, reason: str = ""
) -> Subscription:
    """Give a payer a plan until a moment, or move the end of a trial; the plan of before comes back then.

    Raises:
        Invalid: the end has passed.
        Conflict: it is the payer's plan already, and there is no plan without a price to go to afterwards.
    """
    require_operator(actor, "subscription.trial", _("Only operators of this installation can change plans."))
    now = timezone.now()
    if ends_at <= now:
        raise Invalid(_("The end of a trial must be in the future."))
    row = locked_up_to_date(subscription, now)
    afterwards = row.trial_then or (row.plan if row.plan_id != plan.pk else fallback_of(plan))
    if afterwards is None or afterwards.pk == plan.pk:
        raise Conflict(_("There is no other free plan to switch to after the trial."))
    before = _audit_snapshot(row)
    if row.plan_id != plan.pk:
        store_earlier_terms(row, now.date())
    row.plan, row.trial_ends_at, row.trial_then, row.trial_told_days = plan, ends_at, afterwards, None
    _save(actor, "subscription.trial", row, before, reason)
    return row


def process_due(now: datetime | None = None) -> int:
    """End trials that are over, and remind of those that end soon; returns for how many something was done.

    One that fails is logged, holds up no other, and is tried again by the next look.
    """
    now = now or timezone.now()
    trials = Subscription.objects.filter(trial_ends_at__isnull=False)
    trials = trials.exclude(organization__deleted_at__isnull=False).exclude(team__deleted_at__isnull=False)
    over = trials.filter(trial_ends_at__lte=now)
    near = trials.filter(trial_ends_at__gt=now, trial_ends_at__lte=now + timedelta(days=REMINDER_DAYS[0]))
    return _process(over, _end, now) + _process(near, _remind, now)


def _process(rows: QuerySet[Subscription], act: Callable[[int, datetime], bool], now: datetime) -> int:
    done = 0
    for pk in list(rows.order_by("pk").values_list("pk", flat=True)):
        try:
            done += act(pk, now)
        except Exception:
            logger.exception("the trial of subscription %s could not be tended", pk)
    return done


@transaction.atomic
def _end(pk: int, now: datetime) -> bool:
    """Go to the plan after the trial; of two at once, the second one finds that it is done."""
    row = locked_up_to_date(Subscription.objects.get(pk=pk), now)
    if row.trial_ends_at is None or row.trial_then is None or row.trial_ends_at > now:
        return False
    before, trial = _audit_snapshot(row), row.plan
    store_earlier_terms(row, now.date())
    row.plan = row.trial_then
    row.clear_trial()
    _save(SYSTEM, "subscription.trial_end", row, before)
    mail_trial_ended(row, trial)
    return True


@transaction.atomic
def _remind(pk: int, now: datetime) -> bool:
    row = locked(Subscription.objects.get(pk=pk))
    if row.trial_ends_at is None or row.trial_ends_at <= now:
        return False
    due = min(
        (days for days in REMINDER_DAYS if row.trial_ends_at - now <= timedelta(days=days)), default=None
    )
    if due is None or (row.trial_told_days is not None and row.trial_told_days <= due):
        return False
    row.trial_told_days = due
    row.save(update_fields=["trial_told_days", "updated_at"])
    mail_trial_ends(row)
    return True


def _audit_snapshot(row: Subscription) -> dict[str, str | None]:
    return {
        "plan": row.plan.key,
        "trial_ends_at": row.trial_ends_at.isoformat() if row.trial_ends_at else None,
        "trial_then": row.trial_then.key if row.trial_then else None,
    }


def _save(
    actor: Actor, action: str, row: Subscription, before: dict[str, str | None], reason: str = ""
) -> None:
    row.save(update_fields=[*TERMS, "updated_at"])
    after = _audit_snapshot(row) | ({"reason": reason} if reason else {})
    record(
        actor, action, row.payer, before=before, after=after,
        organization_id=row.organization_id, team_id=row.team_id,
    )  # fmt: skip
