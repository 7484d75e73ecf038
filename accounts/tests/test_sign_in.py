"""ACC-20, ACC-22: sign-up, sign-in, sign-out and the mailed link, on the real pages."""

import re

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client

from accounts.models import User
from teams.models import Team
from tests.factories import PASSWORD, ServiceAccountFactory, TeamFactory, UserFactory

pytestmark = pytest.mark.django_db

SIGN_UP = {"username": "Ada", "email": "ada@example.com", "password1": PASSWORD}


@pytest.fixture(autouse=True)
def _no_rate_limits_from_other_tests():
    from django.core.cache import cache

    cache.clear()


def _signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


class TestSignUp:
    def test_makes_a_person_with_name_team_and_session(self, client: Client):
        response = client.post("/accounts/signup/", SIGN_UP)
        assert response.status_code == 302
        user = User.objects.get(username="Ada")
        assert user.claim.text == "Ada"
        assert Team.objects.get(name="Ada").memberships.get().user == user
        assert _signed_in(client)
        assert client.get("/").status_code == 200

    def test_mails_a_link_that_verifies_the_address(self, client: Client):
        """ACC-34."""
        client.post("/accounts/signup/", SIGN_UP)
        link = re.search(r"http://testserver(/accounts/confirm-email/\S+)", str(mail.outbox[0].body))
        assert link is not None
        client.post(link[1])
        assert EmailAddress.objects.get(user=User.objects.get(username="Ada")).verified

    @pytest.mark.parametrize("name", ["admin", "Settings", "no spaces", "x/y", "ünal"])
    def test_refuses_names_beside_the_field(self, client: Client, name: str):
        response = client.post("/accounts/signup/", SIGN_UP | {"username": name})
        assert response.status_code == 200
        assert "username" in response.context["form"].errors
        assert not User.objects.exists()

    def test_refuses_the_name_of_a_team(self, client: Client):
        TeamFactory(name="Vision")
        response = client.post("/accounts/signup/", SIGN_UP | {"username": "vision"})
        assert "is taken by another user, team or organization" in response.content.decode()
        assert not User.objects.filter(username="vision").exists()

    @pytest.mark.parametrize("password", ["short", "password123", "0123456789", "ada@example.com"])
    def test_refuses_weak_passwords(self, client: Client, password: str):
        assert (
            "password1"
            in client.post("/accounts/signup/", SIGN_UP | {"password1": password}).context["form"].errors
        )

    def test_refuses_an_address_that_somebody_has(self, client: Client):
        UserFactory(email="ada@example.com")
        assert "email" in client.post("/accounts/signup/", SIGN_UP).context["form"].errors
        assert not User.objects.filter(username="Ada").exists()

    def test_is_closed_when_the_operator_says_so(self, client: Client, settings):
        """ACC-22."""
        settings.SIGNUP_OPEN = False
        assert b"closed" in client.get("/accounts/signup/").content.lower()
        client.post("/accounts/signup/", SIGN_UP)
        assert not User.objects.exists()


class TestSignIn:
    @pytest.mark.parametrize("login", ["ada", "ADA", "ada@example.com", "Ada@Example.com"])
    def test_by_name_or_address_whatever_the_case(self, client: Client, login: str):
        UserFactory(username="ada", email="ada@example.com")
        client.post("/accounts/login/", {"login": login, "password": PASSWORD})
        assert _signed_in(client)

    def test_leads_back_to_where_one_was_going(self, client: Client):
        UserFactory(username="ada")
        response = client.post(
            "/accounts/login/?next=/settings/api-keys", {"login": "ada", "password": PASSWORD}
        )
        assert response.headers["Location"] == "/settings/api-keys"

    def test_leads_nowhere_else(self, client: Client):
        UserFactory(username="ada")
        response = client.post(
            "/accounts/login/?next=https://evil.example/", {"login": "ada", "password": PASSWORD}
        )
        assert response.headers["Location"] == "/"

    @pytest.mark.parametrize(("login", "password"), [("ada", "wrong password"), ("nobody", PASSWORD)])
    def test_refuses_a_wrong_password_and_an_unknown_name_alike(
        self, client: Client, login: str, password: str
    ):
        UserFactory(username="ada")
        response = client.post("/accounts/login/", {"login": login, "password": password})
        assert response.status_code == 200
        assert not _signed_in(client)
        assert len(response.context["form"].non_field_errors()) == 1

    def test_refuses_accounts_that_are_switched_off(self, client: Client):
        User.objects.filter(pk=UserFactory(username="ada").pk).update(is_active=False)
        client.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
        assert not _signed_in(client)

    def test_refuses_programs(self, client: Client):
        """TEAM-30: a service account has no password."""
        bot = ServiceAccountFactory(team=TeamFactory()).user
        for password in ("", PASSWORD, "!"):
            client.post("/accounts/login/", {"login": bot.username, "password": password})
        assert not _signed_in(client)

    def test_is_slowed_down_after_many_failures(self, client: Client):
        """ACC-23."""
        UserFactory(username="ada")
        for _ in range(12):
            client.post("/accounts/login/", {"login": "ada", "password": "wrong password"})
        client.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
        assert not _signed_in(client)

    def test_the_short_address_leads_to_the_page(self, client: Client):
        assert client.get("/login").headers["Location"] == "/accounts/login/"


def test_sign_out_needs_a_post(client: Client):
    client.force_login(UserFactory())
    client.get("/accounts/logout/")
    assert _signed_in(client)
    client.post("/accounts/logout/")
    assert not _signed_in(client)


class TestPasswordReset:
    def _link(self, client: Client) -> str:
        client.post("/accounts/password/reset/", {"email": "ada@example.com"})
        found = re.search(r"http://testserver(/accounts/password/reset/key/\S+)", str(mail.outbox[-1].body))
        assert found is not None
        return found[1]

    def test_the_mailed_link_sets_a_new_password_once(self, client: Client):
        UserFactory(username="ada", email="ada@example.com")
        link = self._link(client)
        form = client.get(link).headers["Location"]
        client.post(form, {"password1": "a brand new phrase", "password2": "a brand new phrase"})
        assert User.objects.get(username="ada").check_password("a brand new phrase")
        assert b"password1" not in Client().get(link, follow=True).content

    def test_an_unknown_address_gets_no_link_and_the_same_page(self, client: Client):
        response = client.post("/accounts/password/reset/", {"email": "nobody@example.com"})
        assert response.headers["Location"] == "/accounts/password/reset/done/"
        assert not any("/password/reset/key/" in str(message.body) for message in mail.outbox)


def test_a_form_without_its_token_is_refused():
    client = Client(enforce_csrf_checks=True)
    assert client.post("/accounts/login/", {"login": "ada", "password": PASSWORD}).status_code == 403
