"""From the free plan to an invoice: upgrade with a card, use, mails, the month's end, handing over, in a real Chromium.

BIL-2, BIL-4 to BIL-10. Stripe is localstripe, mail leaves by SMTP, and the month ends by moving what was used into the
last one.
"""

import re
from collections.abc import Callable, Iterator
from email.message import EmailMessage

import pytest
from playwright.sync_api import Page, expect

from tests.browser import sign_in
from tests.fakes import stripe as fake
from tests.fakes.smtp import MailServer, mail_server, text_of
from tests.installation import Installation
from tests.waiting import until

pytestmark = [pytest.mark.browser, pytest.mark.takes(90)]
PASSWORD = "correct horse battery"
BILLING = "/organizations/acme/billing"
BEGIN = """
from access.actions import Preset
from access.actor import SYSTEM
from accounts.models import User
from billing.models import Plan, Subscription
from teams.models import OrganizationMember
from teams.roles.builtin import built_in
from teams.organizations.services import create_organization
from teams.teams.services import create_team
ada, bob = User.objects.get(username="ada"), User.objects.get(username="bob")
acme = create_organization(actor=SYSTEM, name="acme", admin=ada)
create_team(actor=SYSTEM, name="vision", organization=acme, admin=ada)
OrganizationMember.objects.create(organization=acme, user=bob, role=built_in(Preset.ORGANIZATION_ADMIN))
Plan.objects.filter(key__in=("free", "pro")).update(is_offered=True)
Plan.objects.filter(key="free").update(included_hours=500)  # as Pro, so that no day of the month matters
Subscription.objects.filter(organization=acme).update(plan=Plan.objects.get(key="free"))
"""
USE = """
from django.utils import timezone
from accounts.models import User
from billing.usage_alerts.services import check_usage
from usage.metering.meter import run_meter
from usage.models import ReportedTime
from runs.models import Project
from teams.models import Team
team, ada = Team.objects.get(name="vision"), User.objects.get(username="ada")
project, _ = Project.objects.get_or_create(team=team, name="cats")
ReportedTime.objects.create(
    team_id=team.pk, project_id=project.pk, user_id=ada.pk, run_id=0, at=timezone.now(), seconds=int({hours} * 3600)
)
run_meter()
check_usage()
"""
LATER = """
from datetime import datetime, time, UTC
from django.utils import timezone
from usage.metering.meter import rebuild
from billing.models import Subscription
from usage.models import ReportedTime
from usage.periods import period_at
before = period_at(timezone.now()).previous(1)
ReportedTime.objects.update(at=datetime.combine(before.start, time(12), UTC))
Subscription.objects.filter(organization__name="acme").update(closed_to=before.start, created_at=before.starts_at)
rebuild()
"""
"""As if a month had passed: what was used is of the last one, and that is not closed yet."""


@pytest.fixture
def smtp() -> Iterator[MailServer]:
    with mail_server() as running:
        yield running


@pytest.fixture
def stripe() -> Iterator[fake.Stripe]:
    with fake.stripe() as running:
        yield running


@pytest.fixture
def selling(new_server: Callable[..., Installation], smtp: MailServer, stripe: fake.Stripe) -> Installation:
    """Give an installation that takes cards, with an organization on the free plan and two admins."""
    server = new_server(
        RUNYARD_EMAIL_URL=f"smtp://127.0.0.1:{smtp.port}", RUNYARD_STRIPE_SECRET_KEY=fake.SECRET_KEY,
        RUNYARD_STRIPE_PUBLISHABLE_KEY=fake.PUBLISHABLE_KEY, RUNYARD_STRIPE_WEBHOOK_SECRET=fake.WEBHOOK_SECRET,
        RUNYARD_STRIPE_API_URL=stripe.url, RUNYARD_STRIPE_JS_URL=stripe.js_url,
    )  # fmt: skip
    stripe.tell(f"{server.url}/stripe/webhook")
    for name in ("ada", "bob"):
        server.manage("create_user", name, "--email", f"{name}@example.com", "--password", PASSWORD)
    do(server, BEGIN)
    return server


def do(server: Installation, lines: str) -> None:
    server.manage("shell", "--no-imports", "-c", lines)


def mail_to(smtp: MailServer, name: str, subject: str) -> EmailMessage:
    """Return the mail whose subject has these words, once it has come."""

    def come() -> list[EmailMessage]:
        return [mail for mail in smtp.to(f"{name}@example.com") if re.search(subject, mail["Subject"])]

    found: list[EmailMessage] = until(come, f"the mail {subject!r} to {name}")
    return found[0]


