"""BIL-1, BIL-2: where billing opens, the overview, and plans side by side."""

from decimal import Decimal
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from access.actions import Preset
from access.actor import SYSTEM
from accounts.models import User
from billing.models import BillingAdmin, Invoice, PaymentMethod, Plan
from billing.subscriptions.selectors import subscription_of
from teams.models import Organization
from teams.organizations.services import add_to_organization
from teams.roles.builtin import built_in
from tests.factories import OrganizationFactory, TeamFactory, UserFactory, basic, make_key
from tests.plans import offer_plans, put_on

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fresh() -> None:
    cache.clear()


@pytest.fixture
def ada() -> User:
    return UserFactory(username="ada")


@pytest.fixture
def organization(ada: User) -> Organization:
    """Give an organization that an operator sells plans to; `test_unbilled` has the others."""
    offer_plans()
    return OrganizationFactory(name="acme", admin=ada)


@pytest.fixture
def chief(organization: Organization) -> User:
    """Give an admin of the organization who is no billing admin."""
    return _joined(organization, Preset.ORGANIZATION_ADMIN, "chief")


@pytest.fixture
def member(organization: Organization) -> User:
    return _joined(organization, Preset.ORGANIZATION_MEMBER, "member")


def _joined(organization: Organization, preset: Preset, name: str) -> User:
    user = UserFactory(username=name)
    add_to_organization(actor=SYSTEM, organization=organization, user=user, role=built_in(preset))
    return user


def _text(client: Client, user: User, route: str, *args: str) -> str:
    client.force_login(user)
    answer = client.get(reverse(route, args=args))
    assert answer.status_code == 200, answer.content[:500]
    return answer.content.decode()


class TestStart:
    """BIL-1."""

    @pytest.mark.parametrize("who", ["ada", "chief"])
    def test_the_menu_leads_admins_to_their_organization(self, client, request, organization, who: str):
        user = request.getfixturevalue(who)
        assert reverse("billing:start") in _text(client, user, "accounts:profile")
        assert client.get(reverse("billing:start")).headers["Location"] == reverse(
            "billing:overview", args=["acme"]
        )

    def test_members_have_no_such_entry_and_are_told_whom_to_ask(self, client: Client, member: User):
        assert f'href="{reverse("billing:start")}"' not in _text(client, member, "accounts:profile")
        assert client.get(reverse("billing:start")).headers["Location"] == reverse("billing:own")
        text = _text(client, member, "billing:own")
        assert "You cannot see the billing of any organization; only its admins can." in text
        assert "ada" in text
        assert client.get(reverse("billing:overview", args=["acme"])).status_code == 403

    def test_who_has_several_chooses(self, client: Client, ada: User, organization: Organization):
        other = OrganizationFactory(name="other", admin=ada)
        client.force_login(ada)
        assert client.get(reverse("billing:start")).headers["Location"] == reverse("billing:own")
        text = _text(client, ada, "billing:own")
        assert reverse("billing:overview", args=["acme"]) in text
        assert reverse("billing:overview", args=[other.name]) in text

    def test_ones_own_plan_is_there(self, client: Client, ada: User):
        put_on(ada, name="Tiny", description="For one.", included_hours=10)
        text = _text(client, ada, "billing:own")
        assert "Tiny" in text
        assert "For one." in text


class TestOverview:
    """BIL-2."""

    def test_says_plan_price_limits_and_what_leads_on(
        self, client: Client, ada: User, organization: Organization, settings
    ):
        settings.SALES_CONTACT = "sales@example.com"
        offer_plans()
        row = put_on(organization, Plan.objects.get(key="pro"))
        row.extra_storage_gb = 10
        row.save()
        text = _text(client, ada, "billing:overview", "acme")
        for words in (
            "Pro",
            "$60.00 per month",
            "$60.25 per month",
            "1</strong>",
            "of 10 taken",
            "For information",
        ):
            assert words in text, words
        for path in (
            reverse("teams:organization", args=["acme"]), reverse("billing:plans", args=["acme"]),
            reverse("usage:usage", args=["acme"]), "mailto:sales@example.com",
        ):  # fmt: skip
            assert f'href="{path}' in text, path
        for words in ("Manage users", "View usage", "Manage storage", "Compare plans", "Contact sales"):
            assert words in text or words == "Manage storage", words

    def test_cards_sum_up_payment_invoices_and_admins(
        self, client: Client, ada: User, organization: Organization
    ):
        row = put_on(organization, Plan.objects.get(key="pro"))
        PaymentMethod.objects.create(
            subscription=row, gateway="stripe", ref="pm", brand="Visa", last4="4242", exp_month=4, exp_year=2031,
            is_default=True,
        )  # fmt: skip
        made = row.created_at
        Invoice.objects.create(
            subscription=row, sequence=1, number="ACME-0001", kind="period", period_start=made.date(),
            period_end=made.date(), due_at=made, total_usd=Decimal("60.25"),
        )  # fmt: skip
        text = _text(client, ada, "billing:overview", "acme")
        for words in ("Visa •••• 4242", "expires 04/2031", "ACME-0001", "$60.25 open", "Open · $60.25"):
            assert words in text, words

    def test_other_admins_look_and_read_whom_to_ask(
        self, client: Client, chief: User, organization: Organization
    ):
        put_on(organization, Plan.objects.get(key="free"))
        text = _text(client, chief, "billing:overview", "acme")
        assert "Billing admins of acme can change the plan: ada." in text
        plans = _text(client, chief, "billing:plans", "acme")
        assert "Switch to Pro" not in plans
        assert "Billing admins of acme can change the plan: ada." in plans

    def test_without_a_billing_admin_it_says_so(self, client: Client, ada: User, organization: Organization):
        BillingAdmin.objects.all().delete()
        assert "No one manages billing" in _text(client, ada, "billing:overview", "acme")

    def test_costs_the_same_with_many_teams(
        self, client: Client, ada: User, organization: Organization, django_assert_max_num_queries
    ):
        for _ in range(8):
            TeamFactory(organization=organization, admin=ada)
        client.force_login(ada)
        with django_assert_max_num_queries(41):
            client.get(reverse("billing:overview", args=["acme"]))


