"""BIL-9: the page Manage roles, the field per row, REST, and what operators do."""

from typing import Any

import pytest
from django.test import Client

from access.actions import Preset
from billing.models import BillingAdmin, Plan, Subscription
from teams.models import Organization, OrganizationMember
from teams.roles.builtin import built_in
from tests.factories import OrganizationFactory, UserFactory, basic, leave_open, make_key
from tests.plans import offer_plans

pytestmark = pytest.mark.django_db
PAGE = "/organizations/acme/billing/roles"
REST = "/api/v1/organizations/acme/billing-admins"


@pytest.fixture
def acme() -> Organization:
    """An organization with one billing admin at a time, another admin and a member."""
    organization: Organization = OrganizationFactory(name="acme", admin=UserFactory(username="ada"))
    for name, preset in (("bob", Preset.ORGANIZATION_ADMIN), ("carol", Preset.ORGANIZATION_MEMBER)):
        user = UserFactory(username=name)
        OrganizationMember.objects.create(organization=organization, user=user, role=built_in(preset))
    put_on("free")
    return organization


def put_on(key: str) -> None:
    offer_plans()
    Subscription.objects.filter(organization__isnull=False).update(plan=Plan.objects.get(key=key))


def signed_in(name: str) -> Client:
    client = Client(headers={"Accept": "text/html"})
    client.force_login(OrganizationMember.objects.get(user__username=name).user)
    return client


def number_of(name: str) -> int:
    return OrganizationMember.objects.get(user__username=name).user_id


def billing_admins() -> set[str]:
    return set(BillingAdmin.objects.values_list("user__username", flat=True))


class TestPage:
    def test_it_shows_everybody_and_why_some_cannot(self, acme: Organization):
        """BIL-9: members are greyed, with the way to make them an admin."""
        seen = signed_in("bob").get(PAGE).content.decode()
        assert "Change billing admin" in seen
        assert "ada no longer will, but can still see billing as an admin." in seen
        assert "ada is the only billing admin" in seen
        assert "Make them an admin first" in seen
        assert "/organizations/acme?q=carol" in seen

    def test_it_searches_for_fragments(self, acme: Organization):
        """BIL-9: as one types, only the list is sent."""
        seen = signed_in("ada").get(PAGE, {"q": "BO"}, headers={"HX-Request": "true"}).content.decode()
        assert "<html" not in seen
        assert "bob" in seen
        assert "carol" not in seen
        nobody = signed_in("ada").get(PAGE, {"q": "zzz"}).content.decode()
        assert "No matching users." in nobody

    def test_a_click_moves_the_role(self, acme: Organization):
        """BIL-9: and the page says what was done."""
        seen = (
            signed_in("ada").post(f"{PAGE}/assign", {"user": number_of("bob")}, follow=True).content.decode()
        )
        assert "bob is now the billing admin of acme, instead of ada." in seen
        assert billing_admins() == {"bob"}

    def test_the_last_one_stays_with_a_word(self, acme: Organization):
        seen = signed_in("bob").post(f"{PAGE}/withdraw", {"user": number_of("ada")}, follow=True)
        assert "only billing admin of acme" in seen.content.decode()
        assert billing_admins() == {"ada"}

    def test_plans_for_many_add_and_take_away(self, acme: Organization):
        put_on("enterprise")
        client = signed_in("ada")
        assert "Make billing admin" in client.get(PAGE).content.decode()
        client.post(f"{PAGE}/assign", {"user": number_of("bob")})
        assert billing_admins() == {"ada", "bob"}
        assert "Remove ada as billing admin?" in client.get(PAGE).content.decode()
        put_on("pro")
        assert (
            "The ones below keep the role until you choose one of them" in client.get(PAGE).content.decode()
        )
        client.post(f"{PAGE}/withdraw", {"user": number_of("ada")})
        assert billing_admins() == {"bob"}

    def test_where_nobody_manages_billing_it_says_so(self, acme: Organization):
        BillingAdmin.objects.all().delete()
        assert "No one manages billing of the organization." in signed_in("ada").get(PAGE).content.decode()

    def test_members_are_refused_and_others_see_nothing(self, acme: Organization):
        """BIL-1, TEAM-21."""
        assert signed_in("carol").get(PAGE).status_code == 403
        stranger = Client()
        stranger.force_login(UserFactory())
        assert stranger.get(PAGE).status_code == 404

    def test_an_open_browser_is_asked_who_is_there(self, acme: Organization):
        """TEAM-21: moving money's keeper is a dangerous act."""
        client = signed_in("ada")
        leave_open(client)
        answer = client.post(f"{PAGE}/assign", {"user": number_of("bob")})
        assert "/accounts/reauthenticate/" in answer.headers["Location"]
        assert billing_admins() == {"ada"}

    def test_its_queries_do_not_grow(self, acme: Organization, django_assert_max_num_queries: Any):
        client = signed_in("ada")
        client.get(PAGE)
        for number in range(20):
            user = UserFactory(username=f"admin{number}")
            role = built_in(Preset.ORGANIZATION_ADMIN)
            OrganizationMember.objects.create(organization=acme, user=user, role=role)
        with django_assert_max_num_queries(25):
            client.get(PAGE)


class TestRest:
    def test_it_lists_assigns_and_takes_away(self, acme: Organization):
        """BIL-9."""
        put_on("enterprise")
        headers = {
            "Authorization": basic(make_key(OrganizationMember.objects.get(user__username="ada").user))
        }
        client = Client(headers=headers)
        made = client.post(f"{REST}/", {"username": "bob"}, "application/json")
        assert (made.status_code, made.json()["user"]["username"]) == (201, "bob")
        shown = client.get(f"{REST}/").json()["results"]
        assert [row["user"]["username"] for row in shown] == ["ada", "bob"]
        assert client.delete(f"{REST}/ada").status_code == 204
        assert client.delete(f"{REST}/bob").status_code == 409
        assert client.delete(f"{REST}/nobody").status_code == 404
        assert client.post(f"{REST}/", {"username": "carol"}, "application/json").status_code == 409
        assert billing_admins() == {"bob"}


class TestOperators:
    @pytest.fixture
    def operator(self, client: Client) -> Client:
        client.force_login(UserFactory(username="boss", is_operator=True))
        return client

    def test_an_operator_chooses_one_where_there_is_none(self, acme: Organization, operator: Client):
        """TEAM-21, BIL-9."""
        BillingAdmin.objects.all().delete()
        form = {"organization": "acme", "user": "bob"}
        answer = operator.post("/admin/billing/billingadmin/add/", form)
        assert answer.status_code == 302
        assert billing_admins() == {"bob"}

    def test_an_operator_moves_the_role(self, acme: Organization, operator: Client):
        path = f"/admin/billing/billingadmin/{BillingAdmin.objects.get().pk}/do"
        refused = operator.post(f"{path}/assign/", {"user": "carol"})
        assert "carol is not an admin of acme" in refused.content.decode()
        assert operator.post(f"{path}/assign/", {"user": "bob"}).status_code == 302
        assert billing_admins() == {"bob"}
        path = f"/admin/billing/billingadmin/{BillingAdmin.objects.get().pk}/do"
        assert "only billing admin of acme" in operator.post(f"{path}/withdraw/").content.decode()
