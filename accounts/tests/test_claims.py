"""An address that was entered and not verified opens nothing and keeps no one out (ACC-20, ACC-34)."""

import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from django.test import Client
from django.utils import timezone

from access.models import AuditEntry
from accounts.credentials import address_claims
from accounts.mail import sending
from accounts.models import User
from accounts.tasks import expire_unproven_addresses
from tests.factories import PASSWORD, UserFactory, delivered

pytestmark = pytest.mark.django_db
ADDRESS = "victim@corp.example"


@pytest.fixture(autouse=True)
def _mail_is_sent(settings: Any) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"


@pytest.fixture
def bob() -> User:
    """Give a user who has entered another's address."""
    made: User = UserFactory(username="bob")
    EmailAddress.objects.create(user=made, email=ADDRESS, verified=False)
    return made


def sign_up(client: Client, name: str = "victim") -> Any:
    form = {"username": name, "email": ADDRESS, "password1": PASSWORD}
    return client.post("/accounts/signup/", form)


def mails_to(address: str) -> list[str]:
    return [f"{mail.subject}\n{mail.body}" for mail in delivered() if mail.to == [address]]


def test_no_password_is_reset_by_an_unverified_address(client, bob):
    client.post("/accounts/password/reset/", {"email": ADDRESS})
    assert [mail for mail in mails_to(ADDRESS) if "/key/" in mail or "bob" in mail] == []
    client.post("/accounts/password/reset/", {"email": bob.email})
    assert [mail for mail in mails_to(bob.email) if "/key/" in mail]


def test_an_unverified_primary_address_resets_nothing_either(client):
    UserFactory(username="bob", email=ADDRESS, is_verified=False)
    client.post("/accounts/password/reset/", {"email": ADDRESS})
    assert [mail for mail in mails_to(ADDRESS) if "/key/" in mail] == []


def test_nothing_is_mailed_to_an_unverified_address():
    user = UserFactory(email=ADDRESS, is_verified=False)
    assert sending.send("accounts/email/factors_reset", user) is None
    EmailAddress.objects.filter(user=user).update(verified=True)
    assert sending.send("accounts/email/factors_reset", user) is not None


def test_the_owner_signs_up_and_the_link_takes_the_address_from_others(client, bob):
    sign_up(client)
    [mail] = mails_to(ADDRESS)
    link = re.search(r"https?://\S+/accounts/confirm-email/(\S+?)/?\s", mail)
    assert link is not None, mail
    client.post(f"/accounts/confirm-email/{link[1]}/")
    row = EmailAddress.objects.get(email=ADDRESS)
    assert (row.user.username, row.verified) == ("victim", True)
    assert AuditEntry.objects.filter(action="email.delete", object_id=str(bob.pk)).exists()


def test_a_sign_up_that_was_never_finished_keeps_no_one_out(client):
    sign_up(Client(), "squatter")
    sign_up(client)
    victim = User.objects.get(username="victim")
    client.post(
        f"/accounts/confirm-email/{EmailConfirmationHMAC(EmailAddress.objects.get(user=victim)).key}/"
    )
    assert [row.user for row in EmailAddress.objects.filter(email=ADDRESS)] == [victim]
    assert User.objects.get(username="squatter").email == ""


def test_a_verified_address_is_taken(client):
    UserFactory(email=ADDRESS)
    sign_up(client)
    assert not User.objects.filter(username="victim").exists()
    assert ["already have an account" in mail for mail in mails_to(ADDRESS)] == [True]


def test_another_primary_address_is_chosen_from_the_verified_ones():
    squatter = UserFactory(email=ADDRESS, is_verified=False)
    EmailAddress.objects.create(user=squatter, email="own@example.com", verified=True)
    UserFactory(email="victim@example.com")
    EmailAddress.objects.create(
        user=User.objects.get(email="victim@example.com"), email=ADDRESS, verified=True
    )
    squatter.refresh_from_db()
    assert squatter.email == "own@example.com"
    assert EmailAddress.objects.get(user=squatter).primary


def test_unproven_addresses_expire_with_their_link(bob):
    expire_unproven_addresses()
    assert EmailAddress.objects.filter(email=ADDRESS).exists()
    with time_machine.travel(timezone.now() + address_claims.EXPIRES_AFTER - timedelta(minutes=1)):
        expire_unproven_addresses()
        assert EmailAddress.objects.filter(email=ADDRESS).exists()
    with time_machine.travel(timezone.now() + address_claims.EXPIRES_AFTER + timedelta(minutes=1)):
        expire_unproven_addresses()
    assert list(EmailAddress.objects.filter(user=bob).values_list("email", flat=True)) == [bob.email]


def test_an_operator_removes_an_unproven_address(client, bob):
    client.force_login(UserFactory(is_operator=True))
    row = EmailAddress.objects.get(email=ADDRESS)
    client.post(f"/admin/account/emailaddress/{row.pk}/do/remove/")
    assert not EmailAddress.objects.filter(email=ADDRESS).exists()


def test_an_account_has_a_limited_number_of_addresses(client, settings, bob):
    settings.ACCOUNT_MAX_EMAIL_ADDRESSES = 2
    client.post("/accounts/login/", {"login": "bob", "password": PASSWORD})
    page = client.post("/settings/emails", {"email": "third@example.com", "action_add": ""}, follow=True)
    assert not EmailAddress.objects.filter(email="third@example.com").exists()
    assert "2" in page.content.decode()
