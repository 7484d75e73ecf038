"""ACC-20, ACC-30 to ACC-34: the sections Emails, GitHub and Security, on the real pages."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import time_machine
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import hotp_value
from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.providers.github.views import GitHubOAuth2Adapter
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.sessions.models import Session
from django.test import Client, TestCase
from django.utils import timezone

from access.models import AuditEntry
from accounts.credentials.sessions import stored_key
from accounts.models import SignInProvider, User
from config.env import ROOT
from tests.factories import PASSWORD, UserFactory, delivered, leave_open
from tests.fakes.github import github as run_github

pytestmark = pytest.mark.django_db
HTML = {"Accept": "text/html"}
EMAILS = "/settings/emails"


@pytest.fixture
def ada() -> User:
    return UserFactory(username="ada", email="ada@example.com")


@pytest.fixture
def visitor(client: Client, ada: User) -> Client:
    """Somebody who has just typed their password, so that nothing asks for it again."""
    client.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return client


def _address(user: User, email: str, *, verified: bool = True) -> EmailAddress:
    return EmailAddress.objects.create(user=user, email=email, verified=verified)


def _act(visitor: Client, what: str, email: str) -> Any:
    return visitor.post(EMAILS, {f"action_{what}": "", "email": email}, follow=True)


def _audited() -> list[str]:
    return list(AuditEntry.objects.filter(actor_name="ada").order_by("pk").values_list("action", flat=True))


class TestEmails:
    def test_the_table_says_kind_state_and_methods(self, visitor: Client, ada: User):
        """ACC-30."""
        _address(ada, "new@example.com", verified=False)
        page = visitor.get(EMAILS).content.decode()
        assert "😎" in page
        assert 'tag-danger">' in page
        assert "Password" in page

    def test_adding_one_mails_a_link_that_verifies_it(self, visitor: Client, ada: User):
        """ACC-32."""
        _act(visitor, "add", "new@example.com")
        mail = next(mail for mail in delivered() if mail.to == ["new@example.com"])
        link = re.search(r"http://localhost:8000(/accounts/confirm-email/\S+)", str(mail.body))
        assert link is not None
        visitor.post(link[1])
        assert EmailAddress.objects.get(email="new@example.com").verified
        assert "email.add" in _audited()
        assert "email.verify" in _audited()

    def test_the_present_address_is_told_of_the_new_one(self, visitor: Client):
        _act(visitor, "add", "new@example.com")
        assert any(
            mail.to == ["ada@example.com"] and "new@example.com" in str(mail.body) for mail in delivered()
        )

    def test_adding_somebody_elses_tells_nothing_about_them(self, visitor: Client):
        UserFactory(email="eve@example.com")
        known = _act(visitor, "add", "eve@example.com").content.decode()
        unknown = _act(visitor, "add", "nobody@example.com").content.decode()
        assert re.sub(r"eve|\d", "", known).count("Unverified") + 1 == unknown.count("Unverified")
        assert "already" not in known

    def test_a_verified_one_becomes_primary_and_both_are_told(self, visitor: Client, ada: User):
        """ACC-31."""
        _address(ada, "new@example.com")
        _act(visitor, "primary", "new@example.com")
        ada.refresh_from_db()
        assert ada.email == "new@example.com"
        told = {mail.to[0] for mail in delivered() if mail.subject == "Your email address was changed"}
        assert told == {"ada@example.com", "new@example.com"}
        assert "email.primary" in _audited()

    def test_an_unverified_one_does_not(self, visitor: Client, ada: User):
        """ACC-31."""
        _address(ada, "new@example.com", verified=False)
        page = _act(visitor, "primary", "new@example.com").content.decode()
        assert "must be verified" in page
        assert EmailAddress.objects.get(primary=True).email == "ada@example.com"

    def test_any_but_the_primary_is_deleted(self, visitor: Client, ada: User):
        """ACC-33."""
        _address(ada, "new@example.com")
        _act(visitor, "remove", "new@example.com")
        assert not EmailAddress.objects.filter(email="new@example.com").exists()
        assert "An email address was removed" in [mail.subject for mail in delivered()]
        assert "email.delete" in _audited()

    def test_the_primary_is_not_and_the_reason_is_shown(self, visitor: Client):
        """ACC-33."""
        page = _act(visitor, "remove", "ada@example.com").content.decode()
        assert "You cannot remove your primary email address" in page
        assert EmailAddress.objects.filter(email="ada@example.com").exists()

    def test_somebody_elses_is_out_of_reach(self, visitor: Client):
        eve = UserFactory(email="eve@example.com")
        for what in ("remove", "primary", "send"):
            _act(visitor, what, "eve@example.com")
        assert EmailAddress.objects.get(email="eve@example.com").user == eve
        assert delivered() == []

    def test_the_link_can_be_sent_again(self, visitor: Client, ada: User):
        _address(ada, "new@example.com", verified=False)
        _act(visitor, "send", "new@example.com")
        assert "Verify your email address" in [mail.subject for mail in delivered()]

    def test_changes_ask_for_the_password_first(self, client: Client, ada: User):
        client.force_login(ada)
        leave_open(client)
        answer = client.post(EMAILS, {"action_add": "", "email": "new@example.com"})
        assert answer.headers["Location"].startswith("/accounts/reauthenticate/")
        assert not EmailAddress.objects.filter(email="new@example.com").exists()

    def test_many_addresses_cost_no_more_queries(
        self, visitor: Client, ada: User, django_assert_max_num_queries
    ):
        for number in range(8):
            _address(ada, f"a{number}@example.com")
        with django_assert_max_num_queries(13):
            visitor.get(EMAILS)

    def test_allauths_own_page_leads_here(self, visitor: Client):
        assert visitor.get("/accounts/email/").headers["Location"] == EMAILS

    def test_signing_in_with_an_unverified_address_sends_another_mail_but_not_ten(self, client: Client):
        """ACC-34."""
        UserFactory(username="eve", email="eve@example.com", is_verified=False)
        for _ in range(3):
            Client().post("/accounts/login/", {"login": "eve", "password": PASSWORD})
        assert [mail.subject for mail in delivered()] == ["Verify your email address"]


class TestTotp:
    def _turn_on(self, visitor: Client) -> str:
        page = visitor.get("/accounts/2fa/totp/activate/").content.decode()
        found = re.search(r"data-totp-secret>(\w+)<", page)
        assert found is not None
        with TestCase.captureOnCommitCallbacks(execute=True):
            visitor.post("/accounts/2fa/totp/activate/", {"code": _code(found[1])})
        return found[1]

    def test_turning_it_on_shows_recovery_codes_and_is_told(self, visitor: Client, ada: User):
        self._turn_on(visitor)
        assert b"Unused codes" in visitor.get("/accounts/2fa/recovery-codes/").content
        assert "Two-factor sign-in is on" in [mail.subject for mail in delivered()]
        assert "second_factor.add" in _audited()

    def test_secrets_are_stored_encrypted(self, visitor: Client):
        secret = self._turn_on(visitor)
        assert secret not in str(list(Authenticator.objects.values_list("data", flat=True)))

    def test_signing_in_asks_for_the_code(self, visitor: Client, client: Client):
        self._turn_on(visitor)
        other = Client()
        answer = other.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
        assert answer.headers["Location"] == "/accounts/2fa/authenticate/"
        assert "_auth_user_id" not in other.session

    def test_a_recovery_code_works_once(self, visitor: Client):
        self._turn_on(visitor)
        codes = visitor.get("/accounts/2fa/recovery-codes/download/").content.decode()
        code = re.findall(r"^\d{8}$", codes, re.MULTILINE)[0]
        for is_first in (True, False):
            other = Client()
            other.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
            other.post("/accounts/2fa/authenticate/", {"code": code})
            assert ("_auth_user_id" in other.session) is is_first

    def test_turning_it_off_is_told(self, visitor: Client):
        self._turn_on(visitor)
        with TestCase.captureOnCommitCallbacks(execute=True):
            visitor.post("/accounts/2fa/totp/deactivate/")
        assert not Authenticator.objects.filter(type="totp").exists()
        assert "Two-factor sign-in is off" in [mail.subject for mail in delivered()]

    def test_it_asks_for_the_password_first(self, client: Client, ada: User):
        client.force_login(ada)
        leave_open(client)
        answer = client.get("/accounts/2fa/totp/activate/")
        assert answer.headers["Location"].startswith("/accounts/reauthenticate/")


def _code(secret: str) -> str:
    """Return the code of now: the first that is taken is that of the step before, and soon over."""
    return f"{hotp_value(secret, int(time.time()) // 30):06d}"


class TestPassword:
    def test_a_change_is_told_and_audited(self, visitor: Client, ada: User):
        new = "another long phrase"
        visitor.post(
            "/accounts/password/change/", {"oldpassword": PASSWORD, "password1": new, "password2": new}
        )
        ada.refresh_from_db()
        assert ada.check_password(new)
        assert "Your password was changed" in [mail.subject for mail in delivered()]
        assert "password.change" in _audited()


class TestSessions:
    def _elsewhere(self, agent: str = "Mozilla/5.0 (X11; Linux) Firefox/140.0") -> Client:
        other = Client(headers={"User-Agent": agent})
        other.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
        return other

    def test_lists_devices_and_marks_this_one(self, visitor: Client):
        self._elsewhere()
        page = visitor.get("/settings/security").content.decode()
        assert "Firefox on Linux" in page
        assert page.count("This session") == 1

    def test_one_is_signed_out(self, visitor: Client):
        other = self._elsewhere()
        row = UserSession.objects.get(session_key=stored_key(str(other.session.session_key)))
        visitor.post(f"/settings/security/sessions/{row.pk}/end")
        assert other.get("/settings/security").status_code == 302
        assert visitor.get("/settings/security").status_code == 200
        assert "session.end" in _audited()

    def test_all_others_are_signed_out(self, visitor: Client):
        others = [self._elsewhere(), self._elsewhere()]
        visitor.post("/settings/security/sessions/end")
        assert [other.get("/settings/security").status_code for other in others] == [302, 302]
        assert visitor.get("/settings/security").status_code == 200

    def test_nobody_ends_those_of_others(self, visitor: Client, client: Client):
        UserFactory(username="eve")
        eve = Client()
        eve.post("/accounts/login/", {"login": "eve", "password": PASSWORD})
        row = UserSession.objects.get(user__username="eve")
        visitor.post(f"/settings/security/sessions/{row.pk}/end")
        assert eve.get("/settings/security").status_code == 200

    def test_activity_is_written_at_most_every_five_minutes(self, visitor: Client, django_assert_num_queries):
        before = UserSession.objects.get().last_seen_at
        visitor.get("/settings/security")
        assert UserSession.objects.get().last_seen_at == before
        with time_machine.travel(timezone.now() + timedelta(minutes=6)):
            visitor.get("/settings/security")
        assert UserSession.objects.get().last_seen_at > before


class TestGitHub:
    """ACC-7, with a GitHub on this machine, as with an Enterprise server."""

    @pytest.fixture
    def github(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        SignInProvider.objects.create(kind="github", slug="github", name="GitHub", client_id="abc")
        with run_github() as web:
            monkeypatch.setattr(GitHubOAuth2Adapter, "authorize_url", f"{web}/login/oauth/authorize")
            monkeypatch.setattr(GitHubOAuth2Adapter, "access_token_url", f"{web}/login/oauth/access_token")
            monkeypatch.setattr(GitHubOAuth2Adapter, "profile_url", f"{web}/api/v3/user")
            monkeypatch.setattr(GitHubOAuth2Adapter, "emails_url", f"{web}/api/v3/user/emails")
            yield

    def _connect(self, visitor: Client) -> Any:
        page = visitor.post("/accounts/continue/github", {"process": "connect", "next": "/settings/github"})
        state = parse_qs(urlsplit(page.context["url"]).query)["state"][0]
        return visitor.get(f"/accounts/github/login/callback/?code=c&state={state}", follow=True)

    def test_connecting_shows_the_login_and_a_log_in_method(self, visitor: Client, github):
        assert "adal" in self._connect(visitor).content.decode()
        page = visitor.get(EMAILS).content.decode()
        assert re.search(r"ada@example\.com.*?GitHub", page, re.DOTALL), (
            "ACC-30: the address is private at GitHub"
        )

    def test_it_can_be_disconnected(self, visitor: Client, github):
        self._connect(visitor)
        visitor.post(f"/settings/security/methods/{SocialAccount.objects.get().pk}/end")
        assert not SocialAccount.objects.exists()

    def test_a_stranger_makes_an_account_only_where_sign_up_is_open(self, client, github, settings):
        settings.SIGNUP = "invitation"
        page = client.post("/accounts/continue/github")
        state = parse_qs(urlsplit(page.context["url"]).query)["state"][0]
        client.get(f"/accounts/github/login/callback/?code=c&state={state}")
        assert not User.objects.exists()

    def test_without_a_client_it_says_how_to_set_one_up(self, visitor: Client):
        page = visitor.get("/settings/github").content.decode()
        assert "RUNYARD_GITHUB_CLIENT_ID" in page
        assert "Connect GitHub" not in page


class TestStoredSessions:
    """A copy of the database tells who is signed in, and lets no one in."""

    def test_no_key_of_a_session_is_stored(self, client: Client):
        UserFactory(username="ada")
        client.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
        key = str(client.session.session_key)
        stored = Session.objects.get()
        assert stored.session_key == stored_key(key) == UserSession.objects.get().session_key
        assert key not in "".join(str(vars(row)) for row in (stored, UserSession.objects.get()))
        thief = Client()
        thief.cookies[settings.SESSION_COOKIE_NAME] = stored.session_key
        assert thief.get("/settings/security").status_code == 302

    def test_another_password_ends_the_sessions_elsewhere_and_keeps_this_one(self, client: Client):
        UserFactory(username="ada")
        elsewhere = Client()
        for each in (client, elsewhere):
            each.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
        assert UserSession.objects.count() == 2
        form = {
            "oldpassword": PASSWORD,
            "password1": "another horse battery",
            "password2": "another horse battery",
        }
        client.post("/accounts/password/change/", form)
        page = client.get("/settings/security").content.decode()
        assert page.count("This session") == 1
        assert UserSession.objects.get().session_key == stored_key(str(client.session.session_key))
        assert elsewhere.get("/settings/security").status_code == 302


@pytest.mark.parametrize(
    ("url", "name"),
    [("https://runs.example.com", "runyard_session"), ("https://runs.example.com:443", "runyard_session"),
     ("http://localhost:9102", "runyard_session_9102"), ("http://[::1]:8000", "runyard_session_8000"),
     ("http://[::1]", "runyard_session")],
)  # fmt: skip
def test_cookies_have_names_of_their_own_for_each_port(url: str, name: str):
    """Cookies know no ports: two installations on one host signed each other out."""
    code = "from config.settings import security as s; print(s.SESSION_COOKIE_NAME, s.CSRF_COOKIE_NAME)"
    env = {**os.environ, "RUNYARD_URL": url, "RUNYARD_SECRET_KEY": "k" * 50}
    printed = subprocess.run(
        [sys.executable, "-c", code], env=env, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert printed.split() == [name, name.replace("session", "csrf")]
