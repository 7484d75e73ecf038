"""Fixtures of the other side: a Stripe on this machine."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests import clients
from tests.fakes import stripe as fake
from tests.fakes.stripe import Stripe


@pytest.fixture(scope="session")
def running_stripe() -> Iterator[Stripe]:
    """Run one for the session."""
    with fake.stripe() as running:
        yield running


@pytest.fixture
def stripe(running_stripe: Stripe, settings: Any) -> Iterator[Stripe]:
    """A Stripe without anything in it, which the operator has set up."""
    settings.STRIPE_SECRET_KEY = fake.SECRET_KEY
    settings.STRIPE_PUBLISHABLE_KEY = fake.PUBLISHABLE_KEY
    settings.STRIPE_WEBHOOK_SECRET = fake.WEBHOOK_SECRET
    settings.STRIPE_API_URL, settings.STRIPE_JS_URL = running_stripe.url, running_stripe.js_url
    running_stripe.is_down, running_stripe.slow_s, running_stripe.loses = False, 0, ""
    clients.request("DELETE", f"{running_stripe.url}/_config/data").raise_for_status()
    running_stripe.asked.clear()
    yield running_stripe
    running_stripe.is_down, running_stripe.slow_s = False, 0
