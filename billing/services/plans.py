"""What operators change: plans, and who is on which (BIL-3, BIL-11)."""

from typing import Any

from django.db import transaction
from django.db.models import Model, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actor import Actor, ActorKind
from access.audit.log import record
from billing.changes import MOST_EXTRA_GB
from billing.invoicing.closing import up_to_date
from billing.models import Plan, Subscription
from billing.models.plans import TERMS
from billing.models.usage import UsageCategory
from billing.subscriptions import fallback_of
from common.errors import Conflict, Forbidden, Invalid

_UNTOLD = frozenset({"id", "created_at", "updated_at"})


def _require_operator(actor: Actor, action: str) -> None:
    """Plans are the installation's own: no role of an organization reaches to them."""
    if not actor.elevated and actor.kind is not ActorKind.SYSTEM:
        raise Forbidden(_("Only operators of this installation can change plans."), action=action)


def _told(plan: Plan) -> dict[str, Any]:
    return {
        field.name: _plain(getattr(plan, field.name))
        for field in Plan._meta.concrete_fields
        if field.name not in _UNTOLD
    }


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | str) else format(value, "f")


def subscribers_of(plan: Plan) -> tuple[int, int]:
    """Return how many organizations and how many personal entities are on a plan, or will be at their period's end."""
    rows = Subscription.objects.filter(plan=plan)
    return rows.filter(organization__isnull=False).count(), rows.filter(team__isnull=False).count()


@transaction.atomic
def save_plan(*, actor: Actor, plan: Plan) -> Plan:
    """Store a plan, new or changed; it holds at once for everybody who is on it.

    A plan that becomes a default takes that from the one before.

    Raises:
        Conflict: the installation would be left without a default plan.
        Invalid: its view-only seats are limited, and it has none; storage is sold in advance and not limited; or it
            is a trial, and there is no plan for afterwards.
    """
    _require_operator(actor, "plan.save")
    list(Plan.objects.select_for_update().order_by("pk"))  # two who name a default do so one after the other
    before = Plan.objects.filter(pk=plan.pk).first()
    _check(plan)
    for name in ("is_default", "is_personal_default"):
        if before is not None and getattr(before, name) and not getattr(plan, name):
            raise Conflict(
                _("One plan must be the default for new customers. Make another plan the default instead.")
            )
        if getattr(plan, name):
            _take_default(actor, plan, name)
    plan.save()
    old, new = ({} if before is None else _told(before)), _told(plan)
    changed = [name for name in new if old.get(name) != new[name]]
    if changed:
        told = {name: old[name] for name in changed if name in old}
        record(actor, "plan.save", plan, before=told, after={name: new[name] for name in changed})
    return plan


def _check(plan: Plan) -> None:
    if plan.view_only_seats is not None and not plan.has_view_only_role:
        raise Invalid(_("View-only seats require the view-only role to be turned on."))
    if plan.trial_days is not None and fallback_of(plan) is None:
        raise Invalid(_("A trial needs another free plan to switch to afterwards."))
    if plan.extra_storage_price_usd is not None and plan.included_storage_gb is None:
        raise Invalid(_("Unlimited storage cannot be sold in advance: set a limit or remove the price."))


def _take_default(actor: Actor, plan: Plan, name: str) -> None:
    for other in Plan.objects.filter(**{name: True}).exclude(pk=plan.pk):
        setattr(other, name, False)
        other.save(update_fields=[name, "updated_at"])
        record(actor, "plan.save", other, before={name: True}, after={name: False})


