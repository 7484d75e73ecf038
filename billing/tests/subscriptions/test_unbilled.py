"""BIL-1, BIL-2: a lab that bills nobody reads of usage, and of no prices, payment or invoices."""

import re
from decimal import Decimal

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from access.actions import Preset
from access.actor import SYSTEM
from access.resources.registry import resource_of
from accounts.models import User
from billing.billing_admins.contacts import plan_message
from billing.billing_admins.grants import BillingAdmins
from billing.billing_admins.services import assign_billing_admin, withdraw_billing_admin
from billing.models import Invoice, Plan
from billing.subscriptions.billed import belongs_to_billed, is_billed
from billing.subscriptions.selectors import subscription_of
from common.errors import Conflict
from teams.models import Organization
from teams.organizations.services import add_to_organization
from teams.roles.builtin import built_in
from tests.factories import OrganizationFactory, TeamFactory, UserFactory, actor
from tests.plans import offer_plans, put_on
from usage.access import BillingAction
from usage.metering.ingestion import record_ingestion

pytestmark = pytest.mark.django_db
MONEY = re.compile(r"billing|payment|invoice|price|\$|tax\b|charged", re.IGNORECASE)


@pytest.fixture
def ada() -> User:
    return UserFactory(username="ada")


@pytest.fixture
def lab(ada: User) -> Organization:
    organization = OrganizationFactory(name="lab", admin=ada)
    TeamFactory(name="vision", organization=organization, admin=ada)
    return organization


@pytest.fixture
def grace(lab: Organization) -> User:
    user = UserFactory(username="grace")
    add_to_organization(actor=SYSTEM, organization=lab, user=user, role=built_in(Preset.ORGANIZATION_ADMIN))
    return user


def _read(client: Client, path: str) -> str:
    """Return the words of a page, as they are read or heard."""
    reply = client.get(path)
    assert reply.status_code == 200, (path, reply.status_code)
    html = re.sub(r"(?s)<(script|style|template)\b.*?</\1>", " ", reply.content.decode())
    spoken = re.findall(r'(?:aria-label|title|placeholder|data-label)="([^"]*)"', html)
    return re.sub(r"\s+", " ", " ".join([re.sub(r"<[^>]+>", " ", html), *spoken]))


@pytest.mark.parametrize(
    "path",
    [
        "/organizations/lab/billing",
        "/organizations/lab/billing/usage",
        "/organizations/lab/billing/roles",
        "/organizations/lab/billing/plans",
        "/organizations/lab",
        "/settings/billing",
        "/settings/storage",
        "/settings/profile",
        "/teams/vision/usage",
        "/teams/vision/storage",
    ],
)
def test_pages_tell_of_usage_and_of_no_money(client: Client, ada: User, lab: Organization, path: str):
    put_on(lab, name="Lab", seats=20, included_storage_gb=500, included_hours=100)
    client.force_login(ada)
    text = _read(client, path)
    assert MONEY.findall(text.replace("chargeback prices", "")) == []
    assert "Usage" in text


def test_chargeback_is_one_of_its_tabs_and_shows_the_labs_own_prices(
    client: Client, ada: User, lab: Organization
):
    client.force_login(ada)
    text = _read(client, reverse("usage:chargeback", args=["lab"]))
    assert "Chargeback" in text
    assert "A usage admin" not in text, "ada is one"
    for word in ("Billing", "invoice", "Payment"):
        assert word not in text


@pytest.mark.parametrize("route", ["billing:payment", "billing:invoices"])
def test_there_is_no_page_of_payment(client: Client, ada: User, lab: Organization, route: str):
    client.force_login(ada)
    reply = client.get(reverse(route, args=["lab"]))
    assert reply.headers["Location"] == reverse("billing:overview", args=["lab"])