def test_from_the_free_plan_to_an_invoice_and_to_another_billing_admin(
    page: Page, selling: Installation, smtp: MailServer, stripe: fake.Stripe
) -> None:
    sign_in(page, selling.url, "ada", PASSWORD, to=BILLING)
    _upgrade(page, selling, stripe)
    _use(page, selling, smtp)
    _end_the_month(page, selling, smtp, stripe)
    _hand_over(page, selling, smtp)


def _upgrade(page: Page, server: Installation, stripe: fake.Stripe) -> None:
    """BIL-7, BIL-8: a card is asked for first, and what is paid now is said before it is confirmed."""
    expect(page.locator("#plan-title")).to_have_text("Free")
    page.get_by_role("link", name="Compare plans").first.click()
    page.get_by_role("link", name="Switch to Pro").click()
    expect(page.get_by_text("No payment method on file.")).to_be_visible()
    page.get_by_role("link", name="Add a payment method").click()
    for name, value in (("number", fake.GOOD_CARD), ("exp_month", "12"), ("exp_year", "31"), ("cvc", "123")):
        page.get_by_placeholder(name).fill(value)
    page.get_by_role("button", name="Add card").click()
    confirm = page.get_by_role("button", name=re.compile(r"Confirm and pay \$\d+\.\d\d"))
    confirm.click()
    expect(page.locator("#plan-title")).to_have_text("Pro")
    page.goto(f"{server.url}{BILLING}/payment")
    expect(page.locator(".pay-methods")).to_contain_text("4242")
    until(lambda: stripe.charged_cents > 0, "a charge")


def _use(page: Page, server: Installation, smtp: MailServer) -> None:
    """BIL-4 to BIL-6: use is counted and shown, and each threshold mailed to the billing admin, in order and once."""
    do(server, USE.format(hours=430))
    near, over = "acme: 85% of the tracked hours are used", "acme: the limit of tracked hours is reached"
    assert "raise" in text_of(mail_to(smtp, "ada", near))
    do(server, USE.format(hours=80))
    mail_to(smtp, "ada", over)
    do(server, USE.format(hours=0))
    told = [mail["Subject"] for mail in smtp.to("ada@example.com") if "tracked hours" in mail["Subject"]]
    assert told == [near, over]
    assert not [mail for mail in smtp.to("bob@example.com") if "tracked hours" in mail["Subject"]]
    page.goto(f"{server.url}{BILLING}")
    expect(page.locator(".usage-tiles").last).to_contain_text("510")
    page.goto(f"{server.url}{BILLING}/usage")
    expect(page.get_by_role("main")).to_contain_text("vision")


def _end_the_month(page: Page, server: Installation, smtp: MailServer, stripe: fake.Stripe) -> None:
    """BIL-10: one invoice, mailed, paid by the card, open as page and PDF; closing again changes nothing."""
    paid = stripe.charged_cents
    do(server, LATER)
    assert server.manage("close_billing")["closed"] >= 1
    assert "$61.00" in mail_to(smtp, "ada", r"\$61\.00")["Subject"]
    server.manage("close_billing")
    until(lambda: stripe.charged_cents == paid + 6100, "the invoice's charge")
    page.goto(f"{server.url}{BILLING}/invoices")
    row = page.get_by_role("row", name=re.compile(r"\$61\.00"))
    expect(row).to_have_count(1)
    row.get_by_role("link").first.click()
    expect(page.get_by_role("main")).to_contain_text("Tracked hours above 500 h")
    with page.expect_download() as coming:
        page.get_by_role("link", name=re.compile("PDF")).first.click()
    assert coming.value.path().read_bytes().startswith(b"%PDF-")


def _hand_over(page: Page, server: Installation, smtp: MailServer) -> None:
    """BIL-9: a summary to read, and both are told."""
    page.goto(f"{server.url}{BILLING}/roles")
    page.get_by_role("searchbox", name="Search users").fill("bob")
    expect(page.locator("#people tbody tr")).to_have_count(1)
    page.get_by_role("switch", name="Billing admin: bob").click()
    expect(page.get_by_text("ada no longer will, but can still see billing as an admin.")).to_be_visible()
    page.get_by_role("button", name="Change billing admin").click()
    expect(page.get_by_text("bob is now the billing admin of acme, instead of ada.")).to_be_visible()
    mail_to(smtp, "bob", "You now manage billing of acme")
    mail_to(smtp, "ada", "You no longer manage billing of acme")
    page.goto(f"{server.url}{BILLING}")
    expect(page.get_by_role("link", name="Cancel the plan")).to_have_count(0)
