"""How an organization pays (BIL-7): ways to pay are added, made default and removed, and billing details changed."""

import logging
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actor import SYSTEM, Actor
from access.audit.log import record
from access.engine import require
from billing import gateways
from billing.gateways.base import MethodFacts, Setup
from billing.invoices.services import collect_soon, is_under_way
from billing.models import Invoice, InvoiceStatus, PaymentMethod, Subscription
from billing.payments.collecting import LEFT_ALONE, MOST_AT_ONCE
from billing.plans.pricing import standing_usd
from billing.plans.selectors import has_prices
from billing.subscriptions.selectors import locked, subscription_of
from common.database.commits import after_commit
from common.errors import Conflict, Invalid, Unavailable
from teams.models import Organization
from usage.access import BillingAction
from usage.units import ZERO

logger = logging.getLogger(__name__)

MOST = 10
"""Ways to pay of one organization."""
DETAILS = ("billing_name", "billing_address", "tax_id", "purchase_order")


def begin_setup(*, actor: Actor, organization: Organization) -> Setup:
    """Return what a browser needs to hand a card to the gateway. Asks the gateway, up to a minute.

    Raises:
        Conflict: there are as many ways to pay as there may be.
        Unavailable: the gateway does not answer.
    """
    require(actor, BillingAction.MANAGE, organization)
    subscription = subscription_of(organization)
    _require_room(subscription)
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
    return keep_method(actor, subscription, gateway.key, facts)


@transaction.atomic
def keep_method(actor: Actor, subscription: Subscription, gateway: str, facts: MethodFacts) -> PaymentMethod:
    """Keep a way to pay; one that is known is returned as it is.

    The first one is the default. So is one that is added while the default fails: that is why it was added.

    Raises:
        Conflict: it was removed, is another payer's, or there are as many as there may be.
    """
    subscription = locked(subscription)
    known = PaymentMethod.objects.filter(gateway=gateway, ref=facts.ref).first()
    if known is not None:
        return _still(known, subscription)
    _require_room(subscription)
    method = PaymentMethod.objects.create(
        subscription=subscription, gateway=gateway, ref=facts.ref, brand=facts.brand, last4=facts.last4,
        exp_month=facts.exp_month, exp_year=facts.exp_year,
    )  # fmt: skip
    _note(actor, "payment_method.add", method, after=_told(method))
    default = methods_of(subscription).filter(is_default=True).first()
    if default is None or (not default.last4 and method.last4) or _failed(subscription):
        _set_default(actor, subscription, method)
    return method


@transaction.atomic
def make_default(*, actor: Actor, method: PaymentMethod) -> PaymentMethod:
    """Pay by this one from now on; open invoices whose payment failed are tried with it at once."""
    require(actor, BillingAction.MANAGE, method)
    subscription = locked(method.subscription)
    method = _present(method)
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
    method = _present(method)
    others = methods_of(subscription).exclude(pk=method.pk)
    if not others.exists() and (why := why_needed(subscription)):
        raise Conflict(why)
    _end(actor, method)
    after_commit(_forget_soon, method.pk)


@transaction.atomic
def drop_method(method: PaymentMethod) -> None:
    """Note that the gateway does not know a way to pay any more."""
    locked(method.subscription)
    method = PaymentMethod.objects.select_for_update().get(pk=method.pk)
    if method.removed_at is None:
        _end(SYSTEM, method)
    _note_forgotten(method)


def forget_at_gateway(method_id: int) -> None:
    """Tell the gateway that a way to pay was removed; raises `Unavailable` where it does not answer."""
    method = PaymentMethod.objects.get(pk=method_id)
    gateway = gateways.gateway_named(method.gateway)
    if method.removed_at is None or method.forgotten_at is not None or gateway.key != method.gateway:
        return  # one that was switched off is told when it is back
    gateway.forget(method.ref)
    _note_forgotten(method)


