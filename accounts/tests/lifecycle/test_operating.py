"""TEAM-21, ACC-20: operators name operators, help who is locked out, and end sessions."""

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.test import Client

from access.actor import SYSTEM
from access.models import AuditEntry
from accounts.lifecycle import administration, services
from accounts.lifecycle.deletion import obstacles_of
from accounts.models import User
from common.errors import Conflict, NotFound
from tests.factories import PASSWORD, OrganizationFactory, UserFactory, actor, delivered

pytestmark = pytest.mark.django_db


def _operators() -> set[str]:
    return set(User.objects.filter(is_operator=True, is_active=True).values_list("username", flat=True))


class TestOperators:
    def test_are_named_and_unnamed_and_both_is_audited(self):
        """TEAM-21."""
        UserFactory(username="boss", is_operator=True)
        ada = UserFactory(username="ada")
        administration.set_operator(actor=SYSTEM, user=ada, is_operator=True)
        assert _operators() == {"boss", "ada"}
        administration.set_operator(actor=SYSTEM, user=ada, is_operator=False)
        assert _operators() == {"boss"}
        assert AuditEntry.objects.filter(action="account.set_operator", object_name="ada").count() == 2

    def test_the_last_one_stays_in_every_way(self):
        """TEAM-21: else nobody could open the admin."""
        root = UserFactory(is_operator=True)
        UserFactory(is_operator=True, username="off")
        services.set_active(actor=SYSTEM, user=User.objects.get(username="off"), is_active=False)
        with pytest.raises(Conflict, match="last operator"):
            administration.set_operator(actor=SYSTEM, user=root, is_operator=False)
        with pytest.raises(Conflict, match="last operator"):
            services.set_active(actor=SYSTEM, user=root, is_active=False)
        assert any("last operator" in obstacle.text for obstacle in obstacles_of(root))

    def test_are_people_that_are_active(self):
        """TEAM-21."""
        off = UserFactory()
        services.set_active(actor=SYSTEM, user=off, is_active=False)
        for user in (off, services.create_service_user(username="team.bot", display_name="bot")):
            with pytest.raises(Conflict, match="active"):
                administration.set_operator(actor=SYSTEM, user=user, is_operator=True)

    def test_name_nobody_as_whoever_they_are_on_pages(self):
        """TEAM-21: operators act in the admin only; an organization's admin is none."""
        root, ada = UserFactory(is_operator=True), UserFactory()
        for who in (root, OrganizationFactory().members.get().user):
            with pytest.raises(NotFound):
                administration.set_operator(actor=actor(who), user=ada, is_operator=True)


class TestHelp:
    def test_second_factors_are_removed_and_the_person_is_told(self, client: Client):
        """ACC-20."""
        ada = UserFactory(username="ada")
        client.post("/accounts/login/", {"login": ada.username, "password": PASSWORD})
        Authenticator.objects.create(user=ada, type="totp", data={})
        Authenticator.objects.create(user=ada, type="recovery_codes", data={})
        assert client.get("/settings/profile").status_code == 200
        assert administration.reset_second_factors(actor=SYSTEM, user=ada) == 2
        assert not Authenticator.objects.filter(user=ada).exists()
        assert client.get("/settings/profile").status_code == 302
        assert [(mail.to, mail.subject) for mail in delivered()] == [
            (["ada@example.com"], "Your second factors were removed")
        ]
        entry = AuditEntry.objects.get(action="second_factor.reset_all")
        assert entry.before == {"types": ["recovery_codes", "totp"]}

    def test_nobody_resets_their_own_nor_what_is_not_there(self):
        """ACC-20: one's own are removed in the settings, behind a password."""
        root = UserFactory(is_operator=True)
        elevated = actor(root).__class__(kind=actor(root).kind, user_id=root.pk, name="boss", elevated=True)
        with pytest.raises(Conflict, match="your own"):
            administration.reset_second_factors(actor=elevated, user=root)
        with pytest.raises(Conflict, match="no second factors"):
            administration.reset_second_factors(actor=SYSTEM, user=UserFactory())

    def test_sessions_end_and_keys_go_on(self, client: Client, api_key):
        """ACC-20."""
        ada = UserFactory()
        api_key(ada)
        client.post("/accounts/login/", {"login": ada.username, "password": PASSWORD})
        client.get("/settings/profile")
        assert administration.end_sessions(actor=SYSTEM, user=ada) == 1
        assert client.get("/settings/profile").status_code == 302
        assert ada.api_keys.count() == 1

    def test_an_address_is_taken_for_verified_unless_it_is_somebody_elses(self):
        """ACC-31."""
        ada, grace = UserFactory(), UserFactory(email="grace@example.com")
        fresh = EmailAddress.objects.create(user=ada, email="new@example.com")
        administration.verify_address(actor=SYSTEM, address=fresh)
        assert EmailAddress.objects.get(email="new@example.com").verified
        claimed = EmailAddress.objects.create(user=ada, email="grace@example.com")
        with pytest.raises(Conflict, match="another account"):
            administration.verify_address(actor=SYSTEM, address=claimed)
        assert EmailAddress.objects.get(user=grace).verified
