"""Changing plans and bought storage (BIL-8). What a confirmation saw is what happens, or nothing does."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from billing.changes.preview import IMMEDIATE, ChangeKind, ChangeSummary, Terms, as_of, kind_of, summarize
from billing.invoices.advance import unused_usd
from billing.invoices.closing import locked_up_to_date
from billing.invoices.issuing import issue
from billing.invoices.services import schedule_collection
from billing.models import Invoice, InvoiceKind, Plan, Subscription
from billing.models.plans import TERMS
from billing.payments.services import methods_of
from billing.plans.pricing import MOST_EXTRA_GB, store_earlier_terms, terms_usd
from billing.plans.selectors import choosable
from billing.subscriptions.selectors import subscription_of
from billing.subscriptions.services import record_former_plan
from common.errors import Conflict, Invalid, NotFound
from teams.models import Organization
from usage.access import BillingAction
from usage.periods import period_at
from usage.units import ZERO


class NothingToChange(Conflict):
    """It already is as requested; nothing was changed."""

    code = "already_so"


class OutdatedSummary(Conflict):
    """The summary that was confirmed is out of date; read the new one."""

    code = "outdated"


class PaymentMethodNeeded(Conflict):
    """There is no payment method on file."""

    code = "payment_method_needed"


@dataclass(frozen=True, slots=True)
class ChangeResult:
    """What a confirmed change came to."""

    summary: ChangeSummary
    invoice: Invoice | None


def preview_plan(*, actor: Actor, organization: Organization, plan: Plan) -> ChangeSummary:
    """Return what going to a plan means.

    Raises:
        NotFound: it is not offered.
        Conflict: it, or the present one, is agreed on by contact.
        NothingToChange: it is the plan already.
    """
    require(actor, BillingAction.MANAGE, organization)
    return _plan_summary(subscription_of(organization), plan, timezone.now())


def preview_storage(*, actor: Actor, organization: Organization, extra_gb: int) -> ChangeSummary:
    """Return what having so much extra storage means, in GB in all.

    Raises:
        Invalid: it is less than none, or too much.
        Conflict: the plan sells none, or needs none.
        NothingToChange: there is so much already.
    """
    require(actor, BillingAction.MANAGE, organization)
    return _storage_summary(subscription_of(organization), extra_gb, timezone.now())


def preview_cancel(*, actor: Actor, organization: Organization) -> ChangeSummary:
    """Return what ending the paid plan means.

    Raises:
        Conflict: it costs nothing, is agreed on by contact, or there is no plan without a price.
        NothingToChange: it ends already.
    """
    require(actor, BillingAction.MANAGE, organization)
    return _cancel_summary(subscription_of(organization), timezone.now())


@transaction.atomic
def change_plan(*, actor: Actor, organization: Organization, plan: Plan, confirm: str) -> ChangeResult:
    """Go to a plan: at once where nothing is lost by it, else when the period ends.

    Args:
        actor: A billing admin.
        organization: Whose plan it is.
        plan: Which.
        confirm: `ChangeSummary.confirm` of the summary that was read.

    Raises:
        OutdatedSummary: the summary is another one by now.
        PaymentMethodNeeded: it costs something, and there is no way to pay on file.
        Conflict: as `preview_plan`; so do NotFound and NothingToChange.
    """
    require(actor, BillingAction.MANAGE, organization)
    subscription, now = _up_to_date(organization)
    summary = _require_unchanged(_plan_summary(subscription, plan, now), confirm)
    if summary.is_immediate:
        return _apply_now(actor, subscription, summary, "subscription.upgrade", now)
    return _schedule(actor, subscription, summary, f"subscription.{summary.kind}")


@transaction.atomic
def buy_storage(*, actor: Actor, organization: Organization, extra_gb: int, confirm: str) -> ChangeResult:
    """Have so much extra storage in all: more at once, less when the period ends; raises as `change_plan`."""
    require(actor, BillingAction.MANAGE, organization)
    subscription, now = _up_to_date(organization)
    summary = _require_unchanged(_storage_summary(subscription, extra_gb, now), confirm)
    if summary.is_immediate:
        return _apply_now(actor, subscription, summary, "subscription.storage", now)
    return _schedule(actor, subscription, summary, "subscription.storage_later")


@transaction.atomic
def cancel(*, actor: Actor, organization: Organization, confirm: str) -> ChangeResult:
    """End the paid plan when the period ends; raises as `change_plan`."""
    require(actor, BillingAction.MANAGE, organization)
    subscription, now = _up_to_date(organization)
    summary = _require_unchanged(_cancel_summary(subscription, now), confirm)
    return _schedule(actor, subscription, summary, "subscription.cancel")


@transaction.atomic
def undo_change(*, actor: Actor, organization: Organization) -> Subscription:
    """Stay on the plan and the storage there are now.

    Raises:
        NothingToChange: nothing is to change when the period ends.
    """
    require(actor, BillingAction.MANAGE, organization)
    subscription, _now = _up_to_date(organization)
    if not subscription.has_next:
        raise NothingToChange(_("No changes are scheduled for the end of the period."))
    before = subscription.terms
    subscription.next_plan = subscription.next_extra_storage_gb = None
    _save(actor, subscription, "subscription.undo", before)
    return subscription


def _up_to_date(organization: Organization) -> tuple[Subscription, datetime]:
    """Lock the subscription, with all periods closed that have ended: they are charged by the terms they had."""
    now = timezone.now()
    return locked_up_to_date(subscription_of(organization), now), now


def _plan_summary(subscription: Subscription, plan: Plan, now: datetime) -> ChangeSummary:
    row = as_of(subscription, now)
    if row.trial_then is not None:  # what is chosen takes the place of the plan that comes after the trial
        row.plan = row.trial_then
        row.clear_trial()
    _require_choice(row, plan, left=row.plan if subscription.is_trial else subscription.plan)
    if plan.pk == (row.plan if row.next_plan is None else row.next_plan).pk:
        names = {"organization": str(row.payer), "plan": plan.name}
        if row.next_plan is None:
            raise NothingToChange(_("%(organization)s already has the plan %(plan)s.") % names)
        raise NothingToChange(
            _("%(organization)s already switches to %(plan)s when the period ends.") % names
        )
    if plan.pk == row.plan.pk:
        raise Conflict(
            _("%(plan)s is your plan until the period ends. Undo the scheduled change to keep it.")
            % {"plan": plan.name}
        )
    extra = row.extra_storage_gb
    kind = kind_of(Terms(row.plan, extra), Terms(plan, extra if plan.sells_storage else 0))
    if kind not in IMMEDIATE and row.next_plan is None:  # else that plan, not the payer, let storage go
        extra = row.next_terms[1]
    return _summarize(row, kind, Terms(plan, extra if plan.sells_storage else 0), now)


def _storage_summary(subscription: Subscription, extra_gb: int, now: datetime) -> ChangeSummary:
    row = as_of(subscription, now)
    if row.is_trial:
        raise Conflict(_("Extra storage cannot be bought during a trial. Choose a plan first."))
    if not 0 <= extra_gb <= MOST_EXTRA_GB:
        raise Invalid(_("Extra storage must be 0 to %(most)s GB.") % {"most": f"{MOST_EXTRA_GB:,}"})
    if not row.plan.sells_storage:
        raise Conflict(_("The plan %(plan)s does not offer extra storage.") % {"plan": row.plan.name})
    if row.next_plan is not None:
        names = {"plan": row.next_plan.name}
        raise Conflict(_("The plan changes to %(plan)s when the period ends. Undo that first.") % names)
    coming = row.extra_storage_gb if row.next_extra_storage_gb is None else row.next_extra_storage_gb
    if extra_gb == coming:
        names = {"organization": str(row.payer), "gb": f"{extra_gb:,}"}
        if row.next_extra_storage_gb is None:
            raise NothingToChange(_("%(organization)s already has %(gb)s GB of extra storage.") % names)
        raise NothingToChange(
            _("%(organization)s will already have %(gb)s GB of extra storage when the period ends.") % names
        )
    if extra_gb == row.extra_storage_gb:
        raise Conflict(
            _("You have %(gb)s GB until the period ends. Undo the scheduled change to keep them.")
            % {"gb": f"{extra_gb:,}"}
        )
    kind = ChangeKind.MORE_STORAGE if extra_gb > row.extra_storage_gb else ChangeKind.LESS_STORAGE
    return _summarize(row, kind, Terms(row.plan, extra_gb), now)


def _cancel_summary(subscription: Subscription, now: datetime) -> ChangeSummary:
    row = as_of(subscription, now)
    if row.is_trial:
        raise Conflict(_("A trial is free and ends automatically, so there is nothing to cancel."))
    _require_self_service(row.plan)
    if row.plan.price_usd == ZERO and not row.extra_storage_gb:
        raise Conflict(
            _("The plan %(plan)s is free, so there is nothing to cancel.") % {"plan": row.plan.name}
        )
    free = free_plan()
    if free is None:
        raise Conflict(_("There is no free plan to switch to. Contact the provider of your plan."))
    if row.has_next and terms_usd(*row.next_terms) == ZERO:
        raise NothingToChange(_("The plan %(plan)s already ends with this period.") % {"plan": row.plan.name})
    return _summarize(row, ChangeKind.CANCEL, Terms(free, 0), now)


def free_plan() -> Plan | None:
    """Return where who cancels goes to: the lowest plan on offer that costs nothing, else the default one."""
    free = Plan.objects.filter(price_usd=ZERO, by_contact=False)
    return free.filter(is_offered=True).order_by("rank", "pk").first() or free.filter(is_default=True).first()


def _require_choice(row: Subscription, plan: Plan, *, left: Plan) -> None:
    """Let pass a plan that the payer may choose; ``left`` is what it was on until a period that is not closed yet."""
    _require_self_service(row.plan)
    if plan.by_contact:
        raise Conflict(
            _("%(plan)s is available by contract only and cannot be chosen here.") % {"plan": plan.name}
        )
    if plan.pk != left.pk and not choosable(row).filter(pk=plan.pk).exists():
        raise NotFound(_("This plan is not available."))


def _require_self_service(plan: Plan) -> None:
    if plan.by_contact:
        raise Conflict(
            _("%(plan)s is a contract plan. Contact the provider to change it.") % {"plan": plan.name}
        )


def _summarize(row: Subscription, kind: ChangeKind, after: Terms, now: datetime) -> ChangeSummary:
    return summarize(
        row, kind, after, now,
        has_method=methods_of(row).filter(is_default=True).exists(),
        unused_usd=unused_usd(row, period_at(now, row.anchor_day), now.date()),
    )  # fmt: skip


def _require_unchanged(summary: ChangeSummary, confirm: str) -> ChangeSummary:
    if summary.confirm != confirm:
        raise OutdatedSummary(
            _(
                "Nothing was changed because a price or the date has changed since you opened the summary. "
                "Please review it again."
            )
        )
    if summary.needs_method:
        raise PaymentMethodNeeded(_("Add a payment method first. Nothing was changed."))
    return summary


def _apply_now(
    actor: Actor, subscription: Subscription, summary: ChangeSummary, action: str, now: datetime
) -> ChangeResult:
    """Change now, and invoice the days that are left; a scheduled change is dropped."""
    before, plan, was_trial = subscription.terms, subscription.plan, subscription.is_trial
    store_earlier_terms(subscription, now.date())
    if action == "subscription.upgrade":
        subscription.clear_trial()
    subscription.plan, subscription.extra_storage_gb = summary.after.plan, summary.after.extra_gb
    subscription.next_plan = subscription.next_extra_storage_gb = None
    _save(actor, subscription, action, before, charged=str(summary.now_usd))
    if not was_trial:
        record_former_plan(subscription, plan)
    drafts = [line.draft for line in summary.lines]
    invoice = issue(subscription, InvoiceKind.CHANGE, summary.period, drafts, now)
    if invoice is not None:
        schedule_collection(invoice)
    return ChangeResult(summary, invoice)


def _schedule(actor: Actor, subscription: Subscription, summary: ChangeSummary, action: str) -> ChangeResult:
    before, after = subscription.terms, summary.after
    changes_plan = after.plan.pk != subscription.plan.pk
    subscription.next_plan = after.plan if changes_plan else None
    subscription.next_extra_storage_gb = (
        None if after.extra_gb == subscription.extra_storage_gb else after.extra_gb
    )
    _save(actor, subscription, action, before)
    return ChangeResult(summary, None)


def _save(
    actor: Actor, subscription: Subscription, action: str, before: dict[str, str | int | None], **more: str
) -> None:
    subscription.save(update_fields=[*TERMS, "updated_at"])
    record(
        actor, action, subscription, organization_id=subscription.organization_id,
        before=before, after={**subscription.terms, **more},
    )  # fmt: skip
