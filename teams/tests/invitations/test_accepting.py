"""TEAM-3: only the invited accept, once, and every awkward case is told."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.db import connections

from access.actions import Preset
from access.actor import ANONYMOUS, SYSTEM
from access.models import AuditEntry
from common.errors import Conflict, DomainError, Forbidden, Gone, NotFound
from runs.access import RunAction
from teams.invitations import answering
from teams.invitations.services import invite
from teams.members import services
from teams.models import Invitation, InvitationState, Membership, OrganizationMember, Team
from teams.roles.builtin import built_in
from teams.tests.asking import ADDRESS, Asked, ask, in_days, mailed_token, members_of, team
from tests.factories import (
    TeamFactory,
    UserFactory,
    actor,
    custom_role,
    make_member,
)

__all__ = ["ask", "team"]

pytestmark = pytest.mark.django_db


class TestAccepting:
    def test_takes_the_verified_address(self, team: Team, ask: Callable[..., Asked]):
        _row, token = ask(role=built_in(Preset.VIEW_ONLY))
        person = UserFactory(username="ada", email="New@example.com")
        answering.accept_invitation(actor=actor(person), token=token)
        assert members_of(team)["ada"] == "View-only"
        assert OrganizationMember.objects.filter(user=person, organization=team.organization).exists()
        entry = AuditEntry.objects.get(action="team.accept_invitation")
        assert (entry.actor_name, entry.after) == ("ada", {"invited": ADDRESS, "role": "View-only"})

    def test_takes_any_verified_address_of_the_account(self, team: Team, ask: Callable[..., Asked]):
        _row, token = ask()
        person = UserFactory(username="ada")
        EmailAddress.objects.create(user=person, email=ADDRESS, verified=True)
        answering.accept_invitation(actor=actor(person), token=token)
        assert "ada" in members_of(team)

    def test_takes_the_invited_user(self, team: Team, ask: Callable[..., Asked]):
        person = UserFactory(username="ada")
        _row, token = ask(username="Ada")
        with pytest.raises(Forbidden, match="for ada, but you are signed in as bob"):
            answering.accept_invitation(actor=actor(UserFactory(username="bob")), token=token)
        answering.accept_invitation(actor=actor(person), token=token)
        assert "ada" in members_of(team)

    def test_refuses_who_has_the_address_unconfirmed(self, team: Team, ask: Callable[..., Asked]):
        _row, token = ask()
        person = UserFactory(username="ada")
        EmailAddress.objects.create(user=person, email=ADDRESS, verified=False)
        with pytest.raises(Forbidden, match=f"Verify your address {ADDRESS} first"):
            answering.accept_invitation(actor=actor(person), token=token)
        assert "ada" not in members_of(team)

    def test_refuses_another_account_than_the_addresss(self, ask: Callable[..., Asked]):
        UserFactory(email=ADDRESS)
        _row, token = ask()
        with pytest.raises(Forbidden, match="belongs to a different account than ada"):
            answering.accept_invitation(actor=actor(UserFactory(username="ada")), token=token)

    def test_refuses_an_account_without_the_address(self, ask: Callable[..., Asked]):
        _row, token = ask()
        with pytest.raises(Forbidden, match="isn’t an address of ada"):
            answering.accept_invitation(actor=actor(UserFactory(username="ada")), token=token)

    def test_refuses_who_is_not_signed_in(self, ask: Callable[..., Asked]):
        _row, token = ask()
        with pytest.raises(Forbidden, match=f"Sign in or sign up as {ADDRESS}"):
            answering.accept_invitation(actor=ANONYMOUS, token=token)

    def test_happens_once(self, ask: Callable[..., Asked]):
        _row, token = ask()
        person = actor(UserFactory(email=ADDRESS))
        answering.accept_invitation(actor=person, token=token)
        with pytest.raises(Conflict, match="already accepted"):
            answering.accept_invitation(actor=person, token=token)

    def test_is_too_late_after_the_last_day(self, settings: Any, ask: Callable[..., Asked]):
        settings.INVITATION_DAYS = 3
        _row, token = ask()
        person = actor(UserFactory(email=ADDRESS))
        with in_days(3.1), pytest.raises(Gone, match="has expired"):
            answering.accept_invitation(actor=person, token=token)
        with in_days(2.9):
            answering.accept_invitation(actor=person, token=token)

    def test_is_not_possible_after_declining(self, ask: Callable[..., Asked]):
        row, token = ask()
        answering.decline_invitation(actor=ANONYMOUS, token=token)
        with pytest.raises(Gone, match="declined"):
            answering.accept_invitation(actor=actor(UserFactory(email=ADDRESS)), token=token)
        row.refresh_from_db()
        assert row.state == InvitationState.DECLINED
        assert AuditEntry.objects.get(action="team.decline_invitation").actor_name == "anonymous"

    def test_stays_possible_when_the_inviter_left(self, team: Team, ask: Callable[..., Asked]):
        admin = make_member(team, Preset.ADMIN)
        _row, token = ask(actor=actor(admin))
        services.remove_member(actor=SYSTEM, membership=Membership.objects.get(team=team, user=admin))
        person = UserFactory(username="ada", email=ADDRESS)
        answering.accept_invitation(actor=actor(person), token=token)
        assert "ada" in members_of(team)

    def test_has_nowhere_to_go_when_the_team_is_gone(self, team: Team, ask: Callable[..., Asked]):
        _row, token = ask()
        team.delete()
        with pytest.raises(NotFound, match="the team was deleted"):
            answering.accept_invitation(actor=actor(UserFactory(email=ADDRESS)), token=token)

    @pytest.mark.parametrize("base", [Preset.VIEW_ONLY, Preset.MEMBER])
    def test_gives_the_base_of_a_role_that_was_deleted(
        self, team: Team, ask: Callable[..., Asked], base: Preset
    ):
        assert team.organization is not None
        role = custom_role(team.organization, [RunAction.DELETE], base=base)
        _row, token = ask(role=role)
        role.delete()
        answering.accept_invitation(actor=actor(UserFactory(username="ada", email=ADDRESS)), token=token)
        assert members_of(team)["ada"] == built_in(base).name

    def test_is_needless_for_members(self, team: Team, ask: Callable[..., Asked]):
        """Somebody put them into the team by name, and they confirmed the address only then."""
        _row, token = ask()
        person = make_member(team, username="ada")
        EmailAddress.objects.create(user=person, email=ADDRESS, verified=True)
        with pytest.raises(Conflict, match="ada is already a member of vision"):
            answering.accept_invitation(actor=actor(person), token=token)

    def test_answers_everything_that_asked_the_same_person(self, team: Team, ask: Callable[..., Asked]):
        person = UserFactory(username="ada", email=ADDRESS)
        by_address, _token = ask()
        elsewhere, _token = ask(team=TeamFactory())
        _by_name, token = ask(username="ada")
        answering.accept_invitation(actor=actor(person), token=token)
        assert list(Invitation.objects.pending()) == [elsewhere]
        by_address.refresh_from_db()
        assert by_address.state == InvitationState.ACCEPTED

    def test_is_needless_once_an_admin_added_them(self, team: Team, ask: Callable[..., Asked]):
        _row, token = ask()
        make_member(team, email=ADDRESS)
        with pytest.raises(Conflict, match="already accepted"):
            answering.invitation_of_link(token)


@pytest.mark.django_db(transaction=True)
def test_two_clicks_at_once_join_once():
    team, person = TeamFactory(), UserFactory(email=ADDRESS)
    invite(actor=SYSTEM, team=team, role=built_in(Preset.MEMBER), email=ADDRESS)
    token = mailed_token()

    def click(_: int) -> int:
        try:
            answering.accept_invitation(actor=actor(person), token=token)
        except DomainError as error:
            return error.status
        finally:
            connections.close_all()
        return 200

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(click, range(4))) == [200, 409, 409, 409]
    assert team.memberships.filter(user=person).count() == 1
