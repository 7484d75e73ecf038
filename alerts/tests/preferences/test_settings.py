"""ALR-1, ALR-2: each person and each team chooses what they are told of, and where it goes."""

import pytest

from access.actions import Preset
from access.actor import ANONYMOUS
from access.models import AuditEntry
from alerts.models import AlertSettings, Level, Mute, Route
from alerts.preferences import services
from alerts.preferences.services import add_route, change_settings, mute, remove_route, settings_of, unmute
from alerts.tests.places import a_place, personal
from common.errors import Conflict, Forbidden, Invalid, NotFound
from teams.models import Team, Visibility
from tests.factories import (
    ProjectFactory,
    ServiceAccountFactory,
    TeamFactory,
    UserFactory,
    actor,
    make_member,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> Team:
    return TeamFactory(name="vision", admin=UserFactory(username="chief"))


def test_who_never_chose_is_told_nothing():
    """ALR-2: defaults are off, and reading makes no row."""
    told = settings_of(user=UserFactory())
    assert not any((told.on_finished, told.on_crashed, told.on_killed, told.on_scripted))
    assert told.by_email
    assert not AlertSettings.objects.exists()


def test_a_person_chooses_what_is_told_and_the_rest_stays():
    """ALR-1, ALR-2, ACC-6."""
    ada = UserFactory()
    change_settings(actor=actor(ada), user=ada, on_crashed=True)
    change_settings(actor=actor(ada), user=ada, on_scripted=True, least_level=Level.WARN)
    told = settings_of(user=ada)
    assert (told.on_crashed, told.on_scripted, told.least_level, told.on_finished) == (
        True,
        True,
        "WARN",
        False,
    )


def test_nobody_chooses_for_somebody_else():
    """ALR-2."""
    ada, bob = UserFactory(), UserFactory()
    for asking in (actor(bob), ANONYMOUS):
        with pytest.raises(NotFound):
            change_settings(actor=asking, user=ada, on_crashed=True)


def test_admins_choose_for_the_team_and_members_may_not(team: Team):
    """TEAM-7."""
    chief, member = make_member(team, Preset.ADMIN), make_member(team)
    change_settings(actor=actor(chief), team=team, on_finished=True)
    assert settings_of(team=team).on_finished
    with pytest.raises(Forbidden):
        change_settings(actor=actor(member), team=team, on_finished=False)
    with pytest.raises(NotFound):
        change_settings(actor=actor(UserFactory()), team=team, on_finished=False)


def test_what_a_team_changed_is_in_its_audit_log_and_no_change_leaves_no_trace(team: Team):
    chief = make_member(team, Preset.ADMIN)
    change_settings(actor=actor(chief), team=team, on_crashed=True)
    change_settings(actor=actor(chief), team=team, on_crashed=True)
    entry = AuditEntry.objects.get(action="alert_settings.change")
    assert (entry.team_id, entry.before, entry.after) == (
        team.pk,
        {"on_crashed": False},
        {"on_crashed": True},
    )


def test_a_personal_entity_and_a_service_account_have_none(team: Team):
    ada, bot = UserFactory(), ServiceAccountFactory(team=team)
    with pytest.raises(Invalid, match="personal entity"):
        change_settings(actor=actor(ada), team=personal(ada), on_crashed=True)
    with pytest.raises(Invalid, match="Service accounts"):
        change_settings(actor=actor(bot), user=bot.user, on_crashed=True)


def test_a_level_that_there_is_not_is_refused():
    ada = UserFactory()
    with pytest.raises(Invalid, match="INFO, WARN, ERROR"):
        change_settings(actor=actor(ada), user=ada, least_level="LOUD")


def test_each_project_or_tag_has_a_channel_of_its_own(team: Team):
    """Wish 79: one Slack channel for each project."""
    chief = make_member(team, Preset.ADMIN)
    project, place, other = ProjectFactory(team=team), a_place(team), a_place(team, "#nightly")
    for route in ({}, {"project": project}, {"tag": "nightly"}, {"project": project, "tag": "nightly"}):
        add_route(actor=actor(chief), team=team, destination=place, **route)
    add_route(actor=actor(chief), team=team, destination=other, tag="nightly")
    assert Route.objects.filter(settings__team=team).count() == 5
    with pytest.raises(Conflict, match="already"):
        add_route(actor=actor(chief), team=team, destination=place, tag=" nightly ")


def test_alerts_go_only_to_places_and_projects_of_their_own(team: Team):
    """ALR-2: nobody sends what they see to a place of others."""
    ada, chief = UserFactory(), make_member(team, Preset.ADMIN)
    foreign, own, of_team = a_place(TeamFactory()), a_place(personal(ada)), a_place(team)
    with pytest.raises(Invalid, match="This destination doesn’t exist"):
        add_route(actor=actor(chief), team=team, destination=foreign)
    with pytest.raises(Invalid, match="This destination doesn’t exist"):
        add_route(actor=actor(ada), user=ada, destination=of_team)
    with pytest.raises(Invalid, match="This project doesn’t exist"):
        add_route(actor=actor(ada), user=ada, destination=own, project=ProjectFactory(team=team))
    with pytest.raises(Invalid, match="This project doesn’t exist"):
        add_route(actor=actor(chief), team=team, destination=of_team, project=ProjectFactory())


def test_a_person_routes_any_project_they_see(team: Team):
    """ALR-2: a member's own runs in a team's project."""
    member = make_member(team)
    project = ProjectFactory(team=team)
    route = add_route(
        actor=actor(member), user=member, destination=a_place(personal(member)), project=project
    )
    assert route.settings.user == member


def test_routes_are_removed_by_who_may_and_there_are_not_too_many(
    team: Team, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(services, "MOST_ROUTES", 1)
    chief, place = make_member(team, Preset.ADMIN), a_place(team)
    route = add_route(actor=actor(chief), team=team, destination=place)
    with pytest.raises(Conflict, match="reached the limit of"):
        add_route(actor=actor(chief), team=team, destination=place, tag="x")
    with pytest.raises(Invalid, match="at most 256"):
        add_route(actor=actor(chief), team=team, destination=place, tag="x" * 257)
    with pytest.raises(Forbidden):
        remove_route(actor=actor(make_member(team)), route=route)
    remove_route(actor=actor(chief), route=route)
    remove_route(actor=actor(chief), route=route)
    assert not Route.objects.exists()


def test_a_person_mutes_what_they_see_and_unmutes_what_they_no_longer_see(team: Team):
    """Semantics 6: a mute for each project."""
    member = make_member(team)
    project = ProjectFactory(team=team)
    mute(actor=actor(member), project=project)
    mute(actor=actor(member), project=project)
    mute(actor=actor(member), team=team)
    assert Mute.objects.filter(user=member).count() == 2
    project.visibility = Visibility.RESTRICTED
    project.save()
    unmute(actor=actor(member), project=project)
    unmute(actor=actor(member), team=team)
    assert not Mute.objects.exists()
    with pytest.raises(NotFound):
        mute(actor=actor(member), project=project)
    with pytest.raises(NotFound):
        mute(actor=actor(UserFactory()), team=team)


def test_a_mute_is_of_one_thing_of_one_person_and_there_are_not_too_many(
    team: Team, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(services, "MOST_MUTES", 1)
    member = make_member(team)
    with pytest.raises(Invalid, match="one project or one team"):
        mute(actor=actor(member))
    with pytest.raises(NotFound, match="Only people"):
        mute(actor=ANONYMOUS, team=team)
    mute(actor=actor(member), team=team)
    with pytest.raises(Conflict, match="You can mute at most"):
        mute(actor=actor(member), project=ProjectFactory(team=team))


def test_what_one_mutes_is_in_nobody_elses_log(team: Team):
    member = make_member(team)
    mute(actor=actor(member), team=team)
    assert AuditEntry.objects.get(action="alert.mute").team_id is None
