"""ACC-21, ACC-32: signing in through a provider, which is a real one on this machine."""

import html
import re
from collections.abc import Iterator
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialToken
from django.test import Client
from django.utils import timezone

from access.actions import Preset
from access.models import AuditEntry
from accounts.models import SignInProvider, User
from accounts.sign_in.providers import callback_url
from accounts.sign_in.sso import name_from
from teams.models import GroupMapping, Membership, Team
from teams.roles.builtin import built_in
from tests.factories import PASSWORD, TeamFactory, UserFactory, delivered, make_key, make_member
from tests.fakes.oidc import Provider, oidc_provider

pytestmark = pytest.mark.django_db
HTML = {"Accept": "text/html"}


@pytest.fixture(scope="module")
def oidc() -> Iterator[Provider]:
    with oidc_provider() as provider:
        yield provider


@pytest.fixture
def sso(oidc: Provider) -> SignInProvider:
    return SignInProvider.objects.create(
        slug="sso", name="Example SSO", issuer=oidc.issuer, client_id="runyard"
    )


def _leave(client: Client, slug: str = "sso", **data: str) -> str:
    """Press the button, and return where the page leads."""
    page = client.post(f"/accounts/continue/{slug}", data).content.decode()
    found = re.search(r'content="0; url=([^"]+)"', page)
    assert found is not None, page
    return html.unescape(found[1])


def _sign_in(
    client: Client, oidc: Provider, subject: str = "s-1", process: str = "login", **claims: Any
) -> Any:
    oidc.add(subject, **claims)
    back = oidc.come_back(_leave(client, process=process), subject)
    return client.get(back, headers=HTML)


def _user_of(client: Client) -> User | None:
    return User.objects.filter(pk=client.session.get("_auth_user_id", 0)).first()


ADA: dict[str, Any] = {
    "email": "ada@example.com",
    "email_verified": True,
    "preferred_username": "ada",
    "name": "Ada Lovelace",
}


class TestFirstSignIn:
    def test_makes_a_person_with_name_team_and_verified_address(self, client, oidc, sso):
        assert _sign_in(client, oidc, **ADA).headers["Location"] == "/"
        user = _user_of(client)
        assert user is not None
        assert (user.username, user.display_name, user.email) == ("ada", "Ada Lovelace", "ada@example.com")
        assert Team.objects.get(name="ada").memberships.get().user == user
        assert EmailAddress.objects.get(user=user).verified
        assert not user.has_usable_password()

    def test_stores_no_token(self, client, oidc, sso):
        _sign_in(client, oidc, **ADA)
        assert not SocialToken.objects.exists()

    def test_the_second_one_opens_the_same_account(self, client, oidc, sso):
        _sign_in(client, oidc, **ADA)
        again = Client()
        _sign_in(again, oidc, **{**ADA, "email": "changed@example.com"})
        assert _user_of(again) == _user_of(client)
        assert User.objects.filter(kind="person").count() == 1

    def test_leads_back_to_where_one_was_going(self, client, oidc, sso):
        oidc.add("s-1", **ADA)
        back = oidc.come_back(_leave(client, next="/settings/api-keys"), "s-1")
        assert client.get(back).headers["Location"] == "/settings/api-keys"

    def test_a_client_secret_is_used_where_there_is_one(self, client, oidc, sso):
        sso.secret = "s3cret"
        sso.save()
        _sign_in(client, oidc, **ADA)
        assert _user_of(client) is not None

    def test_lets_choose_a_name_where_the_obvious_one_is_taken(self, client, oidc, sso):
        TeamFactory(name="ada")
        assert _sign_in(client, oidc, **ADA).headers["Location"] == "/accounts/3rdparty/signup/"
        form = client.get("/accounts/3rdparty/signup/").context["form"]
        assert form["username"].value() == "ada-2"
        client.post("/accounts/3rdparty/signup/", {"username": "countess", "email": "else@example.com"})
        user = _user_of(client)
        assert user is not None
        assert (user.username, user.email) == ("countess", "ada@example.com")

    @pytest.mark.parametrize(
        ("texts", "name"),
        [
            (("Ada.Lovelace@corp.example",), "Ada.Lovelace"),
            (("", "jürgen müller"), "jurgen-muller"),
            (("日本", "taro@example.com"), "taro"),
            (("../etc/passwd",), "etc-passwd"),
            (("x" * 200,), "x" * 58),
        ],
    )
    def test_makes_names_that_may_be_had(self, texts: tuple[str, ...], name: str):
        assert name_from(*texts) == name


