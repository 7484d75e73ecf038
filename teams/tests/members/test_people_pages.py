"""The lists of people of teams and organizations, and inviting (TEAM-1, TEAM-3, TEAM-11), asked as a browser asks."""

from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.utils import timezone

from access.actions import Preset
from access.actor import SYSTEM
from accounts.models import User
from common.errors import DomainError
from teams.invitations.services import invite
from teams.models import Invitation, Membership, Organization, OrganizationMember, ProductAccess, Team
from teams.organizations import services as organizations
from teams.roles.builtin import built_in, organization_roles
from teams.tests.visiting import as_user, organization, place_of, said, team, text_of
from tests.factories import (
    ServiceAccountFactory,
    TeamFactory,
    UserFactory,
    make_member,
)

__all__ = ["as_user", "organization", "team"]

pytestmark = pytest.mark.django_db


class TestMembers:
    def test_are_listed_with_those_invited_and_what_the_organization_lets_them(
        self, team: Team, as_user: Any
    ):
        """TEAM-3: pending invitations and members together; name, username, email, role, access."""
        bob = make_member(team, username="bob", email="bob@example.com")
        User.objects.filter(pk=bob.pk).update(display_name="Bob Ross")
        OrganizationMember.objects.filter(user=bob).update(models_access=ProductAccess.VIEW_ONLY)
        invite(actor=SYSTEM, team=team, role=built_in(Preset.MEMBER), email="new@example.com")
        page = text_of(as_user("ada", "/teams/vision"))
        for part in ("new@example.com", "Invitation pending", "Bob Ross", "bob@example.com", "View-only"):
            assert part in page

    def test_members_see_the_list_only(self, team: Team, as_user: Any):
        """TEAM-11."""
        make_member(team, Preset.VIEW_ONLY, username="vera")
        invite(actor=SYSTEM, team=team, role=built_in(Preset.MEMBER), email="new@example.com")
        page = text_of(as_user("vera", "/teams/vision"))
        assert "ada" in page
        for hidden in (
            "new@example.com",
            "/teams/vision/privacy",
            "/teams/vision/settings",
            "Remove",
            '<select class="form-select form-select-sm"',
        ):
            assert hidden not in page
        assert as_user("vera", "/teams/vision/settings").status_code == 403
        assert as_user("ada", "/teams/vision/privacy").status_code == 403

    def test_two_thousand_cost_what_ten_cost(
        self, team: Team, as_user: Any, django_assert_max_num_queries: Any
    ):
        """TEAM-3: a page at a time, with a fixed number of queries."""
        for number in range(10):
            make_member(team, username=f"early{number}")
        as_user("ada", "/teams/vision")
        with django_assert_max_num_queries(37) as few:
            as_user("ada", "/teams/vision")
        _crowd(team, 2000)
        with django_assert_max_num_queries(len(few)):
            page = text_of(as_user("ada", "/teams/vision?page=40"))
        assert "1951–2000 of 2,011" in page

    def test_are_searched_sorted_and_narrowed_to_a_role(self, team: Team, as_user: Any):
        for name, preset in (("zoe", Preset.ADMIN), ("bob", Preset.MEMBER), ("vera", Preset.VIEW_ONLY)):
            make_member(team, preset, username=name, email=f"{name}@{name}.example")
        invite(actor=SYSTEM, team=team, role=built_in(Preset.MEMBER), email="new@example.com")

        def shown(query: str) -> list[str]:
            people = as_user("ada", f"/teams/vision?{query}").context["people"]
            return [row.addressee for row in people.pending] + [row.user.username for row in people.rows]

        assert shown("q=zoe.EXAMPLE") == ["zoe"]
        assert shown("q=nobody") == []
        assert shown("sort=-name") == ["new@example.com", "zoe", "vera", "bob", "ada"]
        assert shown("sort=role") == ["new@example.com", "ada", "zoe", "bob", "vera"]
        assert shown(f"role={built_in(Preset.MEMBER).pk}") == ["new@example.com", "bob"]
        assert shown("role=x&sort=y&page=z") == shown("")

    def test_roles_are_changed_in_place(self, team: Team, as_user: Any):
        make_member(team, username="bob")
        data = {"member": place_of("bob").pk, "role": built_in(Preset.ADMIN).pk}
        response = as_user("ada", "/teams/vision/role", data, headers={"Accept": "application/json"})
        assert response.json() == {"message": "bob is now Admin."}
        assert place_of("bob").role.preset == Preset.ADMIN

    def test_the_only_admin_is_told_why_nothing_can_be_done(self, team: Team, as_user: Any):
        """TEAM-5: the page says so instead of failing, and recommends a second admin."""
        make_member(team, username="bob")
        page = text_of(as_user("ada", "/teams/vision"))
        assert "The team has only one admin. Add a second one" in page
        assert "This is the team’s only admin" in page
        data = {"member": place_of("ada").pk, "role": built_in(Preset.MEMBER).pk}
        refused = as_user("ada", "/teams/vision/role", data, headers={"Accept": "application/json"})
        assert refused.status_code == 409
        assert "last admin of vision" in refused.json()["error"]["message"]
        make_member(team, Preset.ADMIN, username="zoe")
        assert "Add a second one" not in text_of(as_user("ada", "/teams/vision"))

    def test_the_removed_are_told_by_mail(
        self, team: Team, as_user: Any, django_capture_on_commit_callbacks: Any
    ):
        """TEAM-5: the runs stay."""
        make_member(team, username="bob", email="bob@example.com")
        with django_capture_on_commit_callbacks(execute=True):
            as_user("ada", "/teams/vision/remove", {"member": place_of("bob").pk})
        assert not team.memberships.filter(user__username="bob").exists()
        assert [message.to for message in mail.outbox] == [["bob@example.com"]]
        assert "no longer in vision" in mail.outbox[0].subject
        assert "Runs you logged there stay" in str(mail.outbox[0].body)

    def test_status_says_who_is_there(self, team: Team, as_user: Any):
        """TEAM-1: Active, inactive for six months, Deactivated."""
        long_ago = timezone.now() - timedelta(days=200)
        for name in ("away", "back", "gone"):
            make_member(team, username=name)
        User.objects.filter(username__in=["away", "back"]).update(created_at=long_ago)
        User.objects.filter(username="back").update(last_login=timezone.now())
        User.objects.filter(username="gone").update(is_active=False)
        rows = as_user("ada", "/teams/vision").context["people"].rows
        assert {row.user.username: row.status for row in rows} == {
            "ada": "active", "away": "inactive", "back": "active", "gone": "deactivated"
        }  # fmt: skip


