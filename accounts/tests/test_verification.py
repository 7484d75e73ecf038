"""ACC-20, ACC-34: from sign-up to a confirmed address, in the browser that signed up and in others."""

import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.test import Client
from django.utils import timezone

from access.models import AuditEntry
from accounts.models import User
from tests.factories import PASSWORD, UserFactory, delivered

pytestmark = pytest.mark.django_db

PAGE = "/accounts/confirm-email/"
SIGN_UP = {"username": "Ada", "email": "ada@example.com", "password1": PASSWORD}


@pytest.fixture(autouse=True)
def _mail_arrives(settings: Any) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"


@pytest.fixture
def waiting(client: Client) -> Client:
    """Give a browser that has just signed up."""
    client.post("/accounts/signup/", SIGN_UP)
    return client


def _later(seconds: float) -> Any:
    return time_machine.travel(timezone.now() + timedelta(seconds=seconds), tick=True)


def _link(number: int = -1) -> str:
    found = re.search(r"http://localhost:8000(/accounts/confirm-email/\S+)", str(delivered()[number].body))
    assert found is not None
    return found[1]


def _is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def _told(client: Client) -> str:
    text = re.sub(r"<[^>]+>", " ", client.get(PAGE).content.decode().split("<main")[1])
    return " ".join(text.split())


class TestLink:
    def test_signs_in_where_one_signed_up(self, waiting: Client):
        assert waiting.post(_link()).headers["Location"] == "/"
        assert _is_signed_in(waiting)
        assert AuditEntry.objects.filter(action="user.sign_in", actor_name="Ada").exists()

    def test_leads_to_where_one_was_going(self, client: Client):
        client.post("/accounts/signup/?next=/settings/teams", {**SIGN_UP, "next": "/settings/teams"})
        assert client.post(_link()).headers["Location"] == "/settings/teams"

    def test_signs_nobody_in_elsewhere_and_fills_in_the_address(self, waiting: Client):
        """A link that leaks opens no account; where one signed up, the next look at the page goes on."""
        other = Client()
        assert other.post(_link()).headers["Location"] == "/accounts/login/"
        assert not _is_signed_in(other)
        assert 'value="ada@example.com"' in other.get("/accounts/login/").content.decode()
        assert waiting.get(PAGE).headers["Location"] == "/"
        assert _is_signed_in(waiting)

    def test_asks_for_the_second_factor_first(self, waiting: Client):
        Authenticator.objects.create(user=User.objects.get(username="Ada"), type="totp", data={"secret": "x"})
        assert waiting.post(_link()).headers["Location"] == "/accounts/2fa/authenticate/"
        assert not _is_signed_in(waiting)

    def test_opens_no_account_that_was_switched_off_meanwhile(self, waiting: Client):
        link = _link()
        User.objects.filter(username="Ada").update(is_active=False)
        assert waiting.post(link).headers["Location"] == "/accounts/inactive/"
        assert not _is_signed_in(waiting)

    def test_of_another_account_signs_nobody_in(self, waiting: Client):
        """The browser's own sign-up waits for its own address."""
        Client().post("/accounts/signup/", {**SIGN_UP, "username": "eve", "email": "eve@example.com"})
        assert waiting.post(_link()).headers["Location"] == "/accounts/login/"
        assert not _is_signed_in(waiting)

    def test_signs_in_for_an_hour_only(self, waiting: Client):
        link = _link()
        with _later(3700):
            assert waiting.post(link).headers["Location"] == "/accounts/login/"
        assert not _is_signed_in(waiting)


