"""TEAM-3, TEAM-4: people are asked into teams by mail."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.mail import EmailMultiAlternatives
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from access.actions import Preset
from access.actor import ANONYMOUS, SYSTEM
from access.engine import can
from access.models import AuditEntry
from accounts.models import User
from common.errors import Conflict, DomainError, Forbidden, Gone, Invalid, NotFound
from runs.access import RunAction
from teams.access import TeamAction
from teams.invitations import answering
from teams.invitations import services as invitations
from teams.invitations.mail import mail_invitation
from teams.invitations.services import invite
from teams.members.selectors import pending_invitations
from teams.models import Invitation, InvitationState, Team
from teams.roles.builtin import built_in
from teams.tests.asking import ADDRESS, Asked, ask, in_days, team
from tests.factories import (
    OrganizationFactory,
    ServiceAccountFactory,
    UserFactory,
    actor,
    custom_role,
    make_member,
)

__all__ = ["ask", "team"]

pytestmark = pytest.mark.django_db


class TestInviting:
    @pytest.mark.parametrize(
        ("preset", "off", "on"), [("V", 403, 403), ("M", 403, 200), ("A", 200, 200), ("O", 200, 200)]
    )
    def test_is_for_admins_and_by_the_switch_for_members(self, team: Team, preset: str, off: int, on: int):
        """TEAM-4."""
        asking = actor(make_member(team, Preset(preset)))
        for switch, status in ((False, off), (True, on)):
            Team.objects.filter(pk=team.pk).update(members_may_invite=switch)
            try:
                invite(
                    actor=asking, team=team, role=built_in(Preset.VIEW_ONLY), email=f"{switch}@example.com"
                )
                told = 200
            except DomainError as error:
                told = error.status
            assert told == status

    def test_is_for_members_with_a_role_of_their_own(self, team: Team):
        """TEAM-4, TEAM-20: a custom role adds to Member, so it includes what the switch gives."""
        assert team.organization is not None
        Team.objects.filter(pk=team.pk).update(members_may_invite=True)
        for base, may in ((Preset.MEMBER, True), (Preset.VIEW_ONLY, False)):
            person = make_member(team, custom_role(team.organization, [TeamAction.VIEW], base=base))
            assert can(actor(person), TeamAction.INVITE, team) is may

    def test_shows_strangers_nothing(self, team: Team):
        with pytest.raises(NotFound):
            invite(actor=actor(UserFactory()), team=team, role=built_in(Preset.MEMBER), email=ADDRESS)

    @pytest.mark.parametrize(
        ("preset", "highest"), [("M", Preset.MEMBER), ("A", Preset.ADMIN), ("O", Preset.ADMIN)]
    )
    def test_gives_no_role_above_ones_own(self, team: Team, preset: str, highest: Preset):
        """TEAM-4."""
        Team.objects.filter(pk=team.pk).update(members_may_invite=True)
        asking = actor(make_member(team, Preset(preset)))
        order = [Preset.VIEW_ONLY, Preset.MEMBER, Preset.ADMIN]
        for number, role in enumerate(order):
            email = f"{number}@example.com"
            if order.index(role) <= order.index(highest):
                assert invite(actor=asking, team=team, role=built_in(role), email=email).role == built_in(
                    role
                )
            else:
                with pytest.raises(Forbidden, match="above your own"):
                    invite(actor=asking, team=team, role=built_in(role), email=email)

    def test_gives_no_custom_role_that_adds_what_one_lacks(self, team: Team):
        assert team.organization is not None
        Team.objects.filter(pk=team.pk).update(members_may_invite=True)
        asking, role = actor(make_member(team)), custom_role(team.organization, [RunAction.DELETE])
        with pytest.raises(Forbidden, match="above your own"):
            invite(actor=asking, team=team, role=role, email=ADDRESS)
        chief = actor(make_member(team, Preset.ADMIN))
        assert invite(actor=chief, team=team, role=role, email=ADDRESS).role == role

    def test_gives_no_role_of_elsewhere(self, team: Team):
        for role in (
            built_in(Preset.ORGANIZATION_ADMIN),
            custom_role(OrganizationFactory(), [RunAction.VIEW]),
        ):
            with pytest.raises(Invalid):
                invite(actor=SYSTEM, team=team, role=role, email=ADDRESS)

    @pytest.mark.parametrize(
        ("who", "error", "told"),
        [
            ({}, Invalid, "either email address or username"),
            ({"email": ADDRESS, "username": "ada"}, Invalid, "either email address or username"),
            ({"email": "no address"}, Invalid, "“no address” isn’t a valid email address"),
            ({"email": "x" * 300 + "@example.com"}, Invalid, "isn’t a valid email address"),
            ({"username": "nobody"}, Invalid, "User “nobody” doesn’t exist"),
            ({"username": "gone"}, Invalid, "User “gone” doesn’t exist"),
            ({"username": "vision.bot"}, Invalid, "service accounts cannot be invited"),
            ({"username": "ADA"}, Conflict, "ada is already a member of vision"),
            ({"email": "Ada@example.com"}, Conflict, "ada@example.com is already a member"),
        ],
    )
    def test_says_who_cannot_be_invited(self, team: Team, who: dict[str, str], error: Any, told: str):
        make_member(team, username="ada", email="ada@example.com")
        ServiceAccountFactory(team=team, label="bot")
        User.objects.filter(pk=UserFactory(username="gone").pk).update(is_active=False)
        with pytest.raises(error, match=told):
            invite(actor=SYSTEM, team=team, role=built_in(Preset.MEMBER), **who)

    def test_leads_to_no_personal_entity(self):
        owner = UserFactory()
        with pytest.raises(Conflict, match="has only one member"):
            invite(actor=actor(owner), team=owner.claim.team, role=built_in(Preset.MEMBER), email=ADDRESS)

    def test_is_audited(self, team: Team):
        admin = actor(make_member(team, Preset.ADMIN, username="ada"))
        row = invite(actor=admin, team=team, role=built_in(Preset.MEMBER), email=ADDRESS)
        invitations.revoke_invitation(actor=admin, invitation=row)
        entries = AuditEntry.objects.filter(team_id=team.pk, actor_name="ada").order_by("pk")
        assert [entry.action for entry in entries] == ["team.invite", "team.revoke_invitation"]
        assert {entry.organization_id for entry in entries} == {team.organization_id}
        assert entries[0].after == {"invited": ADDRESS, "role": "Member"}

    def test_is_kept_in_order_by_the_database(self, team: Team, ask: Callable[..., Asked]):
        row, _token = ask()
        for wrong in ({"email": ""}, {"state": InvitationState.REVOKED}, {"closed_at": timezone.now()}):
            with pytest.raises(IntegrityError), transaction.atomic():
                Invitation.objects.filter(pk=row.pk).update(**wrong)
        with pytest.raises(IntegrityError), transaction.atomic():
            Invitation.objects.create(
                team=team, email=ADDRESS, base_role=row.base_role, expires_at=row.expires_at
            )


class TestMail:
    def test_says_who_invites_whom_to_what_in_text_and_html(self, team: Team, ask: Callable[..., Asked]):
        row, token = ask(actor=actor(make_member(team, Preset.ADMIN, username="ada")))
        message = mail.outbox[0]
        assert isinstance(message, EmailMultiAlternatives)
        assert message.to == [ADDRESS]
        assert message.subject == "ada invites you to vision on Runyard"
        html = str(message.alternatives[0][0])
        for body in (str(message.body), html):
            assert f"ada invites you to the team vision of {team.organization}, with the role Member." in body
            assert f"http://localhost:8000/invitations/{token}" in body
            assert "for you only" in body
        assert row.last_sent_at is not None
        assert token not in str(Invitation.objects.values().get(pk=row.pk)), "only its hash is stored"

    def test_goes_to_the_user_who_is_invited_by_name(self, ask: Callable[..., Asked]):
        ask(username=UserFactory(email="ada@example.com").username)
        assert mail.outbox[0].to == ["ada@example.com"]
        assert mail.outbox[0].subject == "You are invited to vision on Runyard"

    def test_is_not_sent_when_nothing_was_saved(self, team: Team, django_capture_on_commit_callbacks: Any):
        def fail() -> None:
            with transaction.atomic():
                invite(actor=SYSTEM, team=team, role=built_in(Preset.MEMBER), email=ADDRESS)
                raise Gone("undone")

        with django_capture_on_commit_callbacks(execute=True), pytest.raises(Gone):
            fail()
        assert mail.outbox == []

    def test_of_what_was_taken_back_meanwhile_is_not_sent(self, team: Team):
        row = invite(actor=SYSTEM, team=team, role=built_in(Preset.MEMBER), email=ADDRESS)
        invitations.revoke_invitation(actor=SYSTEM, invitation=row)
        mail_invitation(invitation_id=row.pk)
        mail_invitation(invitation_id=0)
        assert mail.outbox == []


class TestAgain:
    def test_inviting_twice_sends_again_and_makes_no_second_row(self, team: Team, ask: Callable[..., Asked]):
        row, old = ask()
        with in_days(10):
            again, new = ask(email="New@Example.com", role=built_in(Preset.ADMIN))
            assert again.pk == row.pk
            assert again.granted_role == built_in(Preset.ADMIN)
            assert again.expires_at > row.expires_at + timedelta(days=9)
            assert len(mail.outbox) == 2
            assert answering.invitation_of_link(new) == again
            with pytest.raises(NotFound, match="newer email"):
                answering.invitation_of_link(old)

    def test_a_mailbox_is_not_filled(self, ask: Callable[..., Asked]):
        row, _token = ask()
        with pytest.raises(Conflict, match="less than a minute ago"):
            ask()
        with pytest.raises(Conflict, match="less than a minute ago"):
            invitations.resend_invitation(actor=SYSTEM, invitation=row)
        invitations.revoke_invitation(actor=SYSTEM, invitation=row)
        with pytest.raises(Conflict, match="less than a minute ago"):
            ask()

    def test_sending_again_begins_the_days_anew(
        self, ask: Callable[..., Asked], django_capture_on_commit_callbacks: Any
    ):
        row, _old = ask()
        with in_days(30), django_capture_on_commit_callbacks(execute=True):
            again = invitations.resend_invitation(actor=SYSTEM, invitation=row)
            assert not again.is_expired
        assert len(mail.outbox) == 2

    def test_a_member_leaves_an_admins_invitation_alone(self, team: Team, ask: Callable[..., Asked]):
        """TEAM-4: never above their own role, nor instead of one."""
        row, _token = ask(role=built_in(Preset.ADMIN))
        Team.objects.filter(pk=team.pk).update(members_may_invite=True)
        member = actor(make_member(team))
        with in_days(1):
            for act in (
                lambda: invitations.resend_invitation(actor=member, invitation=row),
                lambda: invite(actor=member, team=team, role=built_in(Preset.MEMBER), email=ADDRESS),
            ):
                with pytest.raises(Forbidden, match="above your own"):
                    act()

    def test_revoking_is_for_admins_and_ends_the_link(self, team: Team, ask: Callable[..., Asked]):
        row, token = ask()
        with pytest.raises(Forbidden):
            invitations.revoke_invitation(actor=actor(make_member(team)), invitation=row)
        invitations.revoke_invitation(actor=actor(make_member(team, Preset.ADMIN)), invitation=row)
        with pytest.raises(Gone, match="revoked"):
            answering.invitation_of_link(token)
        for act in (invitations.revoke_invitation, invitations.resend_invitation):
            with pytest.raises(Gone, match="revoked"):
                act(actor=SYSTEM, invitation=row)

    def test_after_an_answer_one_can_be_invited_anew(self, ask: Callable[..., Asked]):
        row, token = ask()
        answering.decline_invitation(actor=ANONYMOUS, token=token)
        with in_days(1):
            again, _token = ask()
        assert again.pk != row.pk


class TestPending:
    def test_are_shown_to_who_may_invite(
        self, team: Team, ask: Callable[..., Asked], django_assert_num_queries: Any
    ):
        ask(email="a@example.com")
        ask(username=UserFactory(username="bob").username)
        admin, member = actor(make_member(team, Preset.ADMIN)), actor(make_member(team))
        with django_assert_num_queries(2):
            shown = [row.addressee for row in pending_invitations(admin, team)]
        assert shown == ["a@example.com", "bob"]
        assert list(pending_invitations(member, team)) == []

    def test_stay_when_expired_so_that_they_are_sent_again(self, team: Team, ask: Callable[..., Asked]):
        row, _token = ask()
        with in_days(100):
            assert list(pending_invitations(SYSTEM, team)) == [row]


def test_an_operator_takes_invitations_back(client: Client, ask: Callable[..., Asked]):
    row, token = ask()
    client.force_login(UserFactory(username="boss", is_operator=True))
    client.post("/admin/teams/invitation/", {"action": "revoke", "_selected_action": [row.pk]})
    row.refresh_from_db()
    assert row.state == InvitationState.REVOKED
    assert AuditEntry.objects.get(action="team.revoke_invitation").actor_name == "boss"
    page = client.get(f"/admin/teams/invitation/{row.pk}/change/").content.decode()
    assert str(row.token_hash) not in page
    assert token not in page