class TestTakingOver:
    """The rule of accounts/sign_in/sso.py."""

    def test_an_address_that_both_sides_proved_opens_the_account(self, client, oidc, sso):
        user = UserFactory(username="countess", email="ada@example.com")
        _sign_in(client, oidc, **ADA)
        assert _user_of(client) == user
        assert SocialAccount.objects.get(user=user).uid == "s-1"
        assert "A sign-in method was added" in [mail.subject for mail in delivered()]

    @pytest.mark.parametrize("verified", [False, None, "false", "no", 0])
    def test_an_address_that_the_provider_did_not_verify_opens_nothing(self, client, oidc, sso, verified):
        user = UserFactory(username="countess", email="ada@example.com")
        _sign_in(client, oidc, **{**ADA, "email_verified": verified})
        assert _user_of(client) != user
        assert not SocialAccount.objects.filter(user=user).exists()

    def test_an_account_that_never_proved_the_address_is_not_opened_and_keeps_no_one_out(
        self, client, oidc, sso
    ):
        """Whoever entered the address may wait for its owner, with an API key in hand."""
        squatter = UserFactory(username="squatter", email="ada@example.com", is_verified=False)
        other = UserFactory(username="other")
        EmailAddress.objects.create(user=other, email="ada@example.com", verified=False)
        _sign_in(client, oidc, **ADA)
        ada = _user_of(client)
        assert ada is not None
        assert ada not in {squatter, other}
        assert list(EmailAddress.objects.filter(email="ada@example.com").values_list("user", "verified")) == [
            (ada.pk, True)
        ]
        squatter.refresh_from_db()
        other.refresh_from_db()
        assert (squatter.email, other.email) == ("", "other@example.com")
        assert not SocialAccount.objects.filter(user=squatter).exists()

    def test_an_account_in_use_is_pointed_out_first_as_it_may_be_ones_own(self, client, oidc, sso):
        """Where no mail is sent no one can verify an address."""
        former = UserFactory(username="former", email="ada@example.com", is_verified=False)
        User.objects.filter(pk=former.pk).update(last_login=timezone.now())
        response = _sign_in(client, oidc, **ADA)
        assert response.status_code == 403
        assert "never verified" in response.content.decode()
        assert _user_of(client) is None
        _sign_in(client, oidc, **ADA)
        ada = _user_of(client)
        assert ada is not None
        assert ada != former
        former.refresh_from_db()
        assert former.email == ""

    @pytest.mark.parametrize("way", ["key", "passkey", "provider"])
    def test_an_account_that_someone_has_a_way_into_awaits_no_one(self, client, oidc, sso, way: str):
        made = UserFactory(email="ada@example.com", password=None, is_verified=False)
        if way == "key":
            make_key(made)
        elif way == "passkey":
            Authenticator.objects.create(user=made, type=Authenticator.Type.WEBAUTHN, data={})
        else:
            SocialAccount.objects.create(user=made, provider="other", uid="1")
        _sign_in(client, oidc, **ADA)
        assert _user_of(client) not in {None, made}

    def test_an_account_made_by_scim_that_awaits_its_owner_is_opened(self, client, oidc, sso):
        """No one has had a way into it: no password, key, provider or sign-in."""
        made = UserFactory(email="ada@example.com", password=None, is_verified=False)
        _sign_in(client, oidc, **ADA)
        assert _user_of(client) == made
        assert EmailAddress.objects.get(user=made).verified

    def test_a_provider_that_vouches_for_its_domain_may(self, client, oidc, sso):
        SignInProvider.objects.update(vouches_for_email=True, email_domains="example.com")
        user = UserFactory(username="countess", email="ada@example.com")
        _sign_in(client, oidc, email="ada@example.com", preferred_username="ada")
        assert _user_of(client) == user

    def test_an_address_of_another_domain_stays_out(self, client, oidc, sso):
        SignInProvider.objects.update(email_domains="corp.example")
        response = _sign_in(client, oidc, **ADA)
        assert response.status_code == 403
        assert "corp.example" in response.content.decode()
        assert _user_of(client) is None

    def test_an_account_that_is_switched_off_stays_shut(self, client, oidc, sso):
        user = UserFactory(email="ada@example.com")
        User.objects.filter(pk=user.pk).update(is_active=False)
        _sign_in(client, oidc, **ADA)
        assert _user_of(client) is None

    def test_a_second_factor_is_asked_for_here_too(self, client, oidc, sso):
        from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret

        TOTP.activate(UserFactory(email="ada@example.com"), generate_totp_secret())
        assert _sign_in(client, oidc, **ADA).headers["Location"] == "/accounts/2fa/authenticate/"
        assert _user_of(client) is None


