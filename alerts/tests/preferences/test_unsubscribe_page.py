"""ALR-3: the link of every mail switches it off, without signing in, for its own person alone."""

import pytest
import time_machine
from django.test import Client

from access.models import AuditEntry
from accounts.models import User
from alerts.models import AlertSettings, Mute
from alerts.preferences.services import change_settings, mute, settings_of
from alerts.preferences.unsubscribe_links import Subscription, token_of
from teams.models import Membership, Team
from tests.factories import TeamFactory, UserFactory, actor, make_member

pytestmark = pytest.mark.django_db
ONE_CLICK = {"List-Unsubscribe": "One-Click"}


@pytest.fixture
def team() -> Team:
    return TeamFactory(name="vision")


@pytest.fixture
def ada(team: Team) -> User:
    user = make_member(team, username="ada")
    change_settings(actor=actor(user), user=user, on_crashed=True)
    return user


def path_for(user: User, *teams: Team, is_own: bool = False) -> str:
    said = Subscription(user.pk, is_own=is_own, team_ids=tuple(team.pk for team in teams))
    return f"/unsubscribe/{token_of(said)}"


def undo_of(html: str) -> str:
    return html.split('name="undo" value="')[1].split('"', maxsplit=1)[0]


def test_looking_at_the_link_switches_nothing_off(client: Client, ada: User, team: Team):
    """Programs that check links for viruses open them."""
    shown = client.get(path_for(ada, team, is_own=True)).content.decode()
    assert "Alerts about your own runs" in shown
    assert "Emails from the team vision" in shown
    assert settings_of(user=ada).by_email
    assert not Mute.objects.exists()


def test_one_button_switches_it_off_and_undo_brings_it_back(client: Client, ada: User, team: Team):
    """ALR-3."""
    path = path_for(ada, team, is_own=True)
    done = client.post(path).content.decode()
    assert "Unsubscribed" in done
    assert not settings_of(user=ada).by_email
    assert settings_of(user=ada).on_crashed
    assert Mute.objects.get().team == team
    undone = client.post(path, {"undo": undo_of(done)}).content.decode()
    assert "Subscribed again" in undone
    assert settings_of(user=ada).by_email
    assert not Mute.objects.exists()


def test_mail_programs_unsubscribe_with_one_click(ada: User, team: Team):
    """ALR-3, RFC 8058: no cookies, no CSRF token, no redirect."""
    client = Client(enforce_csrf_checks=True)
    assert client.post(path_for(ada, is_own=True), ONE_CLICK).status_code == 204
    assert client.post(path_for(ada, is_own=True), ONE_CLICK).status_code == 204
    assert not settings_of(user=ada).by_email


def test_the_page_says_so_when_a_mail_program_was_faster(client: Client, ada: User, team: Team):
    """ALR-3: what is off is not offered again; what is partly on still is."""
    path = path_for(ada, team, is_own=True)
    client.post(path_for(ada, is_own=True), ONE_CLICK)
    assert "Unsubscribe from these emails?" in client.get(path).content.decode()
    client.post(path, ONE_CLICK)
    shown = client.get(path).content.decode()
    assert "You are already unsubscribed" in shown
    assert f'action="{path}"' not in shown


def test_a_link_is_about_its_own_person_and_what_it_was_sent_for(client: Client, ada: User, team: Team):
    """ALR-3."""
    bob = make_member(team)
    change_settings(actor=actor(bob), user=bob, on_crashed=True)
    client.force_login(bob)
    client.post(path_for(ada, team))
    assert settings_of(user=ada).by_email
    assert settings_of(user=bob).by_email
    assert Mute.objects.get().user == ada
    assert AuditEntry.objects.get(action="alert.mute").actor_name == "ada"


def test_undo_brings_back_only_what_the_link_switched_off(client: Client, ada: User, team: Team):
    """ALR-3: who had muted the team before keeps it muted."""
    mute(actor=actor(ada), team=team)
    path = path_for(ada, team, is_own=True)
    client.post(path, {"undo": undo_of(client.post(path).content.decode())})
    assert Mute.objects.get().team == team
    assert settings_of(user=ada).by_email


def test_a_link_cannot_switch_anything_on(client: Client, ada: User):
    """ALR-3: its token is no token of an undo."""
    path = path_for(ada, is_own=True)
    client.post(path)
    assert client.post(path, {"undo": path.rpartition("/")[2]}).status_code == 410
    assert not settings_of(user=ada).by_email


def test_an_undo_is_for_a_while(client: Client, ada: User):
    path = path_for(ada, is_own=True)
    with time_machine.travel("2026-01-01T00:00Z", tick=False):
        undo = undo_of(client.post(path).content.decode())
    with time_machine.travel("2026-01-01T02:00Z", tick=False):
        assert client.post(path, {"undo": undo}).status_code == 410


def test_who_left_the_team_has_nothing_to_switch_off(client: Client, ada: User, team: Team):
    Membership.objects.filter(user=ada, team=team).delete()
    path = path_for(ada, team)
    assert "no longer in the team" in client.get(path).content.decode()
    assert client.post(path, ONE_CLICK).status_code == 204
    assert not Mute.objects.exists()


def test_a_link_of_an_account_that_is_gone_and_a_broken_one_are_nothing(client: Client):
    gone = UserFactory(is_operator=False)
    User.objects.filter(pk=gone.pk).update(is_active=False)
    for path in (path_for(gone, is_own=True), "/unsubscribe/broken"):
        assert client.post(path).status_code == 404
    assert not AlertSettings.objects.exists()
