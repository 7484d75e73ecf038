"""What operators change of plans (BIL-3, BIL-11); `billing.changes.assignments` says who is on which."""

from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit.log import record
from access.engine import require_operator
from billing.models import Plan, Subscription
from billing.plans.catalogue import fallback_of
from common.errors import Conflict, Invalid

_UNRECORDED = frozenset({"id", "created_at", "updated_at"})


def require_plan_operator(actor: Actor, action: str) -> None:
    """Refuse everybody else: plans are the installation's own, and no role of an organization reaches to them."""
    require_operator(actor, action, _("Only operators of this installation can change plans."))


def _audit_snapshot(plan: Plan) -> dict[str, Any]:
    return {
        field.name: _plain_value(getattr(plan, field.name))
        for field in Plan._meta.concrete_fields
        if field.name not in _UNRECORDED
    }


def _plain_value(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | str) else format(value, "f")


def subscribers_of(plan: Plan) -> tuple[int, int]:
    """Return how many organizations and how many personal entities are on a plan, or will be at their period's end."""
    rows = Subscription.objects.filter(plan=plan)
    return rows.filter(organization__isnull=False).count(), rows.filter(team__isnull=False).count()


@transaction.atomic
def save_plan(*, actor: Actor, plan: Plan) -> Plan:
    """Store a plan, new or changed; it applies immediately to everybody who is on it.

    A plan that becomes a default takes that from the one before.

    Raises:
        Conflict: the installation would be left without a default plan.
        Invalid: its view-only seats are limited, and it has none; storage is sold in advance and not limited; or it
            is a trial, and there is no plan for afterwards.
    """
    require_plan_operator(actor, "plan.save")
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
    old, new = ({} if before is None else _audit_snapshot(before)), _audit_snapshot(plan)
    changed = [name for name in new if old.get(name) != new[name]]
    if changed:
        old_values = {name: old[name] for name in changed if name in old}
        record(actor, "plan.save", plan, before=old_values, after={name: new[name] for name in changed})
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
    require_plan_operator(actor, "plan.delete")
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
    record(actor, "plan.delete", plan, before=_audit_snapshot(plan))
    plan.delete()
