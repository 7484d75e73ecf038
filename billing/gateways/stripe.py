"""Stripe: customers, cards and charges. What is charged and why stays with us (docs/develop/decisions/billing.md).

A charge is a PaymentIntent that is made first and confirmed once its name is stored, so that whatever dies in between
is found again and never charges twice.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from django.conf import settings
from django.utils.translation import gettext as _

from billing.gateways.base import ChargeResult, ChargeState, MethodFacts, Setup
from billing.models import Payment, Subscription
from common.errors import Invalid, Unavailable
from common.server.lazy_import import LazyModule

if TYPE_CHECKING:
    import stripe
else:
    stripe = LazyModule("stripe")

API_VERSION = "2026-10-28.endive"
"""Pinned: what Stripe changes later reaches us with a commit of ours."""
CONNECT_S, ANSWER_S = 5, 20
RETRIES = 2
"""Of one request, by the library, under the same idempotency key."""
_UNSETTLED = {"requires_payment_method", "requires_action"}
T = TypeVar("T")


@cache
def _client_of(key: str, url: str) -> stripe.StripeClient:
    return stripe.StripeClient(
        key,
        stripe_version=API_VERSION,
        base_addresses={"api": url},
        max_network_retries=RETRIES,
        http_client=stripe.RequestsClient(timeout=(CONNECT_S, ANSWER_S)),
    )


def client() -> stripe.StripeClient:
    """Return the client of the account that the operator named."""
    return _client_of(settings.STRIPE_SECRET_KEY, settings.STRIPE_API_URL)


def call_stripe(ask: Callable[[], T]) -> T:
    """Ask Stripe.

    Raises:
        Unavailable: no answer, or one that asking again may change: it is down, too much was asked, the key is wrong.
        Invalid: it said no; the message is its own.
    """
    try:
        return ask()
    except (stripe.CardError, stripe.InvalidRequestError) as error:
        raise Invalid(error.user_message or _("The payment service declined the request.")) from error
    except stripe.StripeError as error:
        raise Unavailable(_("The payment service is not responding. Nothing was lost; try again.")) from error


def is_gone(error: Invalid) -> bool:
    """Say whether Stripe refused because it does not know the thing any more."""
    cause = error.__cause__
    return isinstance(cause, stripe.InvalidRequestError) and (
        cause.http_status == 404 or cause.code == "resource_missing"
    )


def facts_of_card(method: stripe.PaymentMethod) -> MethodFacts:
    """Return what is kept of one of Stripe's payment methods."""
    card: Any = method.card if method.type == "card" else None
    if card is None:
        return MethodFacts(method.id, method.type.replace("_", " "))
    return MethodFacts(method.id, card.brand, card.last4, card.exp_month, card.exp_year)


