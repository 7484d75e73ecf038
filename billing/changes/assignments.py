"""What operators assign to payers: plans, storage and ways to pay (BIL-11)."""

from typing import Any

from django.db import transaction
from django.db.models import Model
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit.log import record
from billing.invoices.closing import locked_up_to_date
from billing.models import Plan, Subscription, UsageCategory
from billing.models.plans import TERMS
from billing.plans.pricing import MOST_EXTRA_GB
from billing.plans.services import require_plan_operator
from common.errors import Conflict, Invalid


@transaction.atomic
def assign_plan(*, actor: Actor, subscription: Subscription, plan: Plan, reason: str = "") -> Subscription:
    """Put a payer on a plan at once, whether it is offered or not. No invoice is made: that is agreed elsewhere.

    A change that was waiting for the period's end is dropped; bought storage ends where the plan sells none. What the
    payer had before it cannot choose any more, unless it is offered: so operators withdraw a plan.
    """
    require_plan_operator(actor, "subscription.assign")
    row = locked_up_to_date(subscription, timezone.now())
    before = row.terms
    row.next_plan, row.next_extra_storage_gb = None if row.plan_id == plan.pk else plan, None
    row.apply_next_terms()
    row.clear_trial()
    row.former_plans.clear()
    return _save(actor, "subscription.assign", row, before, reason)


@transaction.atomic
def assign_storage(
    *, actor: Actor, subscription: Subscription, extra_storage_gb: int, reason: str = ""
) -> Subscription:
    """Give a payer more storage than the plan's, or take it back, at once and without an invoice.

    Raises:
        Invalid: less than none, or more than a PB.
    """
    require_plan_operator(actor, "subscription.assign_storage")
    if not 0 <= extra_storage_gb <= MOST_EXTRA_GB:
        raise Invalid(_("Extra storage must be 0 to %(most)d GB.") % {"most": MOST_EXTRA_GB})
    row = locked_up_to_date(subscription, timezone.now())
    before = row.terms
    row.extra_storage_gb, row.next_extra_storage_gb = extra_storage_gb, None
    whole = {UsageCategory.STORAGE.value: row.storage_limit_gb}
    row.earlier_terms = [changed | whole for changed in row.earlier_terms]
    return _save(actor, "subscription.assign_storage", row, before, reason)


@transaction.atomic
def assign_payment(
    *, actor: Actor, subscription: Subscription, by_transfer: bool, anchor_day: int, reason: str = ""
) -> Subscription:
    """Say how a payer pays, and on which day of the month its periods begin.

    Args:
        actor: An operator.
        subscription: Whose.
        by_transfer: By bank transfer, even with a card on file; else by what is set up and on file.
        anchor_day: 1 to 28; the first period is the shorter for it.
        reason: For the audit log.

    Raises:
        Conflict: the day would change after the first period: days would count or be paid twice.
    """
    require_plan_operator(actor, "subscription.assign_payment")
    row = locked_up_to_date(subscription, timezone.now())
    if anchor_day != row.anchor_day and (row.invoices_made or row.closed_to):
        raise Conflict(_("The start day cannot be changed once a period was closed or invoiced."))
    before = {"pays_by_transfer": row.pays_by_transfer, "anchor_day": row.anchor_day}
    row.pays_by_transfer, row.anchor_day = by_transfer, anchor_day
    row.save(update_fields=["pays_by_transfer", "anchor_day", "updated_at"])
    after = {"pays_by_transfer": by_transfer, "anchor_day": anchor_day}
    _record(actor, "subscription.assign_payment", row, before, {**after, **_reason_field(reason)})
    return row


def _save(actor: Actor, action: str, row: Subscription, before: dict[str, Any], reason: str) -> Subscription:
    """Save other terms, and note what of them changed."""
    row.save(update_fields=[*TERMS, "updated_at"])
    after = row.terms
    names = [name for name in after if after[name] != before[name]]
    changed = {name: after[name] for name in names}
    _record(actor, action, row, {name: before[name] for name in names}, {**changed, **_reason_field(reason)})
    return row


def _record(
    actor: Actor, action: str, row: Subscription, before: dict[str, Any], after: dict[str, Any]
) -> None:
    about: Model = row.payer
    record(
        actor, action, about, before=before, after=after, organization_id=row.organization_id, team_id=row.team_id
    )  # fmt: skip


def _reason_field(reason: str) -> dict[str, str]:
    return {"reason": reason} if reason else {}
