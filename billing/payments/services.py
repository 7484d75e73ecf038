"""How an organization pays (BIL-7): ways to pay are added, made default and removed, and billing details changed."""

import logging
from datetime import datetime

from celery import signature
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actor import SYSTEM, Actor
from access.audit.log import record
from access.engine import require
from billing import gateways
from billing.gateways.base import MethodFacts, Setup
from billing.invoices.services import is_under_way, schedule_collection
from billing.models import Invoice, InvoiceStatus, PaymentMethod, Subscription
from billing.payments.collecting import BATCH_SIZE, SWEEP_DELAY
from billing.plans.pricing import recurring_usd
from billing.plans.selectors import has_prices
from billing.subscriptions.selectors import locked, subscription_of
from common.database.commits import after_commit
from common.errors import Conflict, Invalid, Unavailable
from teams.models import Organization
from usage.access import BillingAction
from usage.units import ZERO

logger = logging.getLogger(__name__)

MAX_METHODS = 10
"""Payment methods of one organization."""
DETAILS = ("billing_name", "billing_address", "tax_id", "purchase_order")


def begin_setup(*, actor: Actor, organization: Organization) -> Setup:
    """Return what a browser needs to hand a card to the gateway. Asks the gateway, up to a minute.

    Raises:
        Conflict: there are as many ways to pay as there may be.
        Unavailable: the gateway does not answer.
    """
    require(actor, BillingAction.MANAGE, organization)
    subscription = subscription_of(organization)
    _require_below_limit(subscription)
    return gateways.gateway_of(subscription).begin_setup(subscription)


def add_method(*, actor: Actor, organization: Organization, setup: str = "") -> PaymentMethod:
    """Add the way to pay that a setup led to; with bank transfer, billing details are all it needs.

    Args:
        actor: A billing admin.
        organization: Who pays.
        setup: What the gateway calls the setup that the browser brought to its end.

    Raises:
        Invalid: it was not confirmed, or is another organization's.
        Conflict: there are as many ways to pay as there may be, or billing details are missing.
        Unavailable: the gateway does not answer.
    """
    require(actor, BillingAction.MANAGE, organization)
    subscription = subscription_of(organization)
    gateway = gateways.gateway_of(subscription)
    if gateway.is_automatic and not setup:
        raise Invalid(_("Enter the setup that was confirmed."))
    facts = gateway.finish_setup(subscription, setup)
    return attach_method(actor, subscription, gateway.key, facts)


@transaction.atomic
def attach_method(
    actor: Actor, subscription: Subscription, gateway: str, facts: MethodFacts
) -> PaymentMethod:
    """Store a payment method; a known one is returned as it is.

    The first one is the default. So is one that is added while the default fails: that is why it was added.

    Raises:
        Conflict: it was removed, is another payer's, or there are as many as there may be.
    """
    subscription = locked(subscription)
    known = PaymentMethod.objects.filter(gateway=gateway, ref=facts.ref).first()
    if known is not None:
        return _require_usable(known, subscription)
    _require_below_limit(subscription)
    method = PaymentMethod.objects.create(
        subscription=subscription, gateway=gateway, ref=facts.ref, brand=facts.brand, last4=facts.last4,
        exp_month=facts.exp_month, exp_year=facts.exp_year,
    )  # fmt: skip
    _record(actor, "payment_method.add", method, after=_audit_snapshot(method))
    default = methods_of(subscription).filter(is_default=True).first()
    if default is None or (not default.last4 and method.last4) or _has_failed_invoice(subscription):
        _set_default(actor, subscription, method)
    return method


@transaction.atomic
def make_default(*, actor: Actor, method: PaymentMethod) -> PaymentMethod:
    """Pay by this one from now on; open invoices whose payment failed are tried with it at once."""
    require(actor, BillingAction.MANAGE, method)
    subscription = locked(method.subscription)
    method = _locked_method(method)
    if not method.is_default:
        _set_default(actor, subscription, method)
    return method


@transaction.atomic
def remove_method(*, actor: Actor, method: PaymentMethod) -> None:
    """Never pay by this one again. If it was the default, the one added last takes its place.

    Raises:
        Conflict: it is the last one, and the plan or an open invoice needs one.
    """
    require(actor, BillingAction.MANAGE, method)
    subscription = locked(method.subscription)
    method = _locked_method(method)
    others = methods_of(subscription).exclude(pk=method.pk)
    if not others.exists() and (why := needed_message(subscription)):
        raise Conflict(why)
    _remove(actor, method)
    # by its name: tasks import what removes methods
    after_commit(signature("billing.tasks.forget_method").delay, method.pk)


