"""SCIM: whoever is switched on again comes back to what they were switched off from (docs/operate/scim.md)."""

from collections.abc import Callable
from typing import Any

import pytest

from access.actions import Preset
from access.actor import SYSTEM
from access.callers.credentials import actor_of_header
from access.engine import can
from access.web.requests import actor_of_user
from accounts.lifecycle.services import set_active
from accounts.models import User
from common.errors import Conflict, Unauthenticated
from runs.access import ProjectAction
from teams.access import TeamAction
from teams.members.services import add_member, change_role
from teams.models import Membership, Organization, OrganizationMember, ProductAccess, Team, Visibility
from teams.organizations.services import change_organization_member, remove_from_organization
from teams.plan_policy import plan_policy
from teams.roles.builtin import built_in
from teams.roles.custom import RoleFields, create_role, delete_role
from tests.factories import OrganizationFactory, ProjectFactory, TeamFactory, UserFactory, make_key
from tests.scim import GROUP, USER, Provider

pytestmark = pytest.mark.django_db

OFF, ON = ({"op": "replace", "value": {"active": active}} for active in (False, True))


@pytest.fixture
def organization() -> Organization:
    return OrganizationFactory(name="acme", admin=UserFactory(username="chief"))


@pytest.fixture
def provider(organization: Organization) -> Provider:
    return Provider(make_key(User.objects.get(username="chief")))


class Bob:
    """Somebody whom the provider made, in the teams vision (by its group) and speech (by hand, as admin)."""

    def __init__(self, provider: Provider, organization: Organization) -> None:
        self.shown = provider.make("bob@example.com")
        self.path = f"Users/{self.shown['id']}"
        self.user = User.objects.get(pk=int(self.shown["id"]))
        body = {"schemas": [GROUP], "displayName": "vision", "members": [{"value": self.shown["id"]}]}
        _status, group = provider.ask("POST", "Groups", body)
        self.group = f"Groups/{group['id']}"
        self.speech = TeamFactory(name="speech", organization=organization)
        add_member(actor=SYSTEM, team=self.speech, user=self.user, role=built_in(Preset.ADMIN))

    @property
    def roles(self) -> dict[str, str]:
        rows = Membership.objects.filter(user=self.user, team__organization__isnull=False)
        return dict(rows.values_list("team__name", "role__name"))

    @property
    def place(self) -> OrganizationMember:
        return OrganizationMember.objects.get(user=self.user)


@pytest.fixture
def bob(provider: Provider, organization: Organization) -> Bob:
    return Bob(provider, organization)


def _members(provider: Provider, group: str) -> list[str]:
    return [one["value"] for one in provider.ask("GET", group)[1].get("members", [])]


def _by_put(provider: Provider, bob: Bob, *, active: bool) -> None:
    assert provider.ask("PUT", bob.path, {**bob.shown, "active": active})[0] == 200


def _by_patch(provider: Provider, bob: Bob, *, active: bool) -> None:
    assert provider.patch(bob.path, ON if active else OFF)[0] == 200


def _by_operator(provider: Provider, bob: Bob, *, active: bool) -> None:
    set_active(actor=SYSTEM, user=bob.user, is_active=active)


@pytest.mark.parametrize("switch", [_by_patch, _by_put, _by_operator])
def test_teams_roles_and_restricted_projects_come_back(
    provider: Provider, bob: Bob, switch: Callable[..., None]
):
    """People defect 8, TEAM-24: providers push groups no second time. Meanwhile nothing is given by any of it."""
    project = ProjectFactory(team=bob.speech, visibility=Visibility.RESTRICTED)
    project.members.create(user=bob.user, role=built_in(Preset.MEMBER))
    key, before = make_key(bob.user), bob.roles
    assert before == {"vision": "Member", "speech": "Admin"}
    switch(provider, bob, active=False)
    with pytest.raises(Unauthenticated):
        actor_of_header(f"Bearer {key}", "192.0.2.1")
    assert _members(provider, bob.group) == [bob.shown["id"]]  # as the provider has it (RFC 7643, 4.2)
    switch(provider, bob, active=True)
    assert bob.roles == before
    assert _members(provider, bob.group) == [bob.shown["id"]]
    assert provider.ask("GET", bob.path)[1]["groups"][0]["display"] == "vision"
    assert can(actor_of_user(bob.user), ProjectAction.VIEW, project)
    assert actor_of_header(f"Bearer {key}", "192.0.2.1").user_id == bob.user.pk


def test_whoever_is_off_is_nowhere(provider: Provider, bob: Bob):
    """No page, count or decision has to leave them out: there is no place."""
    User.objects.filter(pk=bob.user.pk).update(is_active=True)
    provider.patch(bob.path, OFF)
    User.objects.filter(pk=bob.user.pk).update(
        is_active=True
    )  # as an account that is another organization's, too
    assert bob.roles == {}
    assert not can(actor_of_user(User.objects.get(pk=bob.user.pk)), TeamAction.VIEW, bob.speech)