@transaction.atomic
def delete_plan(*, actor: Actor, plan: Plan) -> None:
    """Delete a plan that nobody is on, now or from the end of a period on.

    Raises:
        Conflict: somebody is, or it is a default.
    """
    _require_operator(actor, "plan.delete")
    plan = Plan.objects.select_for_update().get(pk=plan.pk)
    if plan.is_default or plan.is_personal_default:
        raise Conflict(
            _("%(plan)s is the default for new customers: make another plan the default first.")
            % {"plan": plan}
        )
    users = (
        Subscription.objects.filter(plan=plan).count()
        + Subscription.objects.filter(Q(next_plan=plan) | Q(trial_then=plan)).count()
    )
    if users:
        names = {"plan": plan, "n": users}
        raise Conflict(_("%(plan)s cannot be deleted: %(n)d subscriptions use it or will use it.") % names)
    record(actor, "plan.delete", plan, before=_told(plan))
    plan.delete()


@transaction.atomic
def assign_plan(*, actor: Actor, subscription: Subscription, plan: Plan, reason: str = "") -> Subscription:
    """Put a payer on a plan at once, whether it is offered or not. No invoice is made: that is agreed elsewhere.

    A change that was waiting for the period's end is dropped; bought storage ends where the plan sells none. What the
    payer had before it cannot choose any more, unless it is offered: so operators withdraw a plan.
    """
    _require_operator(actor, "subscription.assign")
    row = up_to_date(subscription, timezone.now())
    before = row.terms
    row.next_plan, row.next_extra_storage_gb = None if row.plan_id == plan.pk else plan, None
    row.begin_coming()
    row.clear_trial()
    row.former_plans.clear()
    return _changed(actor, "subscription.assign", row, before, reason)


@transaction.atomic
def assign_storage(
    *, actor: Actor, subscription: Subscription, extra_storage_gb: int, reason: str = ""
) -> Subscription:
    """Give a payer more storage than the plan's, or take it back, at once and without an invoice.

    Raises:
        Invalid: less than none, or more than a PB.
    """
    _require_operator(actor, "subscription.assign_storage")
    if not 0 <= extra_storage_gb <= MOST_EXTRA_GB:
        raise Invalid(_("Extra storage must be 0 to %(most)d GB.") % {"most": MOST_EXTRA_GB})
    row = up_to_date(subscription, timezone.now())
    before = row.terms
    row.extra_storage_gb, row.next_extra_storage_gb = extra_storage_gb, None
    whole = {UsageCategory.STORAGE.value: row.storage_limit_gb}
    row.earlier_terms = [told | whole for told in row.earlier_terms]
    return _changed(actor, "subscription.assign_storage", row, before, reason)


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
    _require_operator(actor, "subscription.assign_payment")
    row = up_to_date(subscription, timezone.now())
    if anchor_day != row.anchor_day and (row.invoices_made or row.closed_to):
        raise Conflict(_("The start day cannot be changed once a period was closed or invoiced."))
    before = {"pays_by_transfer": row.pays_by_transfer, "anchor_day": row.anchor_day}
    row.pays_by_transfer, row.anchor_day = by_transfer, anchor_day
    row.save(update_fields=["pays_by_transfer", "anchor_day", "updated_at"])
    after = {"pays_by_transfer": by_transfer, "anchor_day": anchor_day}
    _record(actor, "subscription.assign_payment", row, before, {**after, **_why(reason)})
    return row


def _changed(
    actor: Actor, action: str, row: Subscription, before: dict[str, Any], reason: str
) -> Subscription:
    """Save other terms, and note what of them changed."""
    row.save(update_fields=[*TERMS, "updated_at"])
    after = row.terms
    names = [name for name in after if after[name] != before[name]]
    told = {name: after[name] for name in names}
    _record(actor, action, row, {name: before[name] for name in names}, {**told, **_why(reason)})
    return row


def _record(
    actor: Actor, action: str, row: Subscription, before: dict[str, Any], after: dict[str, Any]
) -> None:
    about: Model = row.payer
    record(
        actor, action, about, before=before, after=after, organization_id=row.organization_id, team_id=row.team_id
    )  # fmt: skip


def _why(reason: str) -> dict[str, str]:
    return {"reason": reason} if reason else {}
