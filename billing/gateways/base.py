"""What a payment gateway does: it knows ways to pay, and takes money for one attempt at an invoice (BIL-7)."""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Protocol

from billing.models import Payment, Subscription

BANK_TRANSFER = "bank transfer"
"""The brand of what is no card."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What a browser needs to hand a card to the gateway; both empty where billing details are enough."""

    client_secret: str = ""
    publishable_key: str = ""


@dataclass(frozen=True, slots=True)
class MethodFacts:
    """What is kept of a way to pay. Of cards it is what is printed on a receipt."""

    ref: str
    brand: str
    last4: str = ""
    exp_month: int | None = None
    exp_year: int | None = None


class ChargeState(StrEnum):
    """How far an attempt came."""

    PENDING = "pending"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ChargeResult:
    """What became of an attempt; ``failure`` is in words."""

    state: ChargeState
    failure: str = ""


class Gateway(Protocol):
    """One way by which money comes.

    Every method may raise `Unavailable` (the gateway does not answer: ask again) `Invalid` (it said no, and why)
    and `Conflict` (something is missing first).
    Subscriptions, invoices and their numbers are ours; a gateway never hears of a plan.
    """

    key: str
    is_automatic: bool
    """It takes money by itself; otherwise the payer sends it and an operator notes that it came."""
    minimum_usd: Decimal
    """It takes no less at once; what is below is carried to the next period's invoice."""

    def begin_setup(self, subscription: Subscription) -> Setup:
        """Begin to add a way to pay."""

    def finish_setup(self, subscription: Subscription, ref: str) -> MethodFacts:
        """Return the way to pay that a begun setup led to; asking twice gives the same one."""

    def forget(self, ref: str) -> None:
        """Never take money by this way to pay again."""

    def prepare(self, payment: Payment) -> str:
        """Return what the gateway calls an attempt. Nothing is charged yet: that is stored first."""

    def charge(self, payment: Payment) -> ChargeResult:
        """Charge a prepared attempt, once however often it is called, and say what became of it."""

    def look_up(self, payment: Payment) -> ChargeResult:
        """Say what became of a prepared attempt, and charge nothing."""

    def drop(self, payment: Payment) -> ChargeResult:
        """End a prepared attempt that is not wanted any more, and say what had become of it."""