def test_role_and_access_given_by_hand_come_back(provider: Provider, bob: Bob):
    """TEAM-1: a viewer with access View-only does not come back as a member with all of it."""
    change_role(
        actor=SYSTEM, membership=bob.speech.memberships.get(user=bob.user), role=built_in(Preset.MEMBER)
    )
    role, some = built_in(Preset.ORGANIZATION_VIEWER), ProductAccess.VIEW_ONLY
    change_organization_member(
        actor=SYSTEM, member=bob.place, role=role, models_access=some, weave_access=ProductAccess.NONE
    )
    provider.patch(bob.path, OFF)
    provider.patch(bob.path, ON)
    place = bob.place
    assert (place.role, place.models_access, place.weave_access) == (role, some, ProductAccess.NONE)


def test_a_deleted_role_comes_back_as_its_base(provider: Provider, bob: Bob, organization: Organization):
    """TEAM-20."""
    fields = RoleFields(name="Runner", base=Preset.VIEW_ONLY, actions=frozenset())
    role = create_role(actor=SYSTEM, organization=organization, fields=fields)
    change_role(actor=SYSTEM, membership=bob.speech.memberships.get(user=bob.user), role=role)
    provider.patch(bob.path, OFF)
    delete_role(actor=SYSTEM, role=role, is_confirmed=True)
    provider.patch(bob.path, ON)
    assert bob.roles["speech"] == built_in(Preset.VIEW_ONLY).name


def test_teams_that_are_gone_or_left_the_organization_do_not(
    provider: Provider, bob: Bob, organization: Organization
):
    """A team that was only deleted keeps them among those who come back when it is restored."""
    provider.patch(bob.path, OFF)
    Team.objects.filter(name="speech").update(organization=OrganizationFactory())
    provider.ask("DELETE", bob.group)
    assert provider.patch(bob.path, ON)[1].get("groups") is None
    assert bob.roles == {"vision": "Member"}


def test_the_provider_changes_groups_meanwhile(provider: Provider, bob: Bob):
    """Whoever was taken out of a group stays out, and whoever was put into one is in it then."""
    other = TeamFactory(name="audio", organization=bob.speech.organization)
    provider.patch(bob.path, OFF)
    status, _told = provider.patch(
        bob.group, {"op": "remove", "path": f'members[value eq "{bob.shown["id"]}"]'}
    )
    assert status == 200
    added = {"op": "add", "path": "members", "value": [{"value": bob.shown["id"]}]}
    assert provider.patch(f"Groups/{other.pk}", added)[0] == 200
    assert [
        one["displayName"] for one in provider.find("Groups", f'members.value eq "{bob.shown["id"]}"')
    ] == ["audio"]
    assert bob.roles == {}
    provider.patch(bob.path, ON)
    assert bob.roles == {"speech": "Admin", "audio": "Member"}


def test_without_a_seat_nothing_comes_back(provider: Provider, bob: Bob, monkeypatch: Any):
    """ACC-8: and all of it once there is one."""

    def full(*_args: object) -> None:
        raise Conflict("No seat is left.")

    provider.patch(bob.path, OFF)
    with monkeypatch.context() as patch:
        patch.setattr(plan_policy(), "require_seat", full)
        status, told = provider.patch(bob.path, ON)
        assert (status, told["detail"]) == (409, "No seat is left.")
        assert bob.roles == {}
    provider.patch(bob.path, ON)
    assert bob.roles == {"vision": "Member", "speech": "Admin"}


def test_what_people_gave_ends_when_people_take_them_out(provider: Provider, bob: Bob):
    """The provider's groups come back with the person, for the provider has them there still."""
    remove_from_organization(actor=SYSTEM, member=bob.place)
    assert _members(provider, bob.group) == [bob.shown["id"]]
    provider.patch(bob.path, ON)
    assert bob.roles == {"vision": "Member"}


def test_whoever_is_deleted_comes_new(provider: Provider, bob: Bob):
    """RFC 7644, 3.6: nothing is known of them any more."""
    provider.ask("DELETE", bob.path)
    assert _members(provider, bob.group) == []
    provider.ask("POST", "Users", {"schemas": [USER], "userName": "bob@example.com"})
    assert bob.roles == {}
    assert OrganizationMember.objects.filter(user=bob.user).exists()


def test_a_member_taken_over_and_switched_off_at_once_comes_back(
    provider: Provider, organization: Organization
):
    """The provider knows of them from then on."""
    kim = UserFactory(username="kim", email="kim@example.com")
    add_member(
        actor=SYSTEM,
        team=TeamFactory(name="vision", organization=organization),
        user=kim,
        role=built_in(Preset.MEMBER),
    )
    for operation, teams in ((OFF, set()), (ON, {"vision"})):
        assert provider.patch(f"Users/{kim.pk}", operation)[0] == 200
        rows = Membership.objects.filter(user=kim, team__organization=organization)
        assert set(rows.values_list("team__name", flat=True)) == teams
