"""TEAM-3: the page that an invitation's link opens."""

from collections.abc import Callable
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client

from access.actions import Preset
from access.actor import SYSTEM
from accounts.models import User
from common.errors import Conflict
from teams.invitations import services as invitations
from teams.models import InvitationState, Team
from teams.plan_policy import plan_policy
from teams.roles.builtin import built_in
from teams.tests.asking import ADDRESS, SIGN_UP, Asked, ask, in_days, members_of, team
from tests.factories import (
    PASSWORD,
    UserFactory,
    actor,
    make_member,
)

__all__ = ["ask", "team"]

pytestmark = pytest.mark.django_db


class TestPage:
    def test_asks_the_invited_and_lets_them_in(self, client: Client, team: Team, ask: Callable[..., Asked]):
        _row, token = ask(actor=actor(make_member(team, Preset.ADMIN, username="ada")))
        client.force_login(UserFactory(username="newcomer", email=ADDRESS))
        page = client.get(f"/invitations/{token}").content.decode()
        assert f"ada invites you to the team vision of {team.organization}, with the role Member." in page
        assert "You’ll join as newcomer" in page
        assert client.post(f"/invitations/{token}/accept").headers["Location"] == "/vision"
        assert "You are now a member of vision" in client.get("/vision").content.decode()
        assert "newcomer" in members_of(team)

    def test_leads_through_sign_up_which_trusts_the_address(
        self, client: Client, team: Team, ask: Callable[..., Asked]
    ):
        """TEAM-3: the link came by mail to it, so no second mail asks to confirm it."""
        _row, token = ask()
        path = f"/invitations/{token}"
        assert f"/accounts/signup/?next={path}" in client.get(path).content.decode()
        form = client.get(f"/accounts/signup/?next={path}").context["form"]
        assert form["email"].value() == ADDRESS
        assert client.post("/accounts/signup/", SIGN_UP | {"next": path}).headers["Location"] == path
        assert EmailAddress.objects.get(email=ADDRESS).verified
        assert len(mail.outbox) == 1
        client.post(f"{path}/accept")
        assert "newcomer" in members_of(team)

    def test_leads_through_sign_in(self, client: Client, ask: Callable[..., Asked]):
        _row, token = ask()
        UserFactory(username="newcomer", email=ADDRESS)
        path = f"/invitations/{token}"
        assert f"/accounts/login/?next={path}" in client.get(path).content.decode()
        data = {"login": "newcomer", "password": PASSWORD, "next": path}
        assert client.post("/accounts/login/", data).headers["Location"] == path

    def test_opens_sign_up_where_it_is_closed_for_the_invited_address_alone(
        self, client: Client, settings: Any, ask: Callable[..., Asked]
    ):
        """ACC-22: invitation only."""
        settings.SIGNUP = "invitation"
        row, token = ask()
        client.get(f"/invitations/{token}")
        refused = client.post("/accounts/signup/", SIGN_UP | {"email": "other@example.com"})
        assert f"Sign up with the invited address, {ADDRESS}." in refused.content.decode()
        assert not User.objects.filter(username="newcomer").exists()
        invitations.revoke_invitation(actor=SYSTEM, invitation=row)
        client.post("/accounts/signup/", SIGN_UP)
        assert not User.objects.filter(username="newcomer").exists()

    def test_where_sign_up_is_closed_the_invited_get_in(
        self, client: Client, settings: Any, ask: Callable[..., Asked]
    ):
        """ACC-22."""
        settings.SIGNUP = "invitation"
        _row, token = ask()
        client.get(f"/invitations/{token}")
        client.post("/accounts/signup/", SIGN_UP)
        assert User.objects.filter(username="newcomer").exists()

    def test_trusts_no_other_address(self, client: Client, ask: Callable[..., Asked]):
        _row, token = ask()
        client.get(f"/invitations/{token}")
        client.post("/accounts/signup/", SIGN_UP | {"email": "other@example.com"})
        assert not EmailAddress.objects.get(email="other@example.com").verified
        assert client.get(f"/invitations/{token}").status_code == 403

    def test_by_name_offers_no_sign_up(self, client: Client, ask: Callable[..., Asked]):
        _row, token = ask(username=UserFactory().username)
        page = client.get(f"/invitations/{token}").content.decode()
        assert "/accounts/signup/?next" not in page
        client.post("/accounts/signup/", SIGN_UP)
        assert not EmailAddress.objects.get(email=ADDRESS).verified

    def test_of_another_account_says_how_to_change(self, client: Client, ask: Callable[..., Asked]):
        _row, token = ask()
        client.force_login(UserFactory(username="bob"))
        for response in (client.get(f"/invitations/{token}"), client.post(f"/invitations/{token}/accept")):
            page = response.content.decode()
            assert response.status_code == 403
            assert "isn’t an address of bob" in page
            assert f'name="next" value="/invitations/{token}"' in page
        assert client.post("/accounts/logout/", {"next": f"/invitations/{token}"}).status_code == 302
        assert client.get(f"/invitations/{token}").status_code == 200

    def test_declines_without_an_account(self, client: Client, ask: Callable[..., Asked]):
        row, token = ask()
        assert client.post(f"/invitations/{token}/decline").status_code == 302
        row.refresh_from_db()
        assert row.state == InvitationState.DECLINED
        assert client.get(f"/invitations/{token}").status_code == 410

    def test_of_no_invitation_is_plain(self, client: Client):
        response = client.get("/invitations/nothing")
        assert response.status_code == 404
        assert "This invitation doesn’t exist." in response.content.decode()

    def test_answers_only_to_posts_with_their_token(self, ask: Callable[..., Asked]):
        _row, token = ask()
        client = Client(enforce_csrf_checks=True)
        assert client.get(f"/invitations/{token}/accept").status_code == 405
        assert client.post(f"/invitations/{token}/decline").status_code == 403