def sweep(now: datetime | None = None) -> int:
    """Tell gateways of removed ways to pay of which they were not told; returns how many were looked at.

    A gateway that does not answer ends the sweep: the next one comes. One that fails holds up no other.
    """
    now = now or timezone.now()
    keys = [gateways.MANUAL.key, *(gateway.key for gateway in gateways.automatic_gateways())]
    rows = PaymentMethod.objects.filter(
        gateway__in=keys, forgotten_at=None, removed_at__lte=now - LEFT_ALONE
    ).order_by("pk")
    numbers = list(rows.values_list("pk", flat=True)[:MOST_AT_ONCE])
    for looked_at, number in enumerate(numbers):
        try:
            forget_at_gateway(number)
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
        setattr(subscription, name, _checked(name, details.get(name, before[name])))
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
        after={"total_usd": str(invoice.total_usd), **_told(card)},
    )  # fmt: skip
    collect_soon(invoice)
    return invoice


def methods_of(subscription: Subscription) -> QuerySet[PaymentMethod]:
    """Return the ways to pay that are not removed."""
    return PaymentMethod.objects.filter(subscription=subscription, removed_at=None)


def why_needed(subscription: Subscription) -> str:
    """Say in words why the last way to pay cannot go; "" where it can."""
    if subscription.invoices.filter(status=InvoiceStatus.OPEN).exists():
        return _(
            "There is an open invoice. Pay it or add another payment method before removing the last one."
        )
    if standing_usd(subscription) > ZERO or has_prices(subscription.plan):
        names = {"plan": subscription.plan.name}
        return (
            _(
                "The plan %(plan)s requires a payment method. Add another one or cancel the plan before "
                "removing the last one."
            )
            % names
        )
    return ""


def _still(known: PaymentMethod, subscription: Subscription) -> PaymentMethod:
    """Return a way to pay that is known already, if it is this payer's and there."""
    if known.subscription_id != subscription.pk:
        raise Conflict(_("This card was not added for this organization. Add it again."))
    if known.removed_at is not None:
        raise Conflict(_("This payment method was removed. Add it again."))
    return known


def _require_room(subscription: Subscription) -> None:
    if methods_of(subscription).count() >= MOST:
        raise Conflict(
            _("You can store at most %(most)s payment methods. Remove one first.") % {"most": MOST}
        )


def _failed(subscription: Subscription) -> bool:
    return subscription.invoices.filter(status=InvoiceStatus.OPEN).exclude(failure="").exists()


def _present(method: PaymentMethod) -> PaymentMethod:
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
    told = {"default": str(before)} if before else {}
    _note(actor, "payment_method.default", method, before=told, after={"default": str(method)})
    _collect_open(subscription, method)


def _collect_open(subscription: Subscription, method: PaymentMethod) -> None:
    """Charge to a new default what waited for one, and what failed with another."""
    if not gateways.gateway_named(method.gateway).is_automatic:
        return
    for invoice in subscription.invoices.filter(status=InvoiceStatus.OPEN, gateway=method.gateway):
        if invoice.attempts:
            invoice.next_attempt_at = timezone.now()
            invoice.save(update_fields=["next_attempt_at", "updated_at"])
        collect_soon(invoice)


def _end(actor: Actor, method: PaymentMethod) -> None:
    was_default, method.is_default, method.removed_at = method.is_default, False, timezone.now()
    method.save(update_fields=["is_default", "removed_at", "updated_at"])
    _note(actor, "payment_method.remove", method, before=_told(method))
    heir = methods_of(method.subscription).order_by("-pk").first() if was_default else None
    if heir is not None:
        _set_default(actor, method.subscription, heir)


def _note_forgotten(method: PaymentMethod) -> None:
    now = timezone.now()
    PaymentMethod.objects.filter(pk=method.pk, forgotten_at=None).update(forgotten_at=now, updated_at=now)


def _forget_soon(method_id: int) -> None:
    from billing.tasks import forget_method

    forget_method.delay(method_id)


def _checked(name: str, text: str) -> str:
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


def _told(method: PaymentMethod) -> dict[str, str]:
    expiry = f"{method.exp_month:02}/{method.exp_year}" if method.exp_month else ""
    return {"method": str(method), "expires": expiry} if expiry else {"method": str(method)}


def _note(
    actor: Actor,
    action: str,
    method: PaymentMethod,
    before: dict[str, str] | None = None,
    after: dict[str, str] | None = None,
) -> None:
    record(
        actor, action, method, organization_id=method.subscription.organization_id, before=before, after=after
    )