class StripeGateway:
    """See `billing.gateways.base.Gateway`."""

    key = "stripe"
    is_automatic = True
    minimum_usd = Decimal("0.50")  # https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts

    def begin_setup(self, subscription: Subscription) -> Setup:
        """Make a SetupIntent, by which a browser hands a card to Stripe; off-session, because closing charges it."""
        try:
            intent = self._setup_for(self._customer(subscription))
        except Invalid as error:
            if not is_gone(error):
                raise
            # the operator went from test mode to live mode, or to another account
            intent = self._setup_for(self._customer(subscription, lost=subscription.customer_ref))
        return Setup(str(intent.client_secret), settings.STRIPE_PUBLISHABLE_KEY)

    def _setup_for(self, customer: str) -> stripe.SetupIntent:
        return call_stripe(
            lambda: client().v1.setup_intents.create(
                {"customer": customer, "usage": "off_session", "allowed_payment_method_types": ["card"]}
            )
        )

    def _customer(self, subscription: Subscription, lost: str = "") -> str:
        """Return what Stripe calls the payer; two who ask at once get the same answer."""
        if subscription.customer_ref and subscription.customer_ref != lost:
            return subscription.customer_ref
        name = subscription.billing_name or subscription.payer.name
        created = call_stripe(
            lambda: client().v1.customers.create(
                {"name": name, "metadata": {"runyard_subscription": str(subscription.pk)}}
            )
        )
        rows = Subscription.objects.filter(pk=subscription.pk)
        rows.filter(customer_ref=lost).update(gateway=self.key, customer_ref=created.id)
        subscription.refresh_from_db(fields=["gateway", "customer_ref"])
        return subscription.customer_ref

    def finish_setup(self, subscription: Subscription, ref: str) -> MethodFacts:
        """Return the card of a SetupIntent, which is read from Stripe: a browser's word counts for nothing.

        Raises:
            Invalid: it is another customer's, or has come to no end.
        """
        intent = call_stripe(lambda: client().v1.setup_intents.retrieve(ref))
        if not intent.customer or str(intent.customer) != subscription.customer_ref:
            raise Invalid(_("This card was not added for this organization. Add it again."))
        if intent.status != "succeeded" or not intent.payment_method:
            raise Invalid(_("The card was not confirmed. Add it again."))
        method = call_stripe(lambda: client().v1.payment_methods.retrieve(str(intent.payment_method)))
        if not method.customer:
            method = call_stripe(
                lambda: client().v1.payment_methods.attach(method.id, {"customer": subscription.customer_ref})
            )
        return facts_of_card(method)

    def customer_of_setup(self, ref: str) -> str:
        """Return whose card a SetupIntent is about; "" where Stripe names nobody."""
        return str(call_stripe(lambda: client().v1.setup_intents.retrieve(ref)).customer or "")

    def facts_of(self, ref: str) -> MethodFacts | None:
        """Return what Stripe knows of a card now; None where it was detached."""
        try:
            method = call_stripe(lambda: client().v1.payment_methods.retrieve(ref))
        except Invalid as error:
            if is_gone(error):
                return None
            raise
        return facts_of_card(method) if method.customer else None

    def has_customer(self, ref: str) -> bool:
        """Say whether Stripe still has a customer."""
        try:
            customer = call_stripe(lambda: client().v1.customers.retrieve(ref))
        except Invalid as error:
            if is_gone(error):
                return False
            raise
        return not getattr(customer, "deleted", False)

    def forget(self, ref: str) -> None:
        """Detach a card, which is for ever."""
        try:
            call_stripe(lambda: client().v1.payment_methods.detach(ref))
        except Invalid:
            if self.facts_of(ref) is not None:
                raise

    def prepare(self, payment: Payment) -> str:
        """Make the PaymentIntent of an attempt. The same attempt gets the same one while Stripe keeps its key."""
        invoice, method = payment.invoice, payment.method
        if method is None:
            raise Invalid(_("No card on file."))
        customer = invoice.subscription.customer_ref
        created = call_stripe(
            lambda: client().v1.payment_intents.create(
                {
                    "amount": int(payment.amount_usd * 100),
                    "currency": invoice.currency.lower(),
                    "customer": customer,
                    "payment_method": method.ref,
                    "allowed_payment_method_types": ["card"],
                    "metadata": {"invoice": invoice.number, "attempt": str(invoice.attempts + 1)},
                },
                {
                    "idempotency_key": f"{customer}:{invoice.number}:{payment.pk}:{int(payment.created_at.timestamp())}"
                },
            )
        )
        return created.id

    def charge(self, payment: Payment) -> ChargeResult:
        """Confirm the PaymentIntent unless that was done before; Stripe confirms each only once."""
        intent = self._read(payment)
        if intent.status == "requires_confirmation":
            try:
                intent = call_stripe(
                    lambda: client().v1.payment_intents.confirm(
                        payment.ref, {"off_session": True}, {"idempotency_key": f"{payment.ref}:confirm"}
                    )
                )
            except Invalid as error:
                refusal, intent = error.message, self._read(payment)
                if intent.status == "requires_confirmation":  # such as a card that is not there any more
                    return self._cancel(payment, refusal)
        return self._result(payment, intent)

    def look_up(self, payment: Payment) -> ChargeResult:
        """Read the PaymentIntent."""
        return self._result(payment, self._read(payment))

    def drop(self, payment: Payment) -> ChargeResult:
        """Cancel the PaymentIntent; one that was charged meanwhile says so."""
        intent = self._read(payment)
        if intent.status in {"succeeded", "processing", "canceled"}:
            return self._result(payment, intent)
        return self._cancel(payment, _("The invoice is no longer open."))

    def _read(self, payment: Payment) -> stripe.PaymentIntent:
        return call_stripe(lambda: client().v1.payment_intents.retrieve(payment.ref))

    def _result(self, payment: Payment, intent: stripe.PaymentIntent) -> ChargeResult:
        if intent.status == "succeeded":
            return ChargeResult(ChargeState.SUCCEEDED)
        if intent.status == "canceled":
            return ChargeResult(ChargeState.FAILED, _reason(intent) or _("The payment was canceled."))
        if intent.status in _UNSETTLED:
            return self._cancel(payment, _reason(intent))
        return ChargeResult(ChargeState.PENDING)

    def _cancel(self, payment: Payment, reason: str) -> ChargeResult:
        """Cancel what failed, so that nothing completes it later beside the next attempt."""
        try:
            call_stripe(lambda: client().v1.payment_intents.cancel(payment.ref))
        except Invalid:
            if self._read(payment).status == "succeeded":
                return ChargeResult(ChargeState.SUCCEEDED)
        return ChargeResult(ChargeState.FAILED, reason or _("The card was declined."))


def _reason(intent: stripe.PaymentIntent) -> str:
    error = intent.last_payment_error
    if intent.status == "requires_action" or getattr(error, "code", "") == "authentication_required":
        return _(
            "The bank requires the cardholder’s confirmation, which isn’t possible for automatic charges."
        )
    return str(getattr(error, "message", "") or "")
