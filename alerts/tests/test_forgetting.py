"""ACC-9, TEAM-21: nothing of alerts is left of an account that is deleted, or of a team that nobody can restore."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from access.actor import SYSTEM
from accounts.lifecycle.deletion import delete_account
from alerts.models import AlertSettings, Destination, Message, Mute, Route, Secret
from alerts.preferences.services import add_route, change_settings, mute
from alerts.tests.places import a_place, personal
from teams.teams import deletion
from tests.factories import TeamFactory, UserFactory, actor, make_member

pytestmark = pytest.mark.django_db


def test_a_deleted_account_leaves_no_settings_mutes_messages_or_addresses():
    """ACC-9."""
    ada = make_member(TeamFactory())
    place = a_place(personal(ada))
    change_settings(actor=actor(ada), user=ada, on_crashed=True)
    add_route(actor=actor(ada), user=ada, destination=place)
    mute(actor=actor(ada), team=ada.memberships.exclude(team=place.team).get().team)
    Secret.objects.create(team=place.team, name="token", sealed="x")
    Message.objects.create(recipient=f"user:{ada.pk}", user=ada, send_at=timezone.now())
    delete_account(actor=actor(ada), user=ada, typed=ada.username)
    for model in (AlertSettings, Route, Destination, Mute, Secret, Message):
        assert not model.objects.exists(), model


def test_a_deleted_team_can_be_restored_with_its_alerts_until_nobody_can():
    """TEAM-21."""
    team = TeamFactory(admin=UserFactory())
    change_settings(actor=SYSTEM, team=team, on_crashed=True)
    a_place(team)
    deletion.delete_team(actor=SYSTEM, team=team, typed=team.name)
    deletion.forget_teams()
    assert AlertSettings.objects.filter(team=team).exists()
    with time_machine.travel(timezone.now() + timedelta(days=400), tick=False):
        deletion.forget_teams()
    assert not AlertSettings.objects.exists()
    assert not Destination.objects.exists()