class TestAwkward:
    """TEAM-3: each says what happened and what to do."""

    def _page(self, client: Client, token: str, who: User | None = None) -> str:
        if who is not None:
            client.force_login(who)
        return " ".join(client.get(f"/invitations/{token}").content.decode().split())

    def test_expired(self, client: Client, ask: Callable[..., Asked]):
        _row, token = ask()
        with in_days(100):
            page = self._page(client, token)
        assert "This invitation has expired" in page
        assert "send a new link from the team’s members page" in page

    def test_revoked(self, client: Client, ask: Callable[..., Asked]):
        row, token = ask()
        invitations.revoke_invitation(actor=SYSTEM, invitation=row)
        assert "This invitation was revoked" in self._page(client, token)

    def test_declined(self, client: Client, ask: Callable[..., Asked]):
        _row, token = ask()
        client.post(f"/invitations/{token}/decline")
        assert "This invitation was declined" in self._page(client, token)

    def test_accepted_twice(self, client: Client, ask: Callable[..., Asked]):
        _row, token = ask()
        client.force_login(UserFactory(email=ADDRESS))
        client.post(f"/invitations/{token}/accept")
        assert client.post(f"/invitations/{token}/accept").status_code == 409
        page = self._page(client, token)
        assert "Invitation already answered" in page
        assert 'href="/settings/teams"' in page

    def test_a_member_already(self, client: Client, team: Team, ask: Callable[..., Asked]):
        _row, token = ask()
        bob = make_member(team, username="bob")
        EmailAddress.objects.create(user=bob, email=ADDRESS, verified=True)
        assert "You are already in the team" in self._page(client, token, bob)

    def test_an_address_that_is_not_confirmed(self, client: Client, ask: Callable[..., Asked]):
        _row, token = ask()
        bob = UserFactory()
        EmailAddress.objects.create(user=bob, email=ADDRESS, verified=False)
        page = self._page(client, token, bob)
        assert "Verify your address first" in page
        assert "/settings/emails" in page

    def test_somebody_else_is_signed_in(self, client: Client, ask: Callable[..., Asked]):
        UserFactory(email=ADDRESS)
        _row, token = ask()
        page = self._page(client, token, UserFactory(username="bob"))
        assert "belongs to a different account than bob" in page
        assert "Use another account" in page
        assert f'name="next" value="/invitations/{token}"' in page

    def test_another_is_invited_by_username(self, client: Client, ask: Callable[..., Asked]):
        UserFactory(username="ada")
        _row, token = ask(username="ada")
        assert "for ada, but you are signed in as bob" in self._page(
            client, token, UserFactory(username="bob")
        )

    def test_the_team_is_gone(self, client: Client, team: Team, ask: Callable[..., Asked]):
        _row, token = ask()
        team.delete()
        assert "This invitation does not work" in self._page(client, token)

    def test_the_plan_has_no_such_role_any_more(
        self, client: Client, monkeypatch: pytest.MonkeyPatch, ask: Callable[..., Asked]
    ):
        """TEAM-20: View-only needs a plan that has it."""
        _row, token = ask(role=built_in(Preset.VIEW_ONLY))
        monkeypatch.setattr(
            plan_policy(), "has_feature", lambda organization, feature: feature != "view_only_role"
        )
        client.force_login(UserFactory(email=ADDRESS))
        response = client.post(f"/invitations/{token}/accept")
        assert response.status_code == 409
        page = response.content.decode()
        assert "does not include the role View-only" in page
        assert "This role is no longer available" in page
        with pytest.raises(Conflict, match="does not include the role View-only"):
            ask(role=built_in(Preset.VIEW_ONLY), email="other@example.com")
