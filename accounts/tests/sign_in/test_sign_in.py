"""ACC-20, ACC-22: sign-up, sign-in, sign-out and the mailed link, on the real pages."""

import re

import pytest
from allauth.account.models import EmailAddress
from django.http import HttpResponseBase
from django.test import Client

from accounts.models import User
from accounts.sign_in import adapter
from teams.models import Team
from tests.factories import PASSWORD, ServiceAccountFactory, TeamFactory, UserFactory, delivered

pytestmark = pytest.mark.django_db

SIGN_UP = {"username": "Ada", "email": "ada@example.com", "password1": PASSWORD}


def _try(client: Client, address: str, password: str = PASSWORD, login: str = "ada") -> HttpResponseBase:
    given = {"login": login, "password": password}
    return client.post("/accounts/login/", given, REMOTE_ADDR=address)


def _signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


RULES = "Use at least 10 characters, and not a common password."


def _fields(client: Client, address: str) -> dict[str, tuple[str, str]]:
    """Return the label and the help of each field of the form on a page."""
    form = client.get(address, follow=True).context["form"]
    assert "placeholder" not in str(form)
    return {bound.name: (str(bound.label), str(bound.help_text)) for bound in form.visible_fields()}


class TestForms:
    def test_sign_in_asks_for_username_or_email(self, client: Client):
        """ACC-20."""
        assert _fields(client, "/accounts/login/")["login"] == ("Username or email", "")

    def test_sign_up_says_the_rules_of_passwords_in_a_line(self, client: Client):
        assert _fields(client, "/accounts/signup/")["password1"] == ("Password", RULES)

    def test_another_password_is_typed_twice(self, client: Client):
        client.force_login(UserFactory())
        fields = _fields(client, "/accounts/password/change/")
        assert fields["oldpassword"][0] == "Current password"
        assert fields["password1"] == ("New password", RULES)
        assert fields["password2"] == ("Repeat new password", "")

    def test_a_first_password_is_asked_for_like_another(self, client: Client):
        user = UserFactory()
        user.set_unusable_password()
        user.save()
        client.force_login(user)
        expected = {"password1": ("New password", RULES), "password2": ("Repeat new password", "")}
        assert _fields(client, "/accounts/password/set/") == expected

    def test_a_mailed_link_asks_for_a_password_like_another(self, client: Client):
        UserFactory(email="ada@example.com")
        client.post("/accounts/password/reset/", {"email": "ada@example.com"})
        link = re.search(r"http://localhost:8000(/accounts/password/reset/key/\S+)", str(delivered()[0].body))
        assert link is not None
        expected = {"password1": ("New password", RULES), "password2": ("Repeat new password", "")}
        assert _fields(client, link[1]) == expected


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
        link = re.search(r"http://localhost:8000(/accounts/confirm-email/\S+)", str(delivered()[0].body))
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

    def test_where_mail_arrives_a_known_address_is_answered_as_an_unknown_one(self, client: Client, settings):
        """The owner learns of it by mail; whoever typed it learns nothing."""
        settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
        UserFactory(username="countess", email="ada@example.com")
        known = client.post("/accounts/signup/", SIGN_UP, follow=True)
        unknown = Client().post(
            "/accounts/signup/", {**SIGN_UP, "username": "Eve", "email": "eve@example.com"}, follow=True
        )
        assert known.redirect_chain == unknown.redirect_chain
        assert known.content.count(b"<p>") == unknown.content.count(b"<p>")
        told = {message.to[0]: message.subject for message in delivered()}
        assert told == {
            "ada@example.com": "You already have an account",
            "eve@example.com": "Verify your email address",
        }
        assert not User.objects.filter(username="Ada").exists()

    def test_where_mail_arrives_an_address_must_be_confirmed_first(self, client: Client, settings):
        settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
        client.post("/accounts/signup/", SIGN_UP)
        assert not _signed_in(client)
        link = re.search(r"http://localhost:8000(/accounts/confirm-email/\S+)", str(delivered()[0].body))
        assert link is not None
        client.post(link[1])
        client.post("/accounts/login/", {"login": "Ada", "password": PASSWORD})
        assert _signed_in(client)

    def test_takes_only_addresses_of_the_domains_and_says_so(self, client: Client, settings):
        """ACC-22."""
        settings.SIGNUP_DOMAINS = ["corp.example"]
        response = client.post("/accounts/signup/", SIGN_UP)
        assert "corp.example" in str(response.context["form"].errors["email"])
        client.post("/accounts/signup/", {**SIGN_UP, "email": "ada@Corp.example"})
        assert _signed_in(client)

    def test_is_closed_when_the_operator_says_so(self, client: Client, settings):
        """ACC-22."""
        settings.SIGNUP = "invitation"
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

    def test_too_many_wrong_passwords_answer_429_and_say_how_long(self, client: Client):
        """ACC-23, for the account: the right password is refused, too, and another account is not."""
        UserFactory(username="ada")
        UserFactory(username="eve")
        for _ in range(5):
            client.post("/accounts/login/", {"login": "ada", "password": "wrong password"})
        answer = client.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
        assert answer.status_code == 429
        assert int(answer.headers["Retry-After"]) > 0
        assert answer.json()["error"]["code"] == "too_many_requests"
        client.post("/accounts/login/", {"login": "eve", "password": PASSWORD})
        assert _signed_in(client)

    def test_wrong_passwords_elsewhere_do_not_keep_the_owner_out(self, client: Client):
        """The review's L8: the limit of five is of a name and an address."""
        UserFactory(username="ada")
        for _ in range(5):
            _try(client, "198.51.100.7", "wrong password")
        assert _try(client, "198.51.100.7").status_code == 429
        _try(client, "203.0.113.9")
        assert _signed_in(client)

    def test_guesses_from_many_addresses_end_but_not_for_the_owner(self, client: Client, monkeypatch):
        """The review's L8: where the account has signed in from, and by mail, its owner comes in all the same."""
        monkeypatch.setitem(adapter._GUESSES, adapter._ANYWHERE, "8/h/key")
        UserFactory(username="ada")
        home = "203.0.113.9"
        _try(Client(), home)
        for number in range(8):
            assert _try(client, f"198.51.100.{number}", "wrong password").status_code == 200
        for login in ("ada", "ADA"):
            assert _try(client, "198.51.100.99", login=login).status_code == 429
        assert not _signed_in(client)
        _try(client, home, login="ADA")
        assert _signed_in(client)

    def test_signing_in_counts_as_no_guess(self, client: Client, monkeypatch):
        """The review's L8."""
        monkeypatch.setitem(adapter._GUESSES, adapter._ANYWHERE, "2/h/key")
        UserFactory(username="ada")
        statuses = [_try(Client(), f"198.51.100.{number}").status_code for number in range(4)]
        assert statuses == [302] * 4

    def test_people_see_a_page_when_they_are_slowed_down(self, client: Client, settings):
        settings.SUPPORT_CONTACT = "help@example.com"
        answers = [
            client.post("/accounts/signup/", {"username": f"a{number}"}, headers={"Accept": "text/html"})
            for number in range(21)
        ]
        answer = answers[-1]
        assert answer.status_code == 429
        assert answer.headers["Retry-After"] == "60"
        assert b"Too many requests" in answer.content
        assert b'href="mailto:help@example.com"' in answer.content  # ACC-24

    def test_resets_of_one_account_are_slowed_down(self, client: Client):
        """ACC-23."""
        statuses = [
            client.post("/accounts/password/reset/", {"email": "ada@example.com"}).status_code
            for _ in range(6)
        ]
        assert statuses == [302] * 5 + [429]

    def test_the_short_address_leads_to_the_page(self, client: Client):
        assert client.get("/login").headers["Location"] == "/accounts/login/"
        asked = client.get("/login?next=/authorize")
        assert asked.headers["Location"] == "/accounts/login/?next=/authorize"


def test_sign_out_needs_a_post(client: Client):
    client.force_login(UserFactory())
    client.get("/accounts/logout/")
    assert _signed_in(client)
    client.post("/accounts/logout/")
    assert not _signed_in(client)


class TestPasswordReset:
    def _link(self, client: Client) -> str:
        client.post("/accounts/password/reset/", {"email": "ada@example.com"})
        found = re.search(
            r"http://localhost:8000(/accounts/password/reset/key/\S+)", str(delivered()[-1].body)
        )
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
        assert not any("/password/reset/key/" in str(message.body) for message in delivered())


def test_a_form_without_its_token_is_refused():
    client = Client(enforce_csrf_checks=True)
    assert client.post("/accounts/login/", {"login": "ada", "password": PASSWORD}).status_code == 403