def _crowd(team: Team, size: int) -> None:
    """Put many into a team at once; services would take minutes."""
    from accounts.models import Name

    names = Name.objects.bulk_create([Name(text=f"crowd{n}") for n in range(size)])
    users = User.objects.bulk_create(
        [User(claim=name, username=name.text, email=f"{name.text}@example.com") for name in names]
    )
    role, belongs = built_in(Preset.MEMBER), built_in(Preset.ORGANIZATION_MEMBER)
    Membership.objects.bulk_create([Membership(team=team, user=user, role=role) for user in users])
    OrganizationMember.objects.bulk_create(
        [OrganizationMember(organization=team.organization, user=user, role=belongs) for user in users]
    )


class TestInviting:
    def test_several_at_once_are_answered_one_by_one(self, team: Team, as_user: Any):
        """TEAM-3."""
        UserFactory(username="bob")
        people = "bob, new@example.com\nnobody; ADA\nbob"
        data = {"people": people, "role": built_in(Preset.MEMBER).pk}
        response = as_user("ada", "/teams/vision/invite", data)
        assert response.context["told"].invited == ["bob", "new@example.com"]
        assert [who for who, _why in response.context["told"].refused] == ["nobody", "ADA"]
        page = text_of(response)
        assert "User “nobody” doesn’t exist" in page
        assert "ada is already a member of vision" in page
        assert response.context["text"] == "nobody\nADA"
        assert Invitation.objects.pending().count() == 2

    @pytest.mark.parametrize(
        ("people", "told"),
        [(" ,; ", "Enter an email address"), (" ".join(f"u{n}" for n in range(101)), "at most 100")],
    )
    def test_nobody_and_too_many_are_refused(self, team: Team, as_user: Any, people: str, told: str):
        data = {"people": people, "role": built_in(Preset.MEMBER).pk}
        assert told in text_of(as_user("ada", "/teams/vision/invite", data))

    def test_a_role_of_elsewhere_is_refused(self, team: Team, as_user: Any):
        data = {"people": "new@example.com", "role": built_in(Preset.ORGANIZATION_ADMIN).pk}
        assert "Choose a role" in text_of(as_user("ada", "/teams/vision/invite", data))

    def test_colleagues_are_offered_who_are_not_in_the_team(self, team: Team, as_user: Any):
        make_member(team, Preset.ORGANIZATION_MEMBER, username="kenji")
        make_member(team, username="kim")
        UserFactory(username="kelly")
        page = text_of(as_user("ada", "/teams/vision/known?q=k"))
        assert 'data-adds="kenji"' in page
        assert "kim" not in page
        assert "kelly" not in page

    def test_they_are_sent_again_and_taken_back(self, team: Team, as_user: Any):
        row = invite(actor=SYSTEM, team=team, role=built_in(Preset.MEMBER), email="new@example.com")
        Invitation.objects.update(last_sent_at=None)
        assert (
            "A new link was sent" in said(as_user("ada", "/teams/vision/resend", {"invitation": row.pk}))[0]
        )
        assert "revoked" in said(as_user("ada", "/teams/vision/revoke", {"invitation": row.pk}))[0]
        again = as_user("ada", "/teams/vision/revoke", {"invitation": row.pk})
        assert "already been answered or revoked" in said(again)[0]

    def test_the_button_stands_for_everyone_who_may(self, team: Team, as_user: Any):
        """TEAM-11."""
        make_member(team, username="bob")
        button = 'href="/settings/teams/invite"'
        for who, stands in (("ada", True), ("chief", True), ("bob", False)):
            assert (button in text_of(as_user(who, "/settings/teams"))) is stands, who
        UserFactory(username="loner")
        assert button in text_of(as_user("loner", "/settings/teams"))
        assert as_user("loner", "/settings/teams/invite").headers["Location"] == "/teams/new"
        assert as_user("ada", "/settings/teams/invite").headers["Location"] == "/teams/vision/invite"
        TeamFactory(name="speech", organization=team.organization)
        assert "Choose a team" in text_of(as_user("chief", "/settings/teams/invite"))

    def test_it_is_said_when_no_mail_goes_out(self, team: Team, as_user: Any, settings: Any):
        settings.EMAIL_BACKEND = "accounts.mail.outbox.OutboxBackend"
        assert "does not send email" in text_of(as_user("ada", "/teams/vision/invite"))
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        assert "does not send email" not in text_of(as_user("ada", "/teams/vision/invite"))


