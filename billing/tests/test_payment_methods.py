"""Ways to pay as they are kept and removed (BIL-7)."""

import pytest

from access.actor import SYSTEM
from billing.gateways.base import MethodFacts
from billing.services import payment_methods
from billing.tests.paying import payer
from common.errors import Conflict

pytestmark = pytest.mark.django_db
CARD = MethodFacts("pm_1", "visa", "4242", 12, 2031)


def test_a_way_to_pay_that_was_removed_is_not_answered_as_if_it_were_added():
    """BIL-7: a setup that is finished again after its card was removed."""
    _organization, who, subscription = payer("free")
    method = payment_methods.keep_method(who, subscription, "stripe", CARD)
    assert payment_methods.keep_method(who, subscription, "stripe", CARD) == method, "the same one again"
    payment_methods.remove_method(actor=who, method=method)
    with pytest.raises(Conflict, match="was removed. Add it anew"):
        payment_methods.keep_method(SYSTEM, subscription, "stripe", CARD)


def test_another_payer_s_card_is_not_answered_either():
    """BIL-7."""
    payment_methods.keep_method(SYSTEM, payer("free")[2], "stripe", CARD)
    with pytest.raises(Conflict, match="not added for this organization"):
        payment_methods.keep_method(SYSTEM, payer("free")[2], "stripe", CARD)
