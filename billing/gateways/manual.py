"""Bank transfer: invoices say where to send the money, and an operator notes that it came."""

from decimal import Decimal
from uuid import uuid4

from django.utils.translation import gettext as _

from billing.gateways.base import BANK_TRANSFER, ChargeResult, ChargeState, MethodFacts, Setup
from billing.models import Payment, Subscription
from billing.models.money import TRANSFER
from common.errors import Conflict


class ManualGateway:
    """See `billing.gateways.base.Gateway`."""

    key = TRANSFER
    is_automatic = False
    minimum_usd = Decimal(0)

    def begin_setup(self, subscription: Subscription) -> Setup:
        """Need nothing: billing details are enough."""
        return Setup()

    def finish_setup(self, subscription: Subscription, ref: str) -> MethodFacts:
        """Return a way to pay by invoice; the one there is, if there is one.

        Raises:
            Conflict: there is no name or address to send an invoice to.
        """
        if not subscription.billing_name or not subscription.billing_address:
            raise Conflict(_("Invoices need a name and address. Fill in the billing details first."))
        there = subscription.payment_methods.filter(gateway=self.key, removed_at=None).first()
        return MethodFacts(ref=there.ref if there else uuid4().hex, brand=BANK_TRANSFER)

    def forget(self, ref: str) -> None:
        """Need nothing."""

    def prepare(self, payment: Payment) -> str:
        """Name nothing: the invoice's number is on the transfer."""
        return ""

    def charge(self, payment: Payment) -> ChargeResult:
        """Wait for the payer."""
        return ChargeResult(ChargeState.PENDING)

    def look_up(self, payment: Payment) -> ChargeResult:
        """Wait for the payer."""
        return ChargeResult(ChargeState.PENDING)

    def drop(self, payment: Payment) -> ChargeResult:
        """Need nothing."""
        return ChargeResult(ChargeState.FAILED)