class TestAgain:
    def test_is_sent_by_the_button_once_in_three_minutes(self, waiting: Client):
        """ACC-34: the page says no mail went when none did, and when the next one can."""
        assert "We sent a link to ada@example.com." in _told(waiting)
        refused = waiting.post(PAGE, headers={"Accept": "text/html"})
        assert (refused.status_code, 100 < int(refused.headers["Retry-After"]) <= 180) == (429, True)
        assert re.search(r"No email was sent\. You can send another in \d minutes", refused.content.decode())
        with _later(150):
            assert re.search(r"You can send another in \d+ seconds?\.", _told(waiting))
        with _later(181):
            assert "You can send another" not in _told(waiting)
            assert waiting.post(PAGE).headers["Location"] == PAGE
            assert [mail.to for mail in delivered()] == [["ada@example.com"]] * 2
        waiting.post(_link(0))
        assert _is_signed_in(waiting)

    def test_for_a_known_address_is_the_same_page_and_the_mail_that_says_so(self, client: Client):
        """ACC-20: nobody learns whether an address is known."""
        UserFactory(username="countess", email="ada@example.com")
        client.post("/accounts/signup/", SIGN_UP)
        known = _told(client)
        unknown = Client()
        unknown.post("/accounts/signup/", {**SIGN_UP, "username": "eve", "email": "eve@example.com"})
        assert known.replace("ada@", "eve@") == _told(unknown)
        with _later(181):
            assert client.post(PAGE).headers["Location"] == PAGE
            subjects = [mail.subject for mail in delivered() if mail.to == ["ada@example.com"]]
        assert subjects == ["You already have an account"] * 2

    def test_signing_in_with_an_unconfirmed_address_leads_there(self, waiting: Client):
        """ACC-34: soon after the first mail none is sent, which the page does not claim."""
        other = Client()
        reply = other.post("/accounts/login/", {"login": "Ada", "password": PASSWORD})
        assert reply.headers["Location"] == PAGE
        assert "You can send another in" in _told(other)
        assert len(delivered()) == 1

    def test_without_a_sign_up_in_this_browser_it_leads_to_sign_in(self, client: Client):
        assert "To get another email, sign in." in _told(client)
        assert 'href="/accounts/login/"' in client.get(PAGE).content.decode()
        client.force_login(UserFactory())
        assert client.get(PAGE).headers["Location"] == "/settings/emails"


class TestWrongAddress:
    def _change(self, client: Client, email: str) -> Any:
        return client.post(PAGE, {"change": "", "email": email}, headers={"Accept": "text/html"})

    def test_is_corrected_and_the_former_link_is_dead(self, waiting: Client):
        former = _link()
        assert self._change(waiting, "Ada@Corp.example").headers["Location"] == PAGE
        assert "sent a link to ada@corp.example" in _told(waiting)
        assert waiting.post(former).status_code == 410
        waiting.post(_link())
        assert _is_signed_in(waiting)
        user = User.objects.get(username="Ada")
        assert (user.email, EmailAddress.objects.get(user=user).verified) == ("ada@corp.example", True)
        assert AuditEntry.objects.filter(action="email.primary").exists()

    def test_for_one_that_is_known_changes_nothing_and_looks_alike(self, waiting: Client):
        UserFactory(username="eve", email="eve@example.com")
        assert self._change(waiting, "eve@example.com").headers["Location"] == PAGE
        assert "sent a link to eve@example.com" in _told(waiting)
        subjects = [mail.subject for mail in delivered() if mail.to == ["eve@example.com"]]
        assert subjects == ["You already have an account"]
        assert User.objects.get(username="Ada").email == "ada@example.com"

    def test_after_a_known_one_tells_its_owner_that_there_is_no_account(self, client: Client):
        """The sign-up made none; the mail invites to sign up."""
        UserFactory(username="countess", email="ada@example.com")
        client.post("/accounts/signup/", SIGN_UP)
        assert self._change(client, "new@example.com").headers["Location"] == PAGE
        assert "sent a link to new@example.com" in _told(client)
        assert not User.objects.filter(email="new@example.com").exists()
        assert len([mail for mail in delivered() if mail.to == ["new@example.com"]]) == 1

    def test_is_held_to_the_rules_of_addresses_and_of_number(self, waiting: Client, settings: Any):
        """ACC-22."""
        settings.SIGNUP_DOMAINS = ["corp.example"]
        refused = self._change(waiting, "ada@elsewhere.example")
        assert (refused.status_code, "corp.example" in refused.content.decode()) == (422, True)
        for number in range(3):
            assert self._change(waiting, f"ada{number}@corp.example").status_code == 302
        assert self._change(waiting, "ada9@corp.example").status_code == 429
        assert "Wrong address?" not in _told(waiting)

    def test_is_nothing_for_an_account_that_was_used(self, client: Client):
        """Whoever knows its password only waits for the mail."""
        ada = UserFactory(username="ada", email="ada@example.com", is_verified=False)
        User.objects.filter(pk=ada.pk).update(last_login=timezone.now())
        client.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
        assert "Wrong address?" not in _told(client)
        assert self._change(client, "new@example.com").status_code == 429
        assert User.objects.get(pk=ada.pk).email == "ada@example.com"