class TestOrganization:
    def test_shows_roles_access_and_teams_to_admins(self, team: Team, as_user: Any):
        """TEAM-1."""
        make_member(team, username="bob")
        page = text_of(as_user("chief", "/organizations/acme"))
        assert "Models access of bob" not in page  # nobody's differs
        assert 'href="/teams/vision"' in page
        assert "Models access of bob" in text_of(as_user("chief", "/organizations/acme?access=on"))
        OrganizationMember.objects.filter(user__username="bob").update(weave_access=ProductAccess.NONE)
        assert "Models access of bob" in text_of(as_user("chief", "/organizations/acme"))
        bobs = text_of(as_user("bob", "/organizations/acme"))
        assert "chief" in bobs
        assert "Models access" not in bobs

    def test_addresses_are_shown_to_and_searched_by_whoever_manages_members(self, team: Team, as_user: Any):
        """TEAM-1: elsewhere a search for an address would tell whose it is."""
        make_member(team, username="bob", email="robert@hidden.example")

        def found(who: str) -> tuple[bool, list[str]]:
            response = as_user(who, "/organizations/acme?q=hidden.example")
            names = [row.user.username for row in response.context["people"].rows]
            return "robert@hidden.example" in text_of(response), names

        assert found("chief") == (True, ["bob"])
        assert found("ada") == (False, [])
        assert "robert@hidden.example" not in text_of(as_user("ada", "/organizations/acme"))

    def test_changes_role_and_access(self, team: Team, as_user: Any):
        bob = make_member(team, username="bob")
        row = OrganizationMember.objects.get(user=bob)
        viewer = organization_roles().get(preset=Preset.ORGANIZATION_VIEWER)
        as_user("chief", "/organizations/acme/change", {"member": row.pk, "role": viewer.pk})
        as_user("chief", "/organizations/acme/change", {"member": row.pk, "models_access": "none"})
        as_user("chief", "/organizations/acme/change", {"member": row.pk, "weave_access": "view_only"})
        row.refresh_from_db()
        assert (row.role, row.models_access, row.weave_access) == (viewer, "none", "view_only")
        wrong = as_user("chief", "/organizations/acme/change", {"member": row.pk, "models_access": "all"})
        assert "Access must be one of" in said(wrong)[0]

    def test_removing_takes_people_out_of_all_its_teams(
        self, team: Team, as_user: Any, django_capture_on_commit_callbacks: Any
    ):
        bob = make_member(team, username="bob", email="bob@example.com")
        other = TeamFactory(name="speech", organization=team.organization)
        row = invite(actor=SYSTEM, team=other, role=built_in(Preset.MEMBER), username="bob")
        with django_capture_on_commit_callbacks(execute=True):
            place = OrganizationMember.objects.get(user=bob)
            as_user("chief", "/organizations/acme/remove", {"member": place.pk})
        assert not Membership.objects.filter(user=bob, team__organization=team.organization).exists()
        row.refresh_from_db()
        assert row.state == "revoked"
        assert "no longer in acme" in mail.outbox[-1].subject

    def test_the_last_admins_stay(self, team: Team, as_user: Any):
        """TEAM-1, TEAM-5: of the organization, and of each of its teams."""
        for who, told in (("chief", "last admin of acme"), ("ada", "last admin of vision")):
            place = OrganizationMember.objects.get(user__username=who)
            response = as_user("chief", "/organizations/acme/remove", {"member": place.pk})
            assert told in said(response)[0]
        viewer = organization_roles().get(preset=Preset.ORGANIZATION_VIEWER)
        ada = OrganizationMember.objects.get(user__username="ada")
        response = as_user("chief", "/organizations/acme/change", {"member": ada.pk, "role": viewer.pk})
        assert "last admin of vision" in said(response)[0]

    def test_invites_to_several_teams_with_a_role_in_each(self, team: Team, as_user: Any):
        speech = TeamFactory(name="speech", organization=team.organization)
        data = {
            "people": "new@example.com", f"role-{team.pk}": built_in(Preset.MEMBER).pk,
            f"role-{speech.pk}": built_in(Preset.VIEW_ONLY).pk,
        }  # fmt: skip
        assert as_user("chief", "/organizations/acme/invite", data).context["told"].invited == [
            "new@example.com"
        ]
        asked = {row.place.name: row.granted_role.name for row in Invitation.objects.select_related("team")}
        assert asked == {"vision": "Member", "speech": "View-only"}

    def test_members_find_their_own_teams(self, team: Team, as_user: Any):
        make_member(team, username="bob")
        TeamFactory(name="speech", organization=team.organization)
        assert "/teams/speech" not in text_of(as_user("bob", "/organizations/acme/teams"))
        page = text_of(as_user("chief", "/organizations/acme/teams"))
        assert "/teams/speech" in page
        assert "2 members" in page

    def test_service_accounts_take_no_seat(self, team: Team, as_user: Any):
        """TEAM-1, TEAM-30."""
        ServiceAccountFactory(team=team, label="bot")
        rows = as_user("chief", "/organizations/acme").context["people"].rows
        assert {row.user.username for row in rows} == {"ada", "chief"}


def test_an_organization_keeps_an_admin_when_two_go_at_once(organization: Organization):
    """TEAM-1."""
    second = UserFactory()
    place = OrganizationMember.objects.create(
        organization=organization, user=second, role=built_in(Preset.ORGANIZATION_ADMIN)
    )
    organizations.remove_from_organization(actor=SYSTEM, member=place)
    last = OrganizationMember.objects.get(organization=organization)
    with pytest.raises(DomainError, match="last admin of acme"):
        organizations.remove_from_organization(actor=SYSTEM, member=last)
