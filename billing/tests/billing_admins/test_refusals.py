"""BIL-1, BIL-9: who is refused an organization's billing is told who looks after it, by name."""

import pytest
from django.test import Client
from django.urls import reverse

from access.actions import Preset
from access.actor import SYSTEM
from accounts.models import User
from billing.models import BillingAdmin
from teams.models import Organization
from teams.organizations.services import add_to_organization
from teams.roles.builtin import built_in
from tests.factories import OrganizationFactory, UserFactory
from tests.plans import offer_plans

pytestmark = pytest.mark.django_db


@pytest.fixture
def acme() -> Organization:
    """An organization with a billing admin, another admin, and a member."""
    organization: Organization = OrganizationFactory(name="acme", admin=UserFactory(username="ada"))
    for name, preset in (("chief", Preset.ORGANIZATION_ADMIN), ("mel", Preset.ORGANIZATION_MEMBER)):
        user = UserFactory(username=name)
        add_to_organization(actor=SYSTEM, organization=organization, user=user, role=built_in(preset))
    return organization


def _refused(client: Client, name: str, route: str) -> str:
    client.force_login(User.objects.get(username=name))
    reply = client.get(reverse(route, args=["acme"]), headers={"Accept": "text/html"})
    assert reply.status_code == 403
    return reply.content.decode()


@pytest.mark.parametrize("route", ["billing:overview", "usage:usage"])
def test_members_are_told_its_admins(client: Client, acme: Organization, route: str):
    text = _refused(client, "mel", route)
    assert "Ask a usage admin of acme: ada." in text


def test_where_money_is_in_it_they_are_billing_admins(client: Client, acme: Organization):
    offer_plans()
    assert "Ask a billing admin of acme: ada." in _refused(client, "mel", "billing:overview")
    assert "Ask a billing admin of acme: ada." in _refused(client, "chief", "billing:change")


def test_without_one_admins_of_the_organization_choose(client: Client, acme: Organization):
    BillingAdmin.objects.all().delete()
    assert "can choose a usage admin" in _refused(client, "chief", "usage:chargeback_prices")