class TestCompare:
    """BIL-2, BIL-3."""

    def test_shows_what_is_offered_and_the_present_plan(
        self, client: Client, ada: User, organization: Organization
    ):
        offer_plans()
        put_on(organization, name="Special", seats=77)
        text = _text(client, ada, "billing:plans", "acme")
        for words in (
            "Free",
            "Pro",
            "Enterprise",
            "Special",
            "Your plan",
            "By agreement",
            "then $0.10 per h",
            "77",
        ):
            assert words in text, words
        assert "Academic" not in text  # given by operators
        assert "Self-hosted" not in text

    def test_is_honest_where_there_is_no_other(self, client: Client, ada: User, organization: Organization):
        """BIL-3, the review's D1: on a fresh installation nothing is on offer, so there is nothing to click on."""
        Plan.objects.update(is_offered=False, by_contact=False)
        assert "Compare plans" not in _text(client, ada, "billing:overview", "acme")
        text = _text(client, ada, "billing:plans", "acme")
        assert "this installation offers no other" in text
        assert "Unlimited" in text
        assert "Switch to" not in text
        for key in ("free", "pro", "enterprise"):
            answer = client.post(reverse("billing:change", args=["acme"]), {"plan": key, "confirm": ""})
            assert answer.status_code in {302, 404}
        assert subscription_of(organization).next_terms[0].key == "self-hosted"

    def test_no_plan_is_pressed_on_anybody(self, client: Client, ada: User, organization: Organization):
        """The review's D1: a button says where it leads, in plain color; what one had stays choosable."""
        offer_plans()
        row = put_on(organization, Plan.objects.get(key="free"))
        row.former_plans.add(Plan.objects.get(key="self-hosted"))
        assert "btn-primary" not in _text(client, ada, "billing:overview", "acme")
        text = _text(client, ada, "billing:plans", "acme")
        assert "btn-primary" not in text
        assert "Switch to Pro" in text
        assert "Switch to Self-hosted" in text
        page = client.get(reverse("billing:change", args=["acme"]), {"plan": "self-hosted"}).content.decode()
        assert "Upgrade to Self-hosted" in page

    def test_what_would_be_lost_is_read_before_it_is(
        self, client: Client, ada: User, organization: Organization
    ):
        """The review's D1."""
        offer_plans()
        client.force_login(ada)
        page = client.get(reverse("billing:change", args=["acme"]), {"plan": "free"}).content.decode()
        lost = page[page.index("You will lose:") :]
        for words in ("Switch to Free", "You can undo this until then"):
            assert words in page
        for words in ("Service accounts", "Custom roles", "Audit log", "Seats: Unlimited → 5"):
            assert words in lost


class TestRest:
    """BIL-2, over REST."""

    def _get(self, client: Client, user: User, path: str) -> Any:
        return client.get(f"/api/v1/{path}", headers={"authorization": basic(make_key(user))})

    def test_plans(self, client: Client, ada: User):
        assert self._get(client, ada, "billing/plans/").json()["results"] == []
        offer_plans()
        told = self._get(client, ada, "billing/plans/").json()["results"]
        assert [plan["key"] for plan in told] == ["free", "pro", "enterprise"]
        assert told[1]["hour_price_usd"] == "0.1000"
        assert told[1]["features"]["usage_alerts"] is True
        assert told[1]["features"]["sso"] is False
        assert client.get("/api/v1/billing/plans/").status_code == 401

    def test_the_plan_of_an_organization(
        self, client: Client, ada: User, chief: User, member: User, organization
    ):
        Plan.objects.update(is_offered=False, by_contact=False)
        put_on(organization, name="Small", seats=10, has_view_only_role=False)
        assert self._get(client, chief, "organizations/acme/billing/").json()["choices"] == []
        offer_plans()
        told = self._get(client, chief, "organizations/acme/billing/").json()
        assert told["choices"] == ["free", "pro"]
        assert told["plan"]["name"] == "Small"
        assert told["billing_admins"] == ["ada"]
        assert told["limits"][0] == {
            "kind": "seats", "unit": "", "used": "3.000000", "included": "10.000000", "percent": "30.00",
            "price_usd": None, "standing": "within",
        }  # fmt: skip
        assert [limit["kind"] for limit in told["limits"]] == ["seats", "hours", "storage", "ingestion"]
        assert self._get(client, member, "organizations/acme/billing/").status_code == 403
        assert self._get(client, UserFactory(), "organizations/acme/billing/").status_code == 404
