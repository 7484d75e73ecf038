"""TEAM-3, TEAM-4: people are asked into teams by mail, and only the invited answer."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.cache import cache
from django.core.mail import EmailMultiAlternatives
from django.db import IntegrityError, connections, transaction
from django.test import Client
from django.utils import timezone

from access.actions import Preset
from access.actor import ANONYMOUS, SYSTEM
from access.engine import can
from access.models import AuditEntry
from accounts.models import User
from common.errors import Conflict, DomainError, Forbidden, Gone, Invalid, NotFound
from runs.access import RunAction
from teams import invitations, services
from teams.access import TeamAction
from teams.invitations import invite
from teams.mail import mail_invitation
from teams.models import Invitation, InvitationState, Membership, OrganizationMember, Team
from teams.roles import built_in
from tests.factories import (
    PASSWORD,
    OrganizationFactory,
    ServiceAccountFactory,
    TeamFactory,
    UserFactory,
    actor,
    custom_role,
    make_member,
)

pytestmark = pytest.mark.django_db
ADDRESS = "new@example.com"
SIGN_UP = {"username": "newcomer", "email": ADDRESS, "password1": PASSWORD}
Asked = tuple[Invitation, str]


@pytest.fixture
def team() -> Team:
    return TeamFactory(name="vision")


@pytest.fixture
def ask(team: Team, django_capture_on_commit_callbacks: Any) -> Callable[..., Asked]:
    """Give a function that invites; it returns the invitation and the token of the mailed link."""

    def ask(**given: Any) -> Asked:
        wanted = {"actor": SYSTEM, "team": team, "role": built_in(Preset.MEMBER), **given}
        with django_capture_on_commit_callbacks(execute=True):
            row = invite(**(wanted if "username" in wanted else {"email": ADDRESS, **wanted}))
        return Invitation.objects.get(pk=row.pk), mailed_token()

    return ask


def mailed_token() -> str:
    found = re.search(r"/invitations/(\w+)", str(mail.outbox[-1].body))
    assert found is not None
    return found[1]


def members_of(team: Team) -> dict[str, str]:
    return dict(team.memberships.values_list("user__username", "role__name"))


def in_days(days: float) -> Any:
    return time_machine.travel(timezone.now() + timedelta(days=days), tick=True)


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
            ({}, Invalid, "one of the two"),
            ({"email": ADDRESS, "username": "ada"}, Invalid, "one of the two"),
            ({"email": "no address"}, Invalid, "'no address' is not an email address"),
            ({"email": "x" * 300 + "@example.com"}, Invalid, "is not an email address"),
            ({"username": "nobody"}, Invalid, "There is no user 'nobody'"),
            ({"username": "gone"}, Invalid, "There is no user 'gone'"),
            ({"username": "vision.bot"}, Invalid, "programs are not invited"),
            ({"username": "ADA"}, Conflict, "ada is a member of vision already"),
            ({"email": "Ada@example.com"}, Conflict, "ada@example.com is a member"),
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
        with pytest.raises(Conflict, match="it has one member"):
            invite(actor=actor(owner), team=owner.claim.team, role=built_in(Preset.MEMBER), email=ADDRESS)

    def test_is_audited(self, team: Team):
        admin = actor(make_member(team, Preset.ADMIN, username="ada"))
        row = invite(actor=admin, team=team, role=built_in(Preset.MEMBER), email=ADDRESS)
        invitations.revoke(actor=admin, invitation=row)
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
            assert "for you alone" in body
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
        invitations.revoke(actor=SYSTEM, invitation=row)
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
            assert invitations.open_invitation(new) == again
            with pytest.raises(NotFound, match="newer mail"):
                invitations.open_invitation(old)

    def test_a_mailbox_is_not_filled(self, ask: Callable[..., Asked]):
        row, _token = ask()
        with pytest.raises(Conflict, match="less than a minute ago"):
            ask()
        with pytest.raises(Conflict, match="less than a minute ago"):
            invitations.resend(actor=SYSTEM, invitation=row)
        invitations.revoke(actor=SYSTEM, invitation=row)
        with pytest.raises(Conflict, match="less than a minute ago"):
            ask()

    def test_sending_again_begins_the_days_anew(
        self, ask: Callable[..., Asked], django_capture_on_commit_callbacks: Any
    ):
        row, _old = ask()
        with in_days(30), django_capture_on_commit_callbacks(execute=True):
            again = invitations.resend(actor=SYSTEM, invitation=row)
            assert not again.is_expired
        assert len(mail.outbox) == 2

    def test_a_member_leaves_an_admins_invitation_alone(self, team: Team, ask: Callable[..., Asked]):
        """TEAM-4: never above their own role, nor instead of one."""
        row, _token = ask(role=built_in(Preset.ADMIN))
        Team.objects.filter(pk=team.pk).update(members_may_invite=True)
        member = actor(make_member(team))
        with in_days(1):
            for act in (
                lambda: invitations.resend(actor=member, invitation=row),
                lambda: invite(actor=member, team=team, role=built_in(Preset.MEMBER), email=ADDRESS),
            ):
                with pytest.raises(Forbidden, match="above your own"):
                    act()

    def test_revoking_is_for_admins_and_ends_the_link(self, team: Team, ask: Callable[..., Asked]):
        row, token = ask()
        with pytest.raises(Forbidden):
            invitations.revoke(actor=actor(make_member(team)), invitation=row)
        invitations.revoke(actor=actor(make_member(team, Preset.ADMIN)), invitation=row)
        with pytest.raises(Gone, match="taken back"):
            invitations.open_invitation(token)
        for act in (invitations.revoke, invitations.resend):
            with pytest.raises(Gone, match="taken back"):
                act(actor=SYSTEM, invitation=row)

    def test_after_an_answer_one_can_be_invited_anew(self, ask: Callable[..., Asked]):
        row, token = ask()
        invitations.decline(actor=ANONYMOUS, token=token)
        with in_days(1):
            again, _token = ask()
        assert again.pk != row.pk


class TestAccepting:
    def test_takes_the_verified_address(self, team: Team, ask: Callable[..., Asked]):
        _row, token = ask(role=built_in(Preset.VIEW_ONLY))
        person = UserFactory(username="ada", email="New@example.com")
        invitations.accept(actor=actor(person), token=token)
        assert members_of(team)["ada"] == "View-only"
        assert OrganizationMember.objects.filter(user=person, organization=team.organization).exists()
        entry = AuditEntry.objects.get(action="team.accept_invitation")
        assert (entry.actor_name, entry.after) == ("ada", {"invited": ADDRESS, "role": "View-only"})

    def test_takes_any_verified_address_of_the_account(self, team: Team, ask: Callable[..., Asked]):
        _row, token = ask()
        person = UserFactory(username="ada")
        EmailAddress.objects.create(user=person, email=ADDRESS, verified=True)
        invitations.accept(actor=actor(person), token=token)
        assert "ada" in members_of(team)

    def test_takes_the_invited_user(self, team: Team, ask: Callable[..., Asked]):
        person = UserFactory(username="ada")
        _row, token = ask(username="Ada")
        with pytest.raises(Forbidden, match="for the user ada, and you are signed in as bob"):
            invitations.accept(actor=actor(UserFactory(username="bob")), token=token)
        invitations.accept(actor=actor(person), token=token)
        assert "ada" in members_of(team)

    def test_refuses_who_has_the_address_unconfirmed(self, team: Team, ask: Callable[..., Asked]):
        _row, token = ask()
        person = UserFactory(username="ada")
        EmailAddress.objects.create(user=person, email=ADDRESS, verified=False)
        with pytest.raises(Forbidden, match=f"First confirm that {ADDRESS} is yours"):
            invitations.accept(actor=actor(person), token=token)
        assert "ada" not in members_of(team)

    def test_refuses_another_account_than_the_addresss(self, ask: Callable[..., Asked]):
        UserFactory(email=ADDRESS)
        _row, token = ask()
        with pytest.raises(Forbidden, match="belongs to another account than ada"):
            invitations.accept(actor=actor(UserFactory(username="ada")), token=token)

    def test_refuses_an_account_without_the_address(self, ask: Callable[..., Asked]):
        _row, token = ask()
        with pytest.raises(Forbidden, match="is no address of ada"):
            invitations.accept(actor=actor(UserFactory(username="ada")), token=token)

    def test_refuses_who_is_not_signed_in(self, ask: Callable[..., Asked]):
        _row, token = ask()
        with pytest.raises(Forbidden, match=f"Sign in or sign up as {ADDRESS}"):
            invitations.accept(actor=ANONYMOUS, token=token)

    def test_happens_once(self, ask: Callable[..., Asked]):
        _row, token = ask()
        person = actor(UserFactory(email=ADDRESS))
        invitations.accept(actor=person, token=token)
        with pytest.raises(Conflict, match="accepted already"):
            invitations.accept(actor=person, token=token)

    def test_is_too_late_after_the_last_day(self, settings: Any, ask: Callable[..., Asked]):
        settings.INVITATION_DAYS = 3
        _row, token = ask()
        person = actor(UserFactory(email=ADDRESS))
        with in_days(3.1), pytest.raises(Gone, match="has expired"):
            invitations.accept(actor=person, token=token)
        with in_days(2.9):
            invitations.accept(actor=person, token=token)

    def test_is_not_possible_after_declining(self, ask: Callable[..., Asked]):
        row, token = ask()
        invitations.decline(actor=ANONYMOUS, token=token)
        with pytest.raises(Gone, match="declined"):
            invitations.accept(actor=actor(UserFactory(email=ADDRESS)), token=token)
        row.refresh_from_db()
        assert row.state == InvitationState.DECLINED
        assert AuditEntry.objects.get(action="team.decline_invitation").actor_name == "anonymous"

    def test_stays_possible_when_the_inviter_left(self, team: Team, ask: Callable[..., Asked]):
        admin = make_member(team, Preset.ADMIN)
        _row, token = ask(actor=actor(admin))
        services.remove_member(actor=SYSTEM, membership=Membership.objects.get(team=team, user=admin))
        person = UserFactory(username="ada", email=ADDRESS)
        invitations.accept(actor=actor(person), token=token)
        assert "ada" in members_of(team)

    def test_has_nowhere_to_go_when_the_team_is_gone(self, team: Team, ask: Callable[..., Asked]):
        _row, token = ask()
        team.delete()
        with pytest.raises(NotFound, match="the team is gone"):
            invitations.accept(actor=actor(UserFactory(email=ADDRESS)), token=token)

    @pytest.mark.parametrize("base", [Preset.VIEW_ONLY, Preset.MEMBER])
    def test_gives_the_base_of_a_role_that_was_deleted(
        self, team: Team, ask: Callable[..., Asked], base: Preset
    ):
        assert team.organization is not None
        role = custom_role(team.organization, [RunAction.DELETE], base=base)
        _row, token = ask(role=role)
        role.delete()
        invitations.accept(actor=actor(UserFactory(username="ada", email=ADDRESS)), token=token)
        assert members_of(team)["ada"] == built_in(base).name

    def test_is_needless_for_members(self, team: Team, ask: Callable[..., Asked]):
        """Somebody put them into the team by name, and they confirmed the address only then."""
        _row, token = ask()
        person = make_member(team, username="ada")
        EmailAddress.objects.create(user=person, email=ADDRESS, verified=True)
        with pytest.raises(Conflict, match="ada is a member of vision already"):
            invitations.accept(actor=actor(person), token=token)

    def test_answers_everything_that_asked_the_same_person(self, team: Team, ask: Callable[..., Asked]):
        person = UserFactory(username="ada", email=ADDRESS)
        by_address, _token = ask()
        elsewhere, _token = ask(team=TeamFactory())
        _by_name, token = ask(username="ada")
        invitations.accept(actor=actor(person), token=token)
        assert list(Invitation.objects.pending()) == [elsewhere]
        by_address.refresh_from_db()
        assert by_address.state == InvitationState.ACCEPTED

    def test_is_needless_once_an_admin_added_them(self, team: Team, ask: Callable[..., Asked]):
        _row, token = ask()
        make_member(team, email=ADDRESS)
        with pytest.raises(Conflict, match="accepted already"):
            invitations.open_invitation(token)


@pytest.mark.django_db(transaction=True)
def test_two_clicks_at_once_join_once():
    team, person = TeamFactory(), UserFactory(email=ADDRESS)
    invite(actor=SYSTEM, team=team, role=built_in(Preset.MEMBER), email=ADDRESS)
    token = mailed_token()

    def click(_: int) -> int:
        try:
            invitations.accept(actor=actor(person), token=token)
        except DomainError as error:
            return error.status
        finally:
            connections.close_all()
        return 200

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(click, range(4))) == [200, 409, 409, 409]
    assert team.memberships.filter(user=person).count() == 1


class TestPending:
    def test_are_shown_to_who_may_invite(
        self, team: Team, ask: Callable[..., Asked], django_assert_num_queries: Any
    ):
        ask(email="a@example.com")
        ask(username=UserFactory(username="bob").username)
        admin, member = actor(make_member(team, Preset.ADMIN)), actor(make_member(team))
        with django_assert_num_queries(2):
            shown = [row.addressee for row in invitations.pending_invitations(admin, team)]
        assert shown == ["a@example.com", "bob"]
        assert list(invitations.pending_invitations(member, team)) == []

    def test_stay_when_expired_so_that_they_are_sent_again(self, team: Team, ask: Callable[..., Asked]):
        row, _token = ask()
        with in_days(100):
            assert list(invitations.pending_invitations(SYSTEM, team)) == [row]


class TestPage:
    @pytest.fixture(autouse=True)
    def _no_rate_limits_from_other_tests(self):
        cache.clear()

    def test_asks_the_invited_and_lets_them_in(self, client: Client, team: Team, ask: Callable[..., Asked]):
        _row, token = ask(actor=actor(make_member(team, Preset.ADMIN, username="ada")))
        client.force_login(UserFactory(username="newcomer", email=ADDRESS))
        page = client.get(f"/invitations/{token}").content.decode()
        assert f"ada invites you to the team vision of {team.organization}, with the role Member." in page
        assert "You join as newcomer" in page
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
        settings.SIGNUP_OPEN = False
        row, token = ask()
        client.get(f"/invitations/{token}")
        refused = client.post("/accounts/signup/", SIGN_UP | {"email": "other@example.com"})
        assert f"Sign up with the invited address, {ADDRESS}." in refused.content.decode()
        assert not User.objects.filter(username="newcomer").exists()
        invitations.revoke(actor=SYSTEM, invitation=row)
        client.post("/accounts/signup/", SIGN_UP)
        assert not User.objects.filter(username="newcomer").exists()

    def test_where_sign_up_is_closed_the_invited_get_in(
        self, client: Client, settings: Any, ask: Callable[..., Asked]
    ):
        """ACC-22."""
        settings.SIGNUP_OPEN = False
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
            assert "is no address of bob" in page
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
        assert "This link leads to no invitation." in response.content.decode()

    def test_answers_only_to_posts_with_their_token(self, ask: Callable[..., Asked]):
        _row, token = ask()
        client = Client(enforce_csrf_checks=True)
        assert client.get(f"/invitations/{token}/accept").status_code == 405
        assert client.post(f"/invitations/{token}/decline").status_code == 403


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
