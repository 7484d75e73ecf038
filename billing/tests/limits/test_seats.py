"""BIL-3, TEAM-1: seats, asked wherever a person gets a place in an organization."""

import json
import threading

import pytest
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from access.actions import Preset
from access.actor import SYSTEM
from access.models import AuditEntry
from accounts.lifecycle.services import set_active
from accounts.models import User
from billing.limits.selectors import LimitKind, limits_of
from billing.subscriptions.selectors import subscription_of
from common.errors import Conflict
from teams.invitations.answering import accept_invitation
from teams.invitations.services import invite
from teams.members.services import add_member
from teams.models import GroupMapping, Invitation, Membership, Organization, OrganizationMember, Team
from teams.organizations.services import (
    add_to_organization,
    change_organization_member,
    remove_from_organization,
)
from teams.roles.builtin import built_in
from teams.sso_groups.services import join_teams_of_groups
from teams.teams.services import create_team
from tests.factories import (
    OrganizationFactory,
    ServiceAccountFactory,
    TeamFactory,
    UserFactory,
    actor,
    basic,
    make_key,
)
from tests.plans import put_on

pytestmark = pytest.mark.django_db
FULL = "All seats of acme are taken: the plan Small has 2. Usage admins of acme can change the plan: ada."


@pytest.fixture(autouse=True)
def enforced(settings) -> None:
    settings.ENFORCE_LIMITS = True


@pytest.fixture
def ada() -> User:
    return UserFactory(username="ada")


@pytest.fixture
def organization(ada: User) -> Organization:
    """Give one with two seats, one of which is taken."""
    row = OrganizationFactory(name="acme", admin=ada)
    put_on(row, name="Small", seats=2, view_only_seats=1)
    return row


@pytest.fixture
def team(organization: Organization, ada: User) -> Team:
    return TeamFactory(name="lab", organization=organization, admin=ada)


@pytest.fixture
def full(organization: Organization) -> OrganizationMember:
    """Take the last seat."""
    role = built_in(Preset.ORGANIZATION_MEMBER)
    return add_to_organization(actor=SYSTEM, organization=organization, user=UserFactory(), role=role)


def used(organization: Organization, kind: LimitKind = LimitKind.SEATS) -> int:
    limit = limits_of(subscription_of(organization)).of(kind)
    assert limit is not None
    return int(limit.used)


class TestWhereLimitsAreEnforced:
    """Every way in."""

    def test_adding_to_a_team(self, team: Team, full: OrganizationMember):
        with pytest.raises(Conflict) as refused:
            add_member(actor=SYSTEM, team=team, user=UserFactory(), role=built_in(Preset.MEMBER))
        assert refused.value.message == FULL
        assert OrganizationMember.objects.count() == 2

    def test_adding_to_the_organization(self, organization: Organization, full: OrganizationMember):
        with pytest.raises(Conflict, match="All seats of acme are taken"):
            add_to_organization(
                actor=SYSTEM,
                organization=organization,
                user=UserFactory(),
                role=built_in(Preset.ORGANIZATION_MEMBER),
            )

    def test_a_new_team_with_an_admin_from_elsewhere(
        self, organization: Organization, full: OrganizationMember
    ):
        with pytest.raises(Conflict, match="All seats of acme are taken"):
            create_team(actor=SYSTEM, name="another", organization=organization, admin=UserFactory())
        assert not Team.objects.filter(name="another").exists()

    def test_inviting_is_refused_at_once(self, team: Team, full: OrganizationMember):
        with pytest.raises(Conflict) as refused:
            invite(actor=SYSTEM, team=team, role=built_in(Preset.MEMBER), email="new@example.com")
        assert refused.value.message == FULL
        assert not Invitation.objects.exists()

    def test_colleagues_are_invited_to_more_teams(self, team: Team, full: OrganizationMember):
        invite(actor=SYSTEM, team=team, role=built_in(Preset.MEMBER), username=full.user.username)
        other = TeamFactory(organization=team.organization, admin=full.user)
        assert other.pk
        assert OrganizationMember.objects.count() == 2

    def test_accepting_asks_again(self, client: Client, team: Team):
        """An invitation keeps no seat; it stays open, and works once there is one."""
        guest = UserFactory()
        asked = invite(actor=SYSTEM, team=team, role=built_in(Preset.MEMBER), username=guest.username)
        assert team.organization is not None
        last = add_to_organization(
            actor=SYSTEM,
            organization=team.organization,
            user=UserFactory(),
            role=built_in(Preset.ORGANIZATION_MEMBER),
        )
        with pytest.raises(Conflict, match="All seats of acme are taken") as refused:
            accept_invitation(actor=actor(guest), number=asked.pk)
        assert refused.value.detail == {"reason": "seats"}
        remove_from_organization(actor=SYSTEM, member=last)
        accept_invitation(actor=actor(guest), number=asked.pk)
        assert team.memberships.filter(user=guest).exists()

    def test_groups_of_a_provider_end_no_sign_in(self, team: Team, full: OrganizationMember):
        GroupMapping.objects.create(provider="okta", group="ml", team=team, role=built_in(Preset.MEMBER))
        user = UserFactory()
        join_teams_of_groups(user, "okta", frozenset({"ml"}))
        assert not Membership.objects.filter(team=team, user=user).exists()
        told = AuditEntry.objects.get(action="group_mapping.refuse")
        assert told.organization_id == team.organization_id
        assert told.after["user"] == user.username
        assert "All seats of acme are taken" in told.after["why"]

    def test_scim_hears_why(self, client: Client, ada: User, full: OrganizationMember):
        answer = self._scim(client, ada, {"userName": "eve@example.com"})
        assert answer.status_code == 409
        assert answer.json()["detail"] == FULL
        assert not User.objects.filter(email="eve@example.com").exists()

    def test_scim_makes_a_viewer_where_only_a_view_only_seat_is_left(
        self, client: Client, ada: User, organization: Organization, full: OrganizationMember
    ):
        extension = "urn:ietf:params:scim:schemas:extension:runyard:2.0:User"
        place = {"organizationRole": "viewer"}
        answer = self._scim(client, ada, {"userName": "eve@example.com", extension: place})
        assert answer.status_code == 201, answer.content
        assert used(organization, LimitKind.VIEW_ONLY_SEATS) == 1

    def _scim(self, client: Client, ada: User, body: dict[str, object]):
        key = basic(make_key(ada))
        return client.post(
            "/scim/v2/acme/Users", json.dumps(body), content_type="application/scim+json",
            headers={"authorization": key},
        )  # fmt: skip