@transaction.atomic
def detach_method(method: PaymentMethod) -> None:
    """Record that the gateway no longer knows a payment method."""
    locked(method.subscription)
    method = PaymentMethod.objects.select_for_update().get(pk=method.pk)
    if method.removed_at is None:
        _remove(SYSTEM, method)
    _mark_detached(method)


def detach_at_gateway(method_id: int) -> None:
    """Tell the gateway that a payment method was removed; raises `Unavailable` where it does not answer."""
    method = PaymentMethod.objects.get(pk=method_id)
    gateway = gateways.gateway_named(method.gateway)
    if method.removed_at is None or method.forgotten_at is not None or gateway.key != method.gateway:
        return  # a gateway that was switched off is told when it is back
    gateway.forget(method.ref)
    _mark_detached(method)


def sweep(now: datetime | None = None) -> int:
    """Detach removed payment methods that gateways still have; returns how many were looked at.

    A gateway that does not answer ends the sweep: the next one comes. One that fails holds up no other.
    """
    now = now or timezone.now()
    keys = [gateways.MANUAL.key, *(gateway.key for gateway in gateways.automatic_gateways())]
    rows = PaymentMethod.objects.filter(
        gateway__in=keys, forgotten_at=None, removed_at__lte=now - SWEEP_DELAY
    ).order_by("pk")
    numbers = list(rows.values_list("pk", flat=True)[:BATCH_SIZE])
    for looked_at, number in enumerate(numbers):
        try:
            detach_at_gateway(number)
        except Unavailable:
            return looked_at
        except Exception:
            logger.exception("payment method %s is removed, and the gateway keeps it", number)
    return len(numbers)


@transaction.atomic
def change_details(*, actor: Actor, organization: Organization, **details: str) -> Subscription:
    """Change what stands on the next invoices; those that were issued stay as they are.

    Args:
        actor: A billing admin.
        organization: Who pays.
        details: Any of `DETAILS`.

    Raises:
        Invalid: one is too long, or not printable.
    """
    require(actor, BillingAction.MANAGE, organization)
    subscription = locked(subscription_of(organization))
    before = {name: getattr(subscription, name) for name in DETAILS}
    for name in DETAILS:
        setattr(subscription, name, _clean(name, details.get(name, before[name])))
    after = {name: getattr(subscription, name) for name in DETAILS}
    if after != before:
        subscription.save(update_fields=[*DETAILS, "updated_at"])
        changed = [name for name in DETAILS if after[name] != before[name]]
        record(
            actor, "billing_details.change", subscription, organization_id=subscription.organization_id,
            before={name: before[name] for name in changed}, after={name: after[name] for name in changed},
        )  # fmt: skip
    return subscription


@transaction.atomic
def pay_now(*, actor: Actor, invoice: Invoice) -> Invoice:
    """Charge an open invoice to the default card now, also one that was to be paid by bank transfer.

    Raises:
        Conflict: it is not open, a payment is under way, there is no card, or it is less than cards can be charged.
    """
    require(actor, BillingAction.MANAGE, invoice)
    subscription = locked(invoice.subscription)
    invoice = Invoice.objects.select_for_update().get(pk=invoice.pk)
    if invoice.status != InvoiceStatus.OPEN:
        raise Conflict(_("The invoice %(number)s is not open; nothing is due.") % {"number": invoice})
    if is_under_way(invoice):
        raise Conflict(_("A payment for invoice %(number)s is in progress.") % {"number": invoice})
    card = gateways.card_of(subscription)
    if card is None:
        raise Conflict(_("No card on file. Add one first."))
    if invoice.total_usd < gateways.gateway_named(card.gateway).minimum_usd:
        raise Conflict(_("The amount is below the minimum card charge. Pay by bank transfer."))
    invoice.gateway, invoice.next_attempt_at = card.gateway, timezone.now()
    invoice.details["payment"] = str(card)
    invoice.save(update_fields=["gateway", "next_attempt_at", "details", "updated_at"])
    record(
        actor, "invoice.pay_now", invoice, organization_id=subscription.organization_id,
        after={"total_usd": str(invoice.total_usd), **_audit_snapshot(card)},
    )  # fmt: skip
    schedule_collection(invoice)
    return invoice


def methods_of(subscription: Subscription) -> QuerySet[PaymentMethod]:
    """Return the ways to pay that are not removed."""
    return PaymentMethod.objects.filter(subscription=subscription, removed_at=None)