class TestBilled:
    """When money comes into it."""

    def test_nobody_is_where_nothing_is_sold(self, lab: Organization):
        assert not is_billed(subscription_of(lab))

    @pytest.mark.parametrize(
        ("offered", "expected"),
        [
            ({"price_usd": Decimal(9)}, True),
            ({"hour_price_usd": Decimal("0.1")}, True),
            ({"by_contact": True, "is_offered": False}, True),
            ({"seats": 3}, False),
            ({"price_usd": Decimal(9), "is_offered": False}, False),
        ],
    )
    def test_what_is_offered_decides(self, lab: Organization, offered, expected):
        Plan.objects.create(key="other", name="Other", **{"is_offered": True, **offered})
        assert is_billed(subscription_of(lab)) is expected

    def test_who_is_on_a_plan_with_a_price_or_was_invoiced_is(self, ada: User, lab: Organization):
        row = put_on(lab, name="Given", price_usd=Decimal(5))
        assert is_billed(row)
        assert belongs_to_billed(actor(ada))
        row = put_on(lab, name="Left")
        assert not is_billed(row)
        day = row.created_at.date()
        Invoice.objects.create(
            subscription=row, sequence=1, number="LAB-0001", kind="period", period_start=day, period_end=day,
            due_at=row.created_at, total_usd=Decimal(1),
        )  # fmt: skip
        assert is_billed(row)

    def test_a_plan_that_was_left_and_can_be_chosen_again_counts(self, lab: Organization):
        row = subscription_of(lab)
        row.former_plans.add(Plan.objects.create(key="old", name="Old", price_usd=Decimal(5)))
        assert is_billed(row)


def test_billing_is_back_as_soon_as_a_plan_is_sold(client: Client, ada: User, lab: Organization):
    offer_plans()
    client.force_login(ada)
    text = _read(client, reverse("billing:overview", args=["lab"]))
    for word in ("Billing", "Payment", "Invoices", "Free of charge", "Billing admins"):
        assert word in text
    assert "Billing" in _read(client, "/settings/profile")


class TestWords:
    """Mails and refusals."""

    def test_refusals_ask_usage_admins(self, lab: Organization):
        assert plan_message(lab) == (
            "lab has the plan Self-hosted. Usage admins of lab can change the plan: ada."
        )
        offer_plans()
        assert "Billing admins of lab can change the plan: ada." in plan_message(lab)

    def test_the_last_one_is_refused_as_such(self, ada: User, lab: Organization):
        with pytest.raises(Conflict, match="only usage admin of lab") as refused:
            withdraw_billing_admin(actor=actor(ada), organization=lab, user=ada)
        assert "illing" not in refused.value.message.replace("/billing/", "")

    def test_mails_speak_of_usage(
        self, ada: User, grace: User, lab: Organization, django_capture_on_commit_callbacks
    ):
        with django_capture_on_commit_callbacks(execute=True):
            assign_billing_admin(actor=actor(ada), organization=lab, user=grace)
        assert [letter.subject for letter in mail.outbox] == ["You now manage usage of lab on Runyard"]
        assert (
            MONEY.findall(mail.outbox[0].body.replace("/billing/", "").replace("chargeback prices", "")) == []
        )

    def test_explain_names_them(self, grace: User, lab: Organization):
        resource = resource_of(Organization)
        [reason] = BillingAdmins(BillingAction.MANAGE).reasons(
            actor(grace), BillingAction.MANAGE, resource, lab
        )
        assert (reason.text, reason.help) == (
            "grace is not a usage admin of lab.", "Ask a usage admin of lab: ada.",
        )  # fmt: skip


def test_trace_data_is_shown_once_something_sends_some(client: Client, ada: User, lab: Organization):
    """BIL-4, BIL-5: nothing feeds it on most installations."""
    client.force_login(ada)
    pages = (reverse("billing:overview", args=["lab"]), reverse("usage:usage", args=["lab"]))
    for page in pages:
        assert "Trace data" not in _read(client, page)
    team = lab.teams.shared().get()
    record_ingestion(team_id=team.pk, project_id=None, user_id=None, size_bytes=5, token="weave-1")
    for page in pages:
        assert "Trace data" in _read(client, page)
