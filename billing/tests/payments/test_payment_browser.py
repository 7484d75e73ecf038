"""Adding a card and upgrading, in a real browser with Stripe's script from localstripe (BIL-7, BIL-8)."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Request, expect

from tests.browser import sign_in
from tests.factories import PASSWORD
from tests.fakes import stripe as fake
from tests.fakes.stripe import FAILING_CARD, GOOD_CARD, Stripe
from tests.installation import Installation
from tests.waiting import until

pytestmark = [pytest.mark.browser, pytest.mark.takes(25)]
FILL = """
from billing.models import Plan, Subscription
from tests.factories import OrganizationFactory, UserFactory
admin = UserFactory(username="ada")
organization = OrganizationFactory(name="aurora", admin=admin)
Plan.objects.filter(key="pro").update(is_offered=True)
Subscription.objects.filter(organization=organization).update(plan=Plan.objects.get(key="free"))
"""


@pytest.fixture
def shop(running_stripe: Stripe, new_server: Callable[..., Installation]) -> Installation:
    """Run an installation with this Stripe, and in it ada, who manages billing of aurora, on Free."""
    running_stripe.asked.clear()
    server = new_server(
        RUNYARD_STRIPE_SECRET_KEY=fake.SECRET_KEY,
        RUNYARD_STRIPE_PUBLISHABLE_KEY=fake.PUBLISHABLE_KEY,
        RUNYARD_STRIPE_WEBHOOK_SECRET=fake.WEBHOOK_SECRET,
        RUNYARD_STRIPE_API_URL=running_stripe.url,
        RUNYARD_STRIPE_JS_URL=running_stripe.js_url,
    )
    server.manage("shell", "--no-imports", "-c", FILL)
    running_stripe.tell(f"{server.url}/stripe/webhook")
    return server


def type_card(page: Page, number: str) -> None:
    for name, text in {"number": number, "exp_month": "12", "exp_year": "31", "cvc": "123"}.items():
        page.get_by_placeholder(name, exact=True).fill(text)


def test_an_upgrade_asks_for_a_card_and_the_card_s_number_goes_to_stripe_alone(
    quiet: Page, shop: Installation, running_stripe: Stripe, tmp_path: Path
):
    sent: list[str] = []

    def hear(request: Request) -> None:
        if request.url.startswith(shop.url):
            sent.append(f"{request.url} {request.post_data or ''}")

    quiet.on("request", hear)
    billing = f"{shop.url}/organizations/aurora/billing"
    sign_in(quiet, shop.url, "ada", PASSWORD)
    quiet.goto(f"{billing}/change?plan=pro")
    quiet.get_by_role("link", name="Add a payment method").click()
    type_card(quiet, GOOD_CARD)
    quiet.get_by_role("button", name="Add card").click()
    quiet.wait_for_url(f"{billing}/change?plan=pro")
    quiet.get_by_role("button", name="Confirm and pay").click()
    expect(quiet.get_by_text("Your plan is now Pro.")).to_be_visible()
    quiet.goto(f"{billing}/payment")
    expect(quiet.get_by_text("Visa", exact=True)).to_be_visible()
    expect(quiet.get_by_text("4242").first).to_be_visible()
    until(lambda: running_stripe.charged_cents, "the charge")
    assert len(sent) > 5
    for number in (GOOD_CARD, FAILING_CARD):
        assert number not in "\n".join(sent)


@pytest.mark.turns
def test_a_card_that_is_refused_is_told_on_the_page_and_can_be_corrected(
    page: Page, shop: Installation, running_stripe: Stripe
):
    sign_in(page, shop.url, "ada", PASSWORD)
    page.goto(f"{shop.url}/organizations/aurora/billing/payment/add")
    type_card(page, fake.REFUSED_CARD)
    button = page.get_by_role("button", name="Add card")
    button.click()
    expect(page.get_by_text("Your card was declined.")).to_be_visible()
    expect(button).to_be_enabled()
    running_stripe.is_down = True
    try:
        button.click()
        expect(page.get_by_text("is not responding")).to_be_visible()
    finally:
        running_stripe.is_down = False