def needed_message(subscription: Subscription) -> str:
    """Say why the last payment method cannot be removed; "" where it can."""
    if subscription.invoices.filter(status=InvoiceStatus.OPEN).exists():
        return _(
            "There is an open invoice. Pay it or add another payment method before removing the last one."
        )
    if recurring_usd(subscription) > ZERO or has_prices(subscription.plan):
        names = {"plan": subscription.plan.name}
        return (
            _(
                "The plan %(plan)s requires a payment method. Add another one or cancel the plan before "
                "removing the last one."
            )
            % names
        )
    return ""


def _require_usable(known: PaymentMethod, subscription: Subscription) -> PaymentMethod:
    """Return a known payment method, if it is this payer's and not removed."""
    if known.subscription_id != subscription.pk:
        raise Conflict(_("This card was not added for this organization. Add it again."))
    if known.removed_at is not None:
        raise Conflict(_("This payment method was removed. Add it again."))
    return known


def _require_below_limit(subscription: Subscription) -> None:
    if methods_of(subscription).count() >= MAX_METHODS:
        raise Conflict(
            _("You can store at most %(most)s payment methods. Remove one first.") % {"most": MAX_METHODS}
        )


def _has_failed_invoice(subscription: Subscription) -> bool:
    return subscription.invoices.filter(status=InvoiceStatus.OPEN).exclude(failure="").exists()


def _locked_method(method: PaymentMethod) -> PaymentMethod:
    method = PaymentMethod.objects.select_for_update().get(pk=method.pk)
    if method.removed_at is not None:
        raise Conflict(_("This payment method has been removed."))
    return method


def _set_default(actor: Actor, subscription: Subscription, method: PaymentMethod) -> None:
    """Make a way to pay the default, and try with it what failed with another."""
    methods = methods_of(subscription)
    before = methods.filter(is_default=True).first()
    methods.filter(is_default=True).update(is_default=False, updated_at=timezone.now())
    method.is_default = True
    method.save(update_fields=["is_default", "updated_at"])
    previous = {"default": str(before)} if before else {}
    _record(actor, "payment_method.default", method, before=previous, after={"default": str(method)})
    _collect_open(subscription, method)


def _collect_open(subscription: Subscription, method: PaymentMethod) -> None:
    """Charge to a new default what waited for one, and what failed with another."""
    if not gateways.gateway_named(method.gateway).is_automatic:
        return
    for invoice in subscription.invoices.filter(status=InvoiceStatus.OPEN, gateway=method.gateway):
        if invoice.attempts:
            invoice.next_attempt_at = timezone.now()
            invoice.save(update_fields=["next_attempt_at", "updated_at"])
        schedule_collection(invoice)


def _remove(actor: Actor, method: PaymentMethod) -> None:
    was_default, method.is_default, method.removed_at = method.is_default, False, timezone.now()
    method.save(update_fields=["is_default", "removed_at", "updated_at"])
    _record(actor, "payment_method.remove", method, before=_audit_snapshot(method))
    heir = methods_of(method.subscription).order_by("-pk").first() if was_default else None
    if heir is not None:
        _set_default(actor, method.subscription, heir)


def _mark_detached(method: PaymentMethod) -> None:
    now = timezone.now()
    PaymentMethod.objects.filter(pk=method.pk, forgotten_at=None).update(forgotten_at=now, updated_at=now)


def _clean(name: str, text: str) -> str:
    most = getattr(Subscription._meta.get_field(name), "max_length", 0)
    lines = text.replace("\r\n", "\n").strip()
    text = "\n".join(line.strip() for line in lines.splitlines()) if name == "billing_address" else lines
    if len(text) > most:
        raise Invalid(_("At most %(most)s characters.") % {"most": most})
    if any(not char.isprintable() and char != "\n" for char in text) or (
        "\n" in text and name != "billing_address"
    ):
        raise Invalid(_("This contains a non-printable character."))
    return text


def _audit_snapshot(method: PaymentMethod) -> dict[str, str]:
    expiry = f"{method.exp_month:02}/{method.exp_year}" if method.exp_month else ""
    return {"method": str(method), "expires": expiry} if expiry else {"method": str(method)}


def _record(
    actor: Actor,
    action: str,
    method: PaymentMethod,
    before: dict[str, str] | None = None,
    after: dict[str, str] | None = None,
) -> None:
    record(
        actor, action, method, organization_id=method.subscription.organization_id, before=before, after=after
    )
