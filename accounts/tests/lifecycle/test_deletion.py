"""The end of an account (ACC-9)."""

import pytest
from allauth.account.models import EmailAddress
from django.contrib.sessions.models import Session
from django.urls import reverse
from django.utils import timezone

from access.actions import Preset
from access.actor import SYSTEM
from access.models import AuditEntry
from accounts.lifecycle import services
from accounts.lifecycle.deletion import delete_account, obstacles_of
from accounts.models import ApiKey, User
from common.errors import Conflict, Forbidden, Invalid, NotFound
from runs.lifecycle import services as lifecycle
from runs.models import Run
from runs.tasks import purge_runs
from teams.models import Membership, OrganizationMember
from tests.factories import (
    PASSWORD,
    OrganizationFactory,
    ProjectFactory,
    RunFactory,
    TeamFactory,
    UserFactory,
    actor,
    leave_open,
    make_member,
)

pytestmark = pytest.mark.django_db


def delete(user):
    delete_account(actor=actor(user), user=user, typed=user.username)


def test_personal_projects_and_keys_go_and_runs_in_teams_stay(api_key):
    """ACC-9, TEAM-5: runs logged to a team stay there and show the author's former username."""
    team = TeamFactory()
    user = make_member(team)
    api_key(user)
    own = RunFactory(project=ProjectFactory(team=user.claim.team), user=user)
    lifecycle.finish_run(run_id=own.pk, exit_code=0, at=timezone.now())
    shared = RunFactory(project=ProjectFactory(team=team), user=user)
    delete(user)
    purge_runs()
    own.refresh_from_db()
    shared.refresh_from_db()
    assert own.purged_at is not None
    assert shared.deleted_at is None
    assert shared.user.username == user.username
    assert not ApiKey.objects.filter(user=user).exists()
    assert not Membership.objects.filter(user=user, team=team).exists()


def test_nothing_personal_is_left_in_the_tombstone():
    UserFactory(is_operator=True)  # the last operator could not go
    user = UserFactory(email="ada@example.com", is_operator=True)
    User.objects.filter(pk=user.pk).update(display_name="Ada Lovelace")
    delete(user)
    row = User.objects.get(pk=user.pk)
    assert (row.email, row.display_name, row.is_active, row.is_operator) == ("", "", False, False)
    assert not row.has_usable_password()
    assert not EmailAddress.objects.filter(user=row).exists()
    assert AuditEntry.objects.filter(action="account.delete", object_name=user.username).exists()


def test_the_username_is_never_given_again():
    user = UserFactory()
    delete(user)
    with pytest.raises(Conflict, match="taken"):
        services.create_user(actor=SYSTEM, username=user.username.upper(), email="x@example.com")


def test_a_deleted_account_cannot_be_switched_on():
    user = UserFactory()
    delete(user)
    user.refresh_from_db()
    with pytest.raises(Conflict, match="deleted"):
        services.set_active(actor=SYSTEM, user=user, is_active=True)


def test_only_its_owner_deletes_an_account():
    user = UserFactory()
    with pytest.raises((Forbidden, NotFound)):
        delete_account(actor=actor(UserFactory()), user=user, typed=user.username)
    with pytest.raises(Invalid, match="Type your username"):
        delete_account(actor=actor(user), user=user, typed="somebody")


def test_the_last_admin_of_a_team_hands_over_first_and_is_told_where():
    team = TeamFactory()
    user = Membership.objects.get(team=team).user
    [obstacle] = obstacles_of(user)
    assert team.name in obstacle.text
    assert obstacle.url == reverse("teams:members", args=[team.name])
    with pytest.raises(Conflict, match=team.name):
        delete(user)
    make_member(team, Preset.ADMIN)
    delete(user)


def test_the_last_admin_of_an_organization_hands_over_first():
    organization = OrganizationFactory()
    TeamFactory(organization=organization)
    chief = organization.members.get(role__preset=Preset.ORGANIZATION_ADMIN).user
    obstacles = obstacles_of(chief)
    assert all(organization.name in obstacle.text for obstacle in obstacles)
    assert [obstacle.url for obstacle in obstacles] == [
        reverse("teams:organization", args=[organization.name]),
        reverse("billing:roles", args=[organization.name]),
    ]
    with pytest.raises(Conflict):
        delete(chief)


def test_an_empty_organization_of_ones_own_is_no_obstacle():
    organization = OrganizationFactory()
    chief = organization.members.get().user
    delete(chief)
    assert not OrganizationMember.objects.filter(user=chief).exists()


def test_the_page_asks_for_the_password_and_the_username(client):
    user = UserFactory()
    client.force_login(user)
    leave_open(client)
    asked = client.get("/settings/delete")
    assert asked.status_code == 302
    assert asked.url.startswith("/accounts/reauthenticate/")
    client.post(asked.url, {"password": PASSWORD})
    wrong = client.post("/settings/delete", {"username": "x"})
    assert wrong.status_code == 422
    assert "Type your username" in wrong.content.decode()
    gone = client.post("/settings/delete", {"username": user.username})
    assert gone.url == "/accounts/login/"
    assert client.get("/settings/api-keys").status_code == 302
    user.refresh_from_db()
    assert user.deleted_at is not None


def test_other_sessions_end():
    from django.test import Client

    user, other = UserFactory(), Client()
    other.force_login(user)
    assert other.get("/settings/api-keys").status_code == 200
    delete(user)
    assert other.get("/settings/api-keys").status_code == 302
    assert Session.objects.count() <= 1


def test_runs_of_a_deleted_account_show_who_it_was(client):
    team = TeamFactory()
    user, admin = make_member(team), make_member(team, Preset.ADMIN)
    run = RunFactory(project=ProjectFactory(team=team), user=user)
    delete(user)
    client.force_login(admin)
    page = client.get(f"/{team.name}/{run.project.name}/runs/{run.uid}/overview").content.decode()
    assert user.username in page
    assert client.get(f"/{user.username}").status_code == 404
    assert Run.objects.live().filter(pk=run.pk).exists()