class TestPolicy:
    def test_making_accounts_can_be_switched_off(self, client, oidc, sso):
        SignInProvider.objects.update(makes_accounts=False)
        response = _sign_in(client, oidc, **ADA)
        assert b"closed" in response.content.lower()
        assert not User.objects.filter(username="ada").exists()

    def test_a_companys_provider_makes_accounts_although_sign_up_is_by_invitation(
        self, client, oidc, sso, settings
    ):
        settings.SIGNUP = "invitation"
        _sign_in(client, oidc, **ADA)
        assert _user_of(client) is not None

    def test_one_that_is_switched_off_is_neither_offered_nor_used(self, client, oidc, sso):
        assert b"Continue with Example SSO" in client.get("/accounts/login/").content
        SignInProvider.objects.update(is_enabled=False)
        assert b"Example SSO" not in client.get("/accounts/login/").content
        assert client.post("/accounts/continue/sso").status_code == 404

    def test_one_that_cannot_be_reached_says_so(self, client, sso):
        SignInProvider.objects.update(issuer="http://localhost:1")
        response = client.post("/accounts/continue/sso")
        assert response.status_code == 502
        assert "is unavailable" in response.content.decode()

    def test_saying_no_over_there_leads_back(self, client, sso):
        state = re.search(r"state=(\w+)", _leave(client))
        assert state is not None
        answer = client.get(
            f"/accounts/oidc/sso/login/callback/?error=access_denied&state={state[1]}", follow=True
        )
        assert "Sign-in canceled" in answer.content.decode()

    def test_the_environment_gives_one_without_a_row(self, client, oidc, settings):
        settings.SIGN_IN_PROVIDERS = [
            {"kind": "oidc", "slug": "oidc", "name": "Corp", "issuer": oidc.issuer, "client_id": "runyard"}
        ]
        oidc.add("s-1", **ADA)
        client.get(oidc.come_back(_leave(client, "oidc"), "s-1"))
        assert _user_of(client) is not None


class TestConnecting:
    """ACC-32: adding an address by signing in with it."""

    def test_adds_the_method_and_the_verified_address(self, client, oidc, sso):
        user = UserFactory(username="countess", email="countess@example.com")
        client.post("/accounts/login/", {"login": "countess", "password": PASSWORD})
        _sign_in(client, oidc, process="connect", **ADA)
        _reauthenticate(client)
        assert SocialAccount.objects.get().user == user
        assert EmailAddress.objects.get(email="ada@example.com").verified
        assert AuditEntry.objects.filter(action="sign_in_method.add", object_id=str(user.pk)).exists()
        page = client.get("/settings/emails").content.decode()
        assert "Example SSO" in page

    def test_leaves_an_address_that_somebody_else_proved(self, client, oidc, sso):
        owner = UserFactory(email="ada@example.com")
        UserFactory(username="countess", email="countess@example.com")
        client.post("/accounts/login/", {"login": "countess", "password": PASSWORD})
        _sign_in(client, oidc, process="connect", **ADA)
        _reauthenticate(client)
        assert EmailAddress.objects.get(email="ada@example.com").user == owner

    def test_disconnecting_needs_another_way_in(self, client, oidc, sso):
        _sign_in(client, oidc, **ADA)
        row = SocialAccount.objects.get()
        response = client.post(f"/settings/security/methods/{row.pk}/end", headers=HTML)
        assert "Set a password first" in response.content.decode()
        assert SocialAccount.objects.exists()

    def test_disconnecting_is_told_by_mail(self, client, oidc, sso):
        _sign_in(client, oidc, **ADA)
        client.post("/accounts/password/set/", {"password1": PASSWORD, "password2": PASSWORD})
        answer = client.post(f"/settings/security/methods/{SocialAccount.objects.get().pk}/end")
        client.post(answer.headers["Location"], {"password": PASSWORD})
        assert not SocialAccount.objects.exists()
        assert "A sign-in method was removed" in [mail.subject for mail in delivered()]


def _reauthenticate(client: Client) -> None:
    client.post("/accounts/reauthenticate/", {"password": PASSWORD}, follow=True)