class TestKinds:
    """View-only seats and full ones."""

    def test_a_viewer_takes_a_view_only_seat(self, organization: Organization, full: OrganizationMember):
        viewer = built_in(Preset.ORGANIZATION_VIEWER)
        add_to_organization(actor=SYSTEM, organization=organization, user=UserFactory(), role=viewer)
        assert used(organization, LimitKind.VIEW_ONLY_SEATS) == 1
        with pytest.raises(Conflict, match="All view-only seats of acme are taken: the plan Small has 1"):
            add_to_organization(actor=SYSTEM, organization=organization, user=UserFactory(), role=viewer)

    def test_who_gets_more_access_needs_a_full_seat(
        self, organization: Organization, full: OrganizationMember
    ):
        viewer, member = built_in(Preset.ORGANIZATION_VIEWER), built_in(Preset.ORGANIZATION_MEMBER)
        row = add_to_organization(actor=SYSTEM, organization=organization, user=UserFactory(), role=viewer)
        with pytest.raises(Conflict, match="All seats of acme are taken"):
            change_organization_member(actor=SYSTEM, member=row, role=member)
        change_organization_member(actor=SYSTEM, member=full, models_access="none")
        row.refresh_from_db()
        change_organization_member(actor=SYSTEM, member=row, role=member)
        assert (used(organization), used(organization, LimitKind.VIEW_ONLY_SEATS)) == (2, 0)

    def test_without_the_switch_both_kinds_are_one(
        self, organization: Organization, full: OrganizationMember
    ):
        put_on(organization, name="Smaller", seats=1, has_view_only_role=False)
        change_organization_member(actor=SYSTEM, member=full, models_access="view_only")  # no further seat
        assert used(organization) == 2
        with pytest.raises(Conflict, match="the plan Smaller has 1"):
            add_to_organization(
                actor=SYSTEM,
                organization=organization,
                user=UserFactory(),
                role=built_in(Preset.ORGANIZATION_VIEWER),
            )

    def test_programs_and_who_was_switched_off_take_none(
        self, organization: Organization, team: Team, full: OrganizationMember
    ):
        ServiceAccountFactory(team=team)
        assert used(organization) == 2
        set_active(actor=SYSTEM, user=full.user, is_active=False)
        assert used(organization) == 1

    def test_a_person_takes_one_seat_however_many_teams(
        self, organization: Organization, full: OrganizationMember
    ):
        for _ in range(3):
            team = TeamFactory(organization=organization, admin=full.user)
            assert team.pk
        assert used(organization) == 2


def test_without_enforcement_seats_are_counted_and_not_refused(settings, organization: Organization):
    """BIL-3: on Self-hosted limits inform."""
    settings.ENFORCE_LIMITS = False
    for _ in range(4):
        add_to_organization(
            actor=SYSTEM,
            organization=organization,
            user=UserFactory(),
            role=built_in(Preset.ORGANIZATION_MEMBER),
        )
    assert used(organization) == 5


def test_a_full_page_of_invitations_says_why(client: Client, ada: User, team: Team, full: OrganizationMember):
    """TEAM-3, BIL-3."""
    client.force_login(ada)
    form = {"people": "new@example.com", "role": built_in(Preset.MEMBER).pk}
    text = client.post(reverse("teams:invite", args=["lab"]), form).content.decode()
    assert "All seats of acme are taken" in text


@pytest.mark.django_db(transaction=True)
def test_two_at_once_do_not_take_the_same_seat(organization: Organization):
    """BIL-3: the subscription is locked while a seat is taken."""
    if connection.vendor == "sqlite":
        pytest.skip("SQLite writes one after the other")
    people, told = [UserFactory() for _ in range(6)], []

    def join(user: User) -> None:
        try:
            with transaction.atomic():
                add_to_organization(
                    actor=SYSTEM,
                    organization=organization,
                    user=user,
                    role=built_in(Preset.ORGANIZATION_MEMBER),
                )
            told.append("in")
        except Conflict:
            told.append("refused")
        finally:
            connection.close()

    threads = [threading.Thread(target=join, args=[user]) for user in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(told) == ["in", *["refused"] * 5]
    assert used(organization) == 2