class TestGroups:
    @pytest.fixture
    def team(self, sso) -> Team:
        SignInProvider.objects.update(groups_claim="groups")
        team = TeamFactory(name="vision")
        GroupMapping.objects.create(provider="sso", group="ml", team=team, role=built_in(Preset.MEMBER))
        return team

    def test_a_group_leads_to_its_team(self, client, oidc, team):
        _sign_in(client, oidc, **ADA, groups=["staff", "ml"])
        assert Membership.objects.get(team=team, user__username="ada").role.preset == Preset.MEMBER

    def test_leaving_the_group_ends_what_it_gave(self, client, oidc, team):
        _sign_in(client, oidc, **ADA, groups=["ml"])
        _sign_in(Client(), oidc, **ADA, groups=[])
        assert not Membership.objects.filter(team=team, user__username="ada").exists()

    @pytest.mark.parametrize(
        ("sent", "reason"),
        [({}, "no scope or mapping"), ({"groups": None}, "no scope or mapping"),
         ({"_claim_names": {"groups": "src1"}}, "too many groups")],
    )  # fmt: skip
    def test_a_provider_that_sends_no_groups_changes_nothing_and_operators_see_it(
        self, client, oidc, team, sent: dict[str, Any], reason: str
    ):
        """Entra ID leaves them out for people with more than 200; others without the scope."""
        _sign_in(client, oidc, **ADA, groups=["ml"])
        for _again in range(2):
            client.post("/accounts/logout/")
            _sign_in(client, oidc, **ADA, **sent)
        assert Membership.objects.filter(team=team, user__username="ada").exists()
        [entry] = AuditEntry.objects.filter(action="sign_in.groups_missing")
        assert (entry.after["provider"], entry.after["reason"]) == ("sso", reason)

    def test_what_people_gave_stays(self, client, oidc, team):
        user = make_member(team, Preset.VIEW_ONLY, username="countess", email="ada@example.com")
        _sign_in(client, oidc, **ADA, groups=["ml"])
        _sign_in(Client(), oidc, **ADA, groups=[])
        assert Membership.objects.get(team=team, user=user).role.preset == Preset.VIEW_ONLY

    def test_groups_of_another_provider_count_for_nothing(self, client, oidc, team):
        GroupMapping.objects.update(provider="other")
        _sign_in(client, oidc, **ADA, groups=["ml"])
        assert not Membership.objects.filter(team=team, user__username="ada").exists()


class TestRows:
    """How operators keep providers in the admin."""

    FIELDS = {
        "kind": "oidc", "slug": "corp", "name": "Corp", "issuer": "https://sso.corp.example", "client_id": "runyard",
        "is_enabled": "on", "makes_accounts": "on", "new_secret": "very secret",
    }  # fmt: skip

    @pytest.fixture
    def operator(self, client: Client) -> Client:
        client.force_login(UserFactory(is_operator=True))
        return client

    def test_client_id_and_issuer_suffice(self, operator):
        operator.post("/admin/accounts/signinprovider/add/", {**self.FIELDS, "new_secret": ""})
        assert SignInProvider.objects.get().secret == ""

    def test_the_secret_is_stored_encrypted_and_never_shown(self, operator):
        operator.post("/admin/accounts/signinprovider/add/", self.FIELDS)
        row = SignInProvider.objects.get()
        assert row.secret == "very secret"
        assert "very secret" not in row.sealed_secret
        page = operator.get(f"/admin/accounts/signinprovider/{row.pk}/change/").content.decode()
        assert "very secret" not in page
        assert row.sealed_secret not in page

    def test_an_empty_secret_keeps_the_stored_one(self, operator):
        operator.post("/admin/accounts/signinprovider/add/", self.FIELDS)
        row = SignInProvider.objects.get()
        operator.post(
            f"/admin/accounts/signinprovider/{row.pk}/change/", {**self.FIELDS, "name": "X", "new_secret": ""}
        )
        row.refresh_from_db()
        assert (row.name, row.secret) == ("X", "very secret")

    def test_the_form_shows_the_callback_url(self, operator, settings):
        settings.BASE_URL = "https://runyard.example.com"
        operator.post("/admin/accounts/signinprovider/add/", self.FIELDS)
        row = SignInProvider.objects.get()
        url = "https://runyard.example.com/accounts/oidc/corp/login/callback/"
        assert callback_url(row) == url
        assert url in operator.get(f"/admin/accounts/signinprovider/{row.pk}/change/").content.decode()

    @pytest.mark.parametrize(
        ("field", "change"),
        [
            ("issuer", {"issuer": ""}),
            ("issuer", {"issuer": "javascript:alert(1)"}),
            ("slug", {"kind": "github"}),
            ("email_domains", {"vouches_for_email": "on"}),
        ],
    )
    def test_what_cannot_work_is_refused_beside_the_field(self, operator, field, change):
        response = operator.post("/admin/accounts/signinprovider/add/", {**self.FIELDS, **change})
        assert field in response.context["adminform"].form.errors

    def test_changes_are_audited(self, operator):
        operator.post("/admin/accounts/signinprovider/add/", self.FIELDS)
        entry = AuditEntry.objects.get(action="sign_in_provider.save")
        assert "very secret" not in str(entry.after)
